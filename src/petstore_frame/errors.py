"""The errors that this package raises, with a class for each case that a caller may catch.

A wrong argument raises an ArgumentError. A missing or invalid setting (an argument of ``Client`` or
its environment variable) raises a ConfigurationError. A file or frame with unusable content raises
an InputError. The page on errors in the documentation shows the class tree.
"""

from __future__ import annotations

import errno
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

from petstore_frame.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from petstore_frame.inventory import Inventory
    from petstore_frame.loader.results.load_result import LoadResult
    from petstore_frame.loader.row_state import Ending
    from petstore_frame.questions import Question, Reader


class PetstoreError(Exception):
    """The base class of all errors of this package.

    Attributes:
        message: What is wrong, as a sentence.
        add: An option that solves the problem and its value, such as ``("keep", "first")``, or
            None. Add it to the call, the command or the recipe; ``str()`` shows how in Python.
    """

    message: str
    add: tuple[str, Any] | None = None
    usual_exit_code: ClassVar[ExitCode] = ExitCode.INVALID

    def __init__(self, message: str = "", *, add: tuple[str, Any] | None = None) -> None:
        # ``args`` keeps all arguments of a subclass, so that every error can be pickled.
        self.message, self.add = message, add

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command that ends with this error."""
        return self.usual_exit_code

    @property
    def sentence(self) -> str:
        """The message with its location and the next step, without the option to add."""
        return self.message

    def __str__(self) -> str:
        if self.add is None:
            return self.sentence
        option, value = self.add
        return f"{self.sentence}; add {option}={value!r}"


class ConfigurationError(PetstoreError, ValueError):
    """A setting is missing or invalid; nothing was sent."""


class ArgumentError(PetstoreError, ValueError):
    """An argument has an invalid type or value; nothing was done."""


class ClosedError(PetstoreError, RuntimeError):
    """A Client or Server was used after it was closed; nothing was sent."""


class MissingExtraError(PetstoreError, ImportError):
    """An optional library is not installed, or cannot be imported."""

    def __init__(self, feature: str, extra: str, reason: str = "") -> None:
        problem = f"cannot be imported: {reason}; perhaps" if reason else "is not installed:"
        super().__init__(
            f"{feature} needs an optional part that {problem} "
            f'python -m pip install "petstore-frame[{extra}]"'
        )


class ServiceStartError(PetstoreError):
    """The bundled service did not start."""


# -- requests: the store rejected one, did not respond, or violated the interface


@dataclass(eq=False, repr=False)
class APIStatusError(PetstoreError):
    """The store responded with an error status.

    Attributes:
        status_code: HTTP status of the response.
        code: The ``code`` of the Error body; None if the body is not an Error.
        api_message: The ``message`` of the Error body, or a short description of the body.
        operation: Method and path, for example ``GET /pets``.
        field: The invalid field of the body, if the service names one (an extension).
        request_id: The ``X-Request-Id`` of the response, for the store's operator, or None.
        store_id: The ``X-Store-Id`` of the response (an extension), or None.
        retry_after_s: Seconds that the store asked to wait, or None.
        retry_at: The time when these seconds are over, in the local time zone, or None.
        next_step: What to do about the error.
        retryable: Whether the same GET may succeed later.

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
    retry_at: datetime | None = None

    usual_exit_code: ClassVar[ExitCode] = ExitCode.STORE
    usual_step: ClassVar[str] = "see the store's message"

    def __post_init__(self) -> None:
        self.message = f"{self.code}: {self.api_message}" if self.code else self.api_message

    @property
    def next_step(self) -> str:
        if self.retry_after_s and self.retry_at is not None:
            return (
                f"the store asks to wait {self.retry_after_s:,.0f} s, until "
                f"{self.retry_at:%Y-%m-%d %H:%M:%S %Z}; try again then"
            )
        return self.usual_step

    @property
    def retryable(self) -> bool:
        if self.status_code == 403:  # some stores limit requests with a 403
            return self.retry_after_s is not None
        return self.status_code in (408, 429) or self.status_code >= 500

    @property
    def sentence(self) -> str:
        origin = f" from {self.operation}" if self.operation else ""
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status_code}{origin}: {self.message}{request}; {self.next_step}"


class BadRequestError(APIStatusError):
    """400: the request lacks a required field or has an invalid value."""

    usual_step = "correct the named value and send it again"


class AuthenticationError(APIStatusError):
    """401: the API key is missing or invalid."""

    usual_step = "check that the key, such as in PETSTORE_API_KEY, belongs to this store"


class NotFoundError(APIStatusError):
    """404: the resource does not exist."""

    usual_step = "check the id, or base_url, which ends in /v1"


class RateLimitError(APIStatusError):
    """429: the store received too many requests."""

    usual_step = "wait and try again"


class ServerError(APIStatusError):
    """5xx: the store failed."""

    usual_step = "try again later"

    @property
    def next_step(self) -> str:
        if self.operation.startswith("POST"):
            return "the pet may have been added; look for it before you try again"
        return super().next_step


@dataclass(eq=False, repr=False)
class APIConnectionError(PetstoreError):
    """The connection failed before a usable response arrived.

    Attributes:
        operation: Method and path.
        reason: Code of the cause, such as dns, tls, connect_error or read_timeout.
        may_have_been_applied: Whether the POST may have been applied. False for a GET, and if it
            is proven that the store did not apply the POST.
        retryable: Whether the same GET may succeed later.
        retry_after_s: Seconds that the store asked to wait, or None.
    """

    message: str
    _: KW_ONLY
    operation: str = ""
    reason: str = "connection"
    may_have_been_applied: bool = True
    retryable: bool = True
    retry_after_s: float | None = None

    usual_exit_code: ClassVar[ExitCode] = ExitCode.STORE


class APITimeoutError(APIConnectionError):
    """The request timed out before a usable response arrived."""


@dataclass(eq=False, repr=False)
class ContractError(PetstoreError):
    """The response does not match the interface.

    Attributes:
        operation: Method and path.
        page: Number of the page within a listing, 1 for the first, or None.
        position: Position of the pet on that page, 1 for the first, or None.
        field: The invalid field, by its JSON name, or None.
        may_have_been_applied: For a POST, whether it may have created a pet.
        pet: The Pet that the store returned instead of the one sent or requested, or None.
    """

    message: str
    _: KW_ONLY
    operation: str = ""
    page: int | None = None
    position: int | None = None
    field: str | None = None
    may_have_been_applied: bool = False
    pet: Any = None

    usual_exit_code: ClassVar[ExitCode] = ExitCode.STORE


class CrossOriginError(PetstoreError):
    """A link leads away from the store's listing or is invalid, so it was not followed."""

    usual_exit_code = ExitCode.STORE


class EndpointDeprecatedWarning(FutureWarning):
    """The store will remove an operation; the message has the date and the replacement."""


def status_error_class(status_code: int) -> type[APIStatusError]:
    """Return the error class for an HTTP status."""
    if status_code >= 500:
        return ServerError
    classes: dict[int, type[APIStatusError]] = {
        400: BadRequestError,
        401: AuthenticationError,
        404: NotFoundError,
        429: RateLimitError,
    }
    return classes.get(status_code, APIStatusError)


# -- files: imports and their journals, reports, histories


# Windows has no quota error.
_FULL_ERRORS = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether an error means that the disk, or the user's share of it, is full."""
    return isinstance(error, OSError) and error.errno in _FULL_ERRORS


def _is_of_the_disk(error: PetstoreError) -> bool:
    """Return whether a file was not written because of the disk, and not of its name or rights."""
    return isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, PermissionError)


@dataclass(eq=False, repr=False)
class InputError(PetstoreError, ValueError):
    """A file or frame has content that cannot be used; nothing was sent.

    Attributes:
        path: The file, or None for a frame.
        line: First affected line of the file, counted from 1, or None.
        column: Name of the affected column, or None.
        hint: The next step.
        questions: What a person must answer to make the file readable; each Question has the option
            that states the answer. Empty if the file itself must be corrected.
    """

    message: str
    _: KW_ONLY
    path: str | None = None
    line: int | None = None
    column: str | None = None
    hint: str = ""
    questions: tuple[Question, ...] = ()
    add: tuple[str, Any] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if not self.questions:
            return
        # All questions of an error are about one option; several are about one field each.
        (option, value), *more = [
            item for question in self.questions for item in question.add.items()
        ]
        for _, table in more:
            value = {**value, **table}
        self.add = option, value

    @property
    def sentence(self) -> str:
        line = f"line {self.line}" if self.line else None
        column = f"column {self.column!r}" if self.column else None
        location = ", ".join(part for part in (self.path, line, column) if part)
        text = f"{location}: {self.message}" if location else self.message
        return f"{text}; {self.hint}" if self.hint else text


class JournalError(PetstoreError):
    """The journal of an import cannot be used; sending has stopped."""

    usual_exit_code = ExitCode.DISK


class JournalLockedError(JournalError):
    """Another import is using this journal."""

    usual_exit_code = ExitCode.LOCKED


class ReportError(PetstoreError):
    """A report cannot be written; a file that it names was not changed.

    After a full disk, ``partial`` is the Inventory that was not written.
    """

    partial: Inventory | None = None

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.DISK if _is_of_the_disk(self) else self.usual_exit_code


class HistoryError(PetstoreError):
    """A history cannot be read or written.

    After a full disk, ``partial`` is the Inventory that was not added.
    """

    partial: Inventory | None = None

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.DISK if _is_of_the_disk(self) else self.usual_exit_code


class HistoryLockedError(HistoryError):
    """Another process is writing to this history folder."""

    usual_exit_code = ExitCode.LOCKED


class HistoryWarning(UserWarning):
    """The snapshot of a day cannot be read and is left out; the message names the file."""


# -- errors with the result so far: an Inventory, a question or a LoadResult


# Shown by Python only; the command line does not need it.
PARTIAL_NOTE = "The pets read so far: .partial; in an interactive session: sys.last_value.partial"


class IncompleteInventoryError(PetstoreError):
    """A listing failed before all pets were read; ``partial`` has the pets read so far.

    ``partial`` is an Inventory whose verdict is ``incomplete``. ``__cause__`` is the failure.

    Example:
        >>> import petstore_frame as pf
        >>> def read_what_there_is(client):
        ...     try:
        ...         return pf.fetch_inventory(client)
        ...     except pf.IncompleteInventoryError as broken:
        ...         return broken.partial
    """

    usual_exit_code = ExitCode.STORE

    def __init__(self, message: str, *, partial: Inventory | None = None) -> None:
        super().__init__(message)
        # None only while the error is copied; fetch_inventory always sets it.
        self.partial = cast("Inventory", partial)
        self.add_note(PARTIAL_NOTE)


def partial_of(error: BaseException) -> Inventory | None:
    """Return the pets that were read before an error or Ctrl-C; None if there are none.

    Python ends a script with 130 only after a plain KeyboardInterrupt, so Ctrl-C has no class of
    its own, and carries the pets as an attribute.
    """
    partial: Inventory | None = getattr(error, "partial", None)
    return partial


def keep(inventory: Inventory | None, error: BaseException) -> None:
    """Let Ctrl-C or an error of the disk carry the pets that were read, as ``partial``."""
    is_lost = exit_code_of(error) in (ExitCode.INTERRUPTED, ExitCode.DISK)
    if is_lost and inventory is not None and partial_of(error) is None:
        error.partial = inventory  # type: ignore[attr-defined]
        error.add_note(PARTIAL_NOTE)


@contextmanager
def keeping(inventory: Inventory | None) -> Iterator[None]:
    """Call ``keep`` for an error in the block."""
    try:
        yield
    except BaseException as error:
        keep(inventory, error)
        raise


class QuestionError(PetstoreError):
    """A question must be answered first; nothing was sent.

    ``questions`` has each Question; ``str()`` shows what to add for each answer.
    """

    usual_exit_code = ExitCode.QUESTION

    def __init__(self, questions: Sequence[Question]) -> None:
        super().__init__("; ".join(question.text for question in questions))
        self.questions = tuple(questions)

    def text(self, reader: Reader = "python") -> str:
        """Return the questions, with what to type for each answer."""
        return "\n\n".join("\n".join(question.lines(reader)) for question in self.questions)

    def __str__(self) -> str:
        return self.text()


class LoadFailedError(PetstoreError):
    """Some rows of an import are not in the store; ``result`` has the state of each row."""

    def __init__(self, text: str, result: LoadResult) -> None:
        super().__init__(text)
        self.result = result

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode(self.result.exit_code)


class DuplicatesError(LoadFailedError):
    """Possible duplicates wait for an answer; ``result.possible_duplicates`` has them."""


class LoadStoppedError(PetstoreError):
    """An import stopped before all rows were sent; ``result`` is the LoadResult so far.

    ``ending`` is the reason: ``stopped`` by a response, ``outage``, ``journal`` or ``budget``.
    Run the same call again to continue.
    """

    def __init__(self, text: str, result: LoadResult, ending: Ending) -> None:
        super().__init__(text)
        self.result, self.ending = result, ending

    @property
    def exit_code(self) -> ExitCode:
        return self.ending.exit_code


def result_of(error: BaseException) -> LoadResult | None:
    """Return the result of a load that an error or Ctrl-C ended; None if nothing was sent."""
    result: LoadResult | None = getattr(error, "result", None)
    return result


def exit_code_of(error: BaseException) -> ExitCode:
    """Return the exit code of a command that ends with an error of any kind."""
    if isinstance(error, PetstoreError):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return ExitCode.PIPE_CLOSED
    if isinstance(error, FileNotFoundError):  # a name that does not exist
        return ExitCode.INVALID
    return ExitCode.DISK if isinstance(error, OSError) else ExitCode.INTERNAL
