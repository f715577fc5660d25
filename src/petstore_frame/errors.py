"""What can go wrong, drawn as a tree.

In: nothing. Out: the exception and warning classes of the whole package.
It knows no library and no module of ours, so that every other file may raise from here.

PetstoreError
├── ConfigurationError (ValueError)     a setting is missing or impossible; nothing was sent
├── ArgumentError (ValueError)          an argument is none that is understood; nothing was sent
├── ClosedError (RuntimeError)          a Client or Server was closed; nothing was sent
├── MissingExtraError (ImportError)     an optional library is needed; the text has the pip line
├── APIStatusError                      the store answered with an error status
│   ├── BadRequestError                 400
│   ├── AuthenticationError             401
│   ├── PermissionDeniedError           403
│   ├── NotFoundError                   404
│   ├── ConflictError                   409
│   ├── RateLimitError                  429
│   └── ServerError                     5xx
├── APIConnectionError                  no usable answer arrived
│   └── APITimeoutError                 … within the time allowed
├── ContractError                       the answer is not what the interface states
├── CrossOriginError                    an address led away from the store; it was not followed
├── IncompleteInventoryError            a listing broke off; carries what was read
│   ├── PaginationLoopError             … because it led back to where it had been
│   └── ForeignLinkError                … because it led away from the store (CrossOriginError)
├── InputError (ValueError)             a file or frame cannot be read as records; nothing was sent
├── LoadFailedError                     some records of an import are not in the store
├── JournalError                        the journal of an import cannot be used
│   └── JournalLockedError              another importer is at work on it
├── ReportError                         a report cannot be written as asked
├── HistoryError                        a history folder cannot be used as asked
│   └── HistoryLockedError              another writer is at work in it
└── ServiceStartError                   the bundled service did not come up

EndpointDeprecatedWarning (FutureWarning)   an operation will be removed; the text has the date
HistoryWarning (UserWarning)                a day's snapshot cannot be read and is left out
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


class PetstoreError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigurationError(PetstoreError, ValueError):
    """A setting is missing or impossible; nothing was sent."""


class ArgumentError(PetstoreError, ValueError):
    """An argument is none that is understood; the text says what it can be. Nothing was sent."""


class ClosedError(PetstoreError, RuntimeError):
    """A Client or Server was used after it was closed; nothing was sent."""


class MissingExtraError(PetstoreError, ImportError):
    """An optional library is needed and not installed.

    Args:
        feature: What was asked for, as the reader would say it.
        extra: The extra of petstore-frame that brings the library.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(feature, extra)
        self.feature = feature
        self.extra = extra

    def __str__(self) -> str:
        return (
            f"{self.feature} needs an optional part that is not installed: "
            f"python -m pip install 'petstore-frame[{self.extra}]'"
        )


class APIStatusError(PetstoreError):
    """The store answered with an error status.

    Attributes:
        status_code: HTTP status of the answer.
        code: The Error body's machine-readable code, or None when the body was no Error.
        api_message: The Error body's message, or a short description of the body received.
        operation: Method and path, for example ``GET /pets``.
        field: The body field at fault, where the service names one (an extension).
        request_id: The answer's ``X-Request-Id``, for the store's operator, or None.
        store_id: What the store calls itself (an extension), or None.
        retry_after_s: Seconds that the store asked to wait, or None.
        next_step: What to do about it, in words.
        retryable: Whether a later identical GET may succeed.

    Interface: Errors.
    """

    next_step = "see the store's message"

    def __init__(
        self,
        status_code: int,
        api_message: str,
        *,
        code: str | None = None,
        operation: str = "",
        field: str | None = None,
        request_id: str | None = None,
        store_id: str | None = None,
        retry_after_s: float | None = None,
        next_step: str | None = None,
    ) -> None:
        super().__init__(status_code, api_message)
        self.status_code = status_code
        self.api_message = api_message
        self.code = code
        self.operation = operation
        self.field = field
        self.request_id = request_id
        self.store_id = store_id
        self.retry_after_s = retry_after_s
        if next_step is not None:
            self.next_step = next_step

    @property
    def retryable(self) -> bool:
        return self.status_code in (408, 429) or self.status_code >= 500

    def __str__(self) -> str:
        place = f" from {self.operation}" if self.operation else ""
        code = f"{self.code}: " if self.code else ""
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status_code}{place}: {code}{self.api_message}{request}; {self.next_step}"


class BadRequestError(APIStatusError):
    """400: the request lacks a required field or holds an invalid value."""

    next_step = "correct the named value and send it again"


class AuthenticationError(APIStatusError):
    """401: the API key is missing or invalid."""

    next_step = "check the key, as in PETSTORE_API_KEY, against this store's address"


class PermissionDeniedError(APIStatusError):
    """403: the key is known and may not do this."""

    next_step = "ask the store's operator what this key may do"


class NotFoundError(APIStatusError):
    """404: no such resource."""

    next_step = "check the id, or the address"


class ConflictError(APIStatusError):
    """409: the request meets another one that is still running or has already settled."""

    next_step = "wait for the first request to settle"


class RateLimitError(APIStatusError):
    """429: too many requests."""

    next_step = "wait and try again, or with fewer workers"


class ServerError(APIStatusError):
    """5xx: the store failed."""

    next_step = "try again later; a POST may or may not have been applied"


class APIConnectionError(PetstoreError):
    """No usable answer arrived.

    Attributes:
        operation: Method and path.
        reason: One word for the cause: refused, dns, tls, timeout, reset, closed, …
        may_have_been_applied: False only on proof that the store cannot have acted on the request.
        retryable: Whether a later identical GET may succeed.
    """

    def __init__(
        self,
        message: str,
        *,
        operation: str = "",
        reason: str = "connection",
        may_have_been_applied: bool = True,
        retryable: bool = True,
    ) -> None:
        super().__init__(message)
        self.operation = operation
        self.reason = reason
        self.may_have_been_applied = may_have_been_applied
        self.retryable = retryable


class APITimeoutError(APIConnectionError):
    """No usable answer arrived within the time allowed."""


class ContractError(PetstoreError):
    """The answer is not what the interface states.

    Attributes:
        operation: Method and path.
        page: Number of the page within a listing, 1 for the first, or None.
        position: Position of the pet on that page, 1 for the first, or None.
        field: The wire field at fault, or None.
        may_have_been_applied: For a POST, whether a pet may exist because of it.
    """

    def __init__(
        self,
        message: str,
        *,
        operation: str = "",
        page: int | None = None,
        position: int | None = None,
        field: str | None = None,
        may_have_been_applied: bool = False,
    ) -> None:
        super().__init__(message)
        self.operation = operation
        self.page = page
        self.position = position
        self.field = field
        self.may_have_been_applied = may_have_been_applied


class CrossOriginError(PetstoreError):
    """An address led away from the store and was not followed, so the key stayed here."""


class IncompleteInventoryError(PetstoreError):
    """A listing broke off before its end, by a failure or by Ctrl-C.

    Attributes:
        partial: The Inventory of what was read, its verdict ``incomplete``.

    Example:
        >>> import petstore_frame as pf
        >>> def read_all(client):
        ...     try:
        ...         return pf.fetch_inventory(client)
        ...     except pf.IncompleteInventoryError as broken:
        ...         return broken.resume()  # or broken.partial, for what there is
    """

    def __init__(
        self, message: str, *, partial: Any = None, resume: Callable[[], Any] | None = None
    ) -> None:
        super().__init__(message)
        self.partial = partial
        self._resume = resume
        self.add_note(
            "In a notebook or at a prompt, after `import sys`: sys.last_value.partial is what was "
            "read, and inventory = sys.last_value.resume() reads the rest."
        )

    def resume(self) -> Any:
        """Go on where the listing broke off and return the Inventory."""
        if self._resume is None:
            raise PetstoreError("this error crossed a process; fetch the inventory again")
        return self._resume()

    def __reduce__(self) -> tuple[Any, ...]:
        # The way on holds live connections; a pickled copy keeps the words and the rows.
        return _revive_incomplete, (type(self), str(self), self.partial)


def _revive_incomplete(
    kind: type[IncompleteInventoryError], message: str, partial: Any
) -> IncompleteInventoryError:
    return kind(message, partial=partial)


class PaginationLoopError(IncompleteInventoryError):
    """A listing led back to where it had been; what was read is no whole listing."""


class ForeignLinkError(IncompleteInventoryError, CrossOriginError):
    """A listing's next link leads to another origin; it was not followed."""


class InputError(PetstoreError, ValueError):
    """A file or frame cannot be read as records; nothing was sent.

    Attributes:
        path: The file, or None for a frame.
        line: First physical line concerned (1 is the first of the file), or None.
        column: Name of the column concerned, or None.
        hint: The next step; a text, or an Advice that can be told in another voice than Python's.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: str | None = None,
        hint: Any = "",
    ) -> None:
        super().__init__(message)
        self.path = path
        self.line = line
        self.column = column
        self.hint = hint

    def __str__(self) -> str:
        return self.told()

    def told(self, voice: Any = None) -> str:
        """Return the error in the words of a voice; None is Python's."""
        is_plain = voice is None or isinstance(self.hint, str)
        hint = str(self.hint) if is_plain else self.hint.told(voice)
        place = ", ".join(
            part
            for part in (
                self.path or "",
                f"line {self.line}" if self.line else "",
                f"column {self.column!r}" if self.column else "",
            )
            if part
        )
        text = f"{place}: {self.args[0]}" if place else str(self.args[0])
        return f"{text}; {hint}" if hint else text


class LoadFailedError(PetstoreError):
    """Some records of an import are not in the store.

    Attributes:
        result: The LoadResult, which tells them apart.
    """

    def __init__(self, message: str, *, result: Any) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(LoadFailedError, result=self.result), self.args


class JournalError(PetstoreError):
    """The journal of an import cannot be used; sending has stopped."""


class JournalLockedError(JournalError):
    """Another importer is at work on this journal."""


class ReportError(PetstoreError):
    """A report cannot be written as asked; no file was changed."""


class HistoryError(PetstoreError):
    """A history folder cannot be used as asked."""


class HistoryLockedError(HistoryError):
    """Another writer is at work in this history folder."""


class ServiceStartError(PetstoreError):
    """The bundled service did not come up."""


class HistoryWarning(UserWarning):
    """A day's snapshot cannot be read and is left out; the text names the file."""


class EndpointDeprecatedWarning(FutureWarning):
    """An operation of the interface will be removed; the text has the date and the replacement."""


_BY_STATUS: dict[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def status_error_class(status_code: int) -> type[APIStatusError]:
    """Return the class of error for an HTTP status."""
    if status_code >= 500:
        return ServerError
    return _BY_STATUS.get(status_code, APIStatusError)
