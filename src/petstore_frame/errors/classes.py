"""The classes of errors, one for each thing that a caller may want to catch."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from typing import Any, ClassVar


class PetstoreError(Exception):
    """Base of every error that this package raises on purpose.

    Attributes:
        message: What is wrong, as a plain sentence.
        add: A word that helps and its value, as in ``("keep", "first")``, or None. It is to be
            added to the call, the command or the recipe; ``str()`` says how in Python.
    """

    message: str
    add: tuple[str, Any] | None = None

    def __init__(self, message: str = "", *, add: tuple[str, Any] | None = None) -> None:
        # ``args`` stay all that a subclass is given, so that each can be pickled.
        self.message, self.add = message, add

    @property
    def sentence(self) -> str:
        """The message with its place and the next step, without what to add."""
        return self.message

    def __str__(self) -> str:
        if self.add is None:
            return self.sentence
        word, value = self.add
        return f"{self.sentence}; add {word}={value!r}"


class ConfigurationError(PetstoreError, ValueError):
    """A setting is missing or impossible; nothing was sent."""


class ArgumentError(PetstoreError, ValueError):
    """An argument has a wrong type or value; the text says what is allowed. Nothing was done."""


class ClosedError(PetstoreError, RuntimeError):
    """A Client or Server was used after it was closed; nothing was sent."""


class MissingExtraError(PetstoreError, ImportError):
    """An optional library is needed, and not installed or not fit to be imported."""

    def __init__(self, feature: str, extra: str, reason: str = "") -> None:
        what = f"cannot be imported: {reason}; perhaps" if reason else "is not installed:"
        super().__init__(
            f"{feature} needs an optional part that {what} "
            f"python -m pip install 'petstore-frame[{extra}]'"
        )


def import_extra(module: str, feature: str, extra: str) -> Any:
    """Import a library of an extra, or raise the MissingExtraError that says why it cannot be."""
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        raise MissingExtraError(feature, extra) from problem
    except ImportError as problem:
        raise MissingExtraError(feature, extra, str(problem).partition("\n")[0]) from problem


class ServiceStartError(PetstoreError):
    """The bundled service did not come up."""


# -- requests: the store refused, did not answer, or left the interface


@dataclass(eq=False, repr=False)
class APIStatusError(PetstoreError):
    """The store answered with an error status.

    Attributes:
        status_code: HTTP status of the answer.
        code: The Error body's machine-readable code, or None when the body was not an Error.
        api_message: The Error body's message, or a short description of the body received.
        operation: Method and path, for example ``GET /pets``.
        field: The body field at fault, where the service names one (an extension).
        request_id: The answer's ``X-Request-Id``, for the store's operator, or None.
        store_id: The answer's ``X-Store-Id`` (an extension), or None.
        retry_after_s: Seconds that the store asked to wait, or None.
        next_step: What to do about it.
        retryable: Whether a later identical GET may succeed.

    Interface: Errors.
    """

    status_code: int
    api_message: str
    _: KW_ONLY
    code: str | None = None
    operation: str = ""
    field: str | None = None
    request_id: str | None = None
    store_id: str | None = None
    retry_after_s: float | None = None

    usual_step: ClassVar[str] = "see the store's message"

    def __post_init__(self) -> None:
        self.message = f"{self.code}: {self.api_message}" if self.code else self.api_message

    @property
    def next_step(self) -> str:
        return self.usual_step

    @property
    def retryable(self) -> bool:
        return self.status_code in (408, 429) or self.status_code >= 500

    @property
    def sentence(self) -> str:
        place = f" from {self.operation}" if self.operation else ""
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status_code}{place}: {self.message}{request}; {self.next_step}"


class BadRequestError(APIStatusError):
    """400: the request lacks a required field or holds an invalid value."""

    usual_step = "correct the named value and send it again"


class AuthenticationError(APIStatusError):
    """401: the API key is missing or invalid."""

    usual_step = "check the key, as in PETSTORE_API_KEY, against this store's address"


class NotFoundError(APIStatusError):
    """404: no such resource."""

    usual_step = "check the id, or base_url, which ends in /v1"


class RateLimitError(APIStatusError):
    """429: too many requests."""

    usual_step = "wait and try again"


class ServerError(APIStatusError):
    """5xx: the store failed."""

    usual_step = "try again later"

    @property
    def next_step(self) -> str:
        if self.operation.startswith("POST"):
            return "the pet may have been added; look for it before you try again"
        return self.usual_step


@dataclass(eq=False, repr=False)
class APIConnectionError(PetstoreError):
    """No usable answer arrived.

    Attributes:
        operation: Method and path.
        reason: One word for the cause: dns, tls, connect_error, read_timeout, …
        may_have_been_applied: False only on proof that the store cannot have acted on the request.
        retryable: Whether a later identical GET may succeed.
        retry_after_s: Seconds that the store asked to wait, or None.
    """

    message: str
    _: KW_ONLY
    operation: str = ""
    reason: str = "connection"
    may_have_been_applied: bool = True
    retryable: bool = True
    retry_after_s: float | None = None


class APITimeoutError(APIConnectionError):
    """No usable answer arrived within the time allowed."""


@dataclass(eq=False, repr=False)
class ContractError(PetstoreError):
    """The answer is not what the interface states.

    Attributes:
        operation: Method and path.
        page: Number of the page within a listing, 1 for the first, or None.
        position: Position of the pet on that page, 1 for the first, or None.
        field: The wire field at fault, or None.
        may_have_been_applied: For a POST, whether a pet may exist because of it.
        pet: The Pet that the store returned in place of the one sent or asked for, or None.
    """

    message: str
    _: KW_ONLY
    operation: str = ""
    page: int | None = None
    position: int | None = None
    field: str | None = None
    may_have_been_applied: bool = False
    pet: Any = None


class CrossOriginError(PetstoreError):
    """A link led away from the store or cannot be read; not followed, so the key stayed here."""


class EndpointDeprecatedWarning(FutureWarning):
    """An operation of the interface will be removed; the text has the date and the replacement."""


def status_error_class(status_code: int) -> type[APIStatusError]:
    """Return the class of error for an HTTP status."""
    kinds = {400: BadRequestError, 401: AuthenticationError, 404: NotFoundError}
    kinds |= {429: RateLimitError}
    return ServerError if status_code >= 500 else kinds.get(status_code, APIStatusError)


# -- files: imports and their journals, reports, histories


@dataclass(eq=False, repr=False)
class InputError(PetstoreError, ValueError):
    """A file or frame cannot be read as records; nothing was sent.

    Attributes:
        path: The file, or None for a frame.
        line: First physical line concerned (1 is the first of the file), or None.
        column: Name of the column concerned, or None.
        hint: The next step.
        add: A word of the recipe that would let it be read, and its value; to be confirmed by a
            person. None where a person must find the answer.
    """

    message: str
    _: KW_ONLY
    path: str | None = None
    line: int | None = None
    column: str | None = None
    hint: str = ""
    add: tuple[str, Any] | None = None

    @property
    def sentence(self) -> str:
        line = f"line {self.line}" if self.line else None
        column = f"column {self.column!r}" if self.column else None
        place = ", ".join(part for part in (self.path, line, column) if part)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text}; {self.hint}" if self.hint else text


class JournalError(PetstoreError):
    """The journal of an import cannot be used; sending has stopped."""


class JournalLockedError(JournalError):
    """Another import is using this journal."""


class ReportError(PetstoreError):
    """A report cannot be written as asked; no file was changed."""


class HistoryError(PetstoreError):
    """A history folder cannot be used as asked."""


class HistoryLockedError(HistoryError):
    """Another process is writing to this history folder."""


class HistoryWarning(UserWarning):
    """A day's snapshot cannot be read and is left out; the text names the file."""
