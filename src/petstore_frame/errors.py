"""What can go wrong: one class for each thing that a caller may want to catch.

A wrong argument is an ArgumentError, a missing or impossible setting (an argument of ``Client`` or
its environment variable) a ConfigurationError, and content of a file or frame that cannot be used
an InputError. The page on errors of the documentation draws their tree.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

if TYPE_CHECKING:
    from petstore_frame.inventory import Inventory
    from petstore_frame.loader.duplicate_question import Question
    from petstore_frame.loader.results.load_result import LoadResult
    from petstore_frame.loader.row_state import Ending


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
            f'python -m pip install "petstore-frame[{extra}]"'
        )


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
        may_have_been_applied: Whether a POST may have had its effect: False only on proof that the
            store cannot have acted on it, and for a GET.
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
        likely: The value with which a preview shows the file while ``add`` is a placeholder.
    """

    message: str
    _: KW_ONLY
    path: str | None = None
    line: int | None = None
    column: str | None = None
    hint: str = ""
    add: tuple[str, Any] | None = None
    likely: Any = None

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


# -- errors that carry what was done so far: an Inventory, a question or a LoadResult


class PartialReadError(BaseException):
    """A listing broke off before its end."""

    def __init__(self, message: str, *, partial: Inventory | None = None) -> None:
        super().__init__(message)
        # None only in a copy under way: what leaves fetch_inventory has it.
        self.partial = cast("Inventory", partial)
        # In Python alone: a shell has no use for it.
        self.add_note("What was read: .partial, at a prompt sys.last_value.partial")


class IncompleteInventoryError(PartialReadError, PetstoreError):
    """A failure, its ``__cause__``, ended a listing: ``partial`` is what was read.

    ``partial`` is an Inventory whose verdict is ``incomplete``.

    Example:
        >>> import petstore_frame as pf
        >>> def read_what_there_is(client):
        ...     try:
        ...         return pf.fetch_inventory(client)
        ...     except pf.IncompleteInventoryError as broken:
        ...         return broken.partial
    """


class FetchInterrupted(PartialReadError, KeyboardInterrupt):  # noqa: N818 # no error, a KeyboardInterrupt
    """Ctrl-C ended a listing; ``partial`` as of IncompleteInventoryError."""


class DuplicatesError(PetstoreError):
    """Some records may be known animals, and nobody has said whether they are; nothing was sent.

    ``str()`` has what each answer would do; ``question`` has the cases, counts and examples.
    """

    def __init__(self, question: Question) -> None:
        super().__init__(question.text())
        self.question = question


class LoadFailedError(PetstoreError):
    """Some records of an import are not in the store; ``result`` tells them apart."""

    def __init__(self, text: str, result: LoadResult) -> None:
        super().__init__(text)
        self.result = result


class LoadStoppedError(PetstoreError):
    """An import ended before its records were sent; ``result`` is the LoadResult so far.

    ``ending`` says why: ``stopped`` by the store's answer, ``outage``, ``journal`` or ``budget``.
    The same call again goes on.
    """

    def __init__(self, text: str, result: LoadResult, ending: Ending) -> None:
        super().__init__(text)
        self.result, self.ending = result, ending


class LoadInterrupted(KeyboardInterrupt):
    """An import was interrupted; ``result`` is the LoadResult so far.

    The answers of requests in flight were awaited.
    """

    def __init__(self, result: LoadResult) -> None:
        super().__init__("interrupted; run the same import again to go on")
        self.result = result
