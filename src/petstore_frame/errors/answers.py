"""Errors of requests: the store refused, did not answer, or left the interface."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from petstore_frame.errors.calls import PetstoreError


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
    next_step: str | None = None

    usual_step: ClassVar[str] = "see the store's message"

    def __post_init__(self) -> None:
        self.next_step = self.next_step or self.usual_step

    @property
    def retryable(self) -> bool:
        return self.status_code in (408, 429) or self.status_code >= 500

    def phrased_by(self, reader: Any = None) -> str:
        place = f" from {self.operation}" if self.operation else ""
        code = f"{self.code}: " if self.code else ""
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status_code}{place}: {code}{self.api_message}{request}; {self.next_step}"


class BadRequestError(APIStatusError):
    """400: the request lacks a required field or holds an invalid value."""

    usual_step = "correct the named value and send it again"


class AuthenticationError(APIStatusError):
    """401: the API key is missing or invalid."""

    usual_step = "check the key, as in PETSTORE_API_KEY, against this store's address"


class PermissionDeniedError(APIStatusError):
    """403: the key is known and may not do this."""

    usual_step = "ask the store's operator what this key may do"


class NotFoundError(APIStatusError):
    """404: no such resource."""

    usual_step = "check the id, or the address"


class ConflictError(APIStatusError):
    """409: the request conflicts with another one that is still running or already done."""

    usual_step = "wait for the first request to settle"


class RateLimitError(APIStatusError):
    """429: too many requests."""

    usual_step = "wait and try again"


class ServerError(APIStatusError):
    """5xx: the store failed."""

    usual_step = "try again later"


@dataclass(eq=False, repr=False)
class APIConnectionError(PetstoreError):
    """No usable answer arrived.

    Attributes:
        operation: Method and path.
        reason: One word for the cause: refused, dns, tls, timeout, reset, closed, …
        may_have_been_applied: False only on proof that the store cannot have acted on the request.
        retryable: Whether a later identical GET may succeed.
    """

    message: str
    _: KW_ONLY
    operation: str = ""
    reason: str = "connection"
    may_have_been_applied: bool = True
    retryable: bool = True


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
        pet: The Pet that the store returned in place of the one that was meant, or None.
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
