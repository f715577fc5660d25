"""Decides what the outcome of a request proves, according to this table.

| seen                                          | proof                                        |
|-----------------------------------------------|----------------------------------------------|
| nothing or not all of the request was sent    | not_applied                                  |
| sent completely, no response                  | unknown                                      |
| 201, body a Pet                               | created                                      |
| 201, body cut or unreadable                   | created, id unknown                          |
| other 2xx with a Pet / without                | created / unknown, stop                      |
| 3xx                                           | unknown, stop: a POST is never redirected    |
| 400, 409, 413, 422 with an Error body         | rejected (409 under a key: unknown, running) |
| 408, 425, 429, and 403 with Retry-After       | not_applied, try again later                 |
| 401, and any other 4xx                        | not_applied, stop: it concerns every row     |
| 4xx whose body is not an Error of that status | not_applied, stop: perhaps from a proxy      |
| 5xx                                           | unknown: the store may have finished         |
"""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import httpx

from petstore_frame.errors import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    ContractError,
    PetstoreError,
    status_error_class,
)
from petstore_frame.schema import NewPet, Pet
from petstore_frame.schema.text import clean_text
from petstore_frame.transport.response import STORE_ID, BodyProblem, Response

_REJECTS, _PASSES = frozenset({400, 409, 413, 422}), frozenset({408, 425, 429})
# The errors that a transport raises on purpose.
TRANSPORT_ERRORS = (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL)
# Raised before the first byte of the request was sent.
_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.ProxyError,
)


class Trace:
    """Follows a request, because an exception does not show whether all of it was sent.

    httpx reports each step as ``PART.STEP.started``, ``.complete`` or ``.failed``. A request
    through a proxy starts with a request to the proxy.
    """

    def __init__(self) -> None:
        self._has_events = self._was_sent_completely = False

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        self._has_events = True
        if event.endswith(".send_request_headers.started"):
            self._was_sent_completely = False
        elif event.endswith(".send_request_body.complete"):
            self._was_sent_completely = True

    def proves_not_applied(self, problem: Exception) -> bool:
        """Return whether the store cannot have acted on the request."""
        # A custom transport may report no events; then only the class of the error is evidence.
        is_cut = self._has_events and not self._was_sent_completely
        return is_cut or isinstance(problem, _NEVER_SENT)


class Proof(StrEnum):
    """Whether a POST is proven to have added a pet."""

    CREATED = "created"
    REJECTED = "rejected"
    NOT_APPLIED = "not_applied"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class PostOutcome:
    """The outcome of one attempt to add a pet.

    Attributes:
        proof: What the outcome proves.
        reason: Code of the cause, such as ``http_201`` or ``read_timeout``.
        pet: The Pet in the response; None if there is none that can be read.
        error: The error that describes the failure; None for a valid 201.
        is_systemic: Whether the cause affects all rows, such as a wrong key or address, so that
            sending should stop.
        http_status: HTTP status of the response, or None.
        retry_after_s: Seconds that the store asked to wait, or None.
        request_id, store_id: The ``X-Request-Id`` and ``X-Store-Id`` of the response, or None.
        elapsed_s: Duration of the attempt in seconds, or None.
    """

    proof: Proof
    reason: str
    pet: Pet | None = None
    error: PetstoreError | None = None
    is_systemic: bool = False
    http_status: int | None = None
    retry_after_s: float | None = None
    request_id: str | None = None
    store_id: str | None = None
    elapsed_s: float | None = None

    def pet_like(self, sent: NewPet) -> Pet:
        """Return the pet that was added.

        Raises:
            PetstoreError: It is not certain that a pet was added.
            ContractError: The response has a different pet than the one that was sent.
        """
        if self.pet is None:
            raise self.error or PetstoreError(self.reason)
        if other := sent.differences(self.pet):
            changes = ", ".join(
                f"{name} {returned!r} for {sent_value!r}"
                for name, (sent_value, returned) in other.items()
            )
            raise ContractError(
                f"POST /pets returned a different pet than was sent, id {self.pet.id}: {changes}; "
                "look at both in the store before you send anything again",
                operation="POST /pets",
                field=next(iter(other)),
                may_have_been_applied=True,
                pet=self.pet,
            )
        return self.pet


def judge_failure(problem: APIConnectionError) -> PostOutcome:
    """Return the outcome of an attempt without a response."""
    proof = Proof.UNKNOWN if problem.may_have_been_applied else Proof.NOT_APPLIED
    is_systemic = problem.reason in ("tls", "dns")
    return PostOutcome(proof, problem.reason, error=problem, is_systemic=is_systemic)


def judge_response(response: Response, *, has_key: bool = False) -> PostOutcome:
    """Return the outcome of a response; ``has_key`` means that the store honors its key."""
    status, pet, is_systemic = response.status_code, None, False
    error: PetstoreError | None = None
    if 200 <= status < 300:
        proof, pet, error = _judge_success(response)
        is_systemic = proof is Proof.UNKNOWN
    else:
        error, body = unusable_error(response), _error_body(response.body)
        if status >= 500 or status < 400:
            proof, is_systemic = Proof.UNKNOWN, status < 400
        elif status in _PASSES or (status == 403 and response.retry_after_s is not None):
            proof = Proof.NOT_APPLIED
        elif has_key and status == 409:
            proof = Proof.UNKNOWN
        elif status in _REJECTS and body and body["status"] == status:
            proof = Proof.REJECTED
        else:
            proof, is_systemic = Proof.NOT_APPLIED, True
    return PostOutcome(
        proof,
        f"http_{status}",
        pet,
        error,
        is_systemic,
        http_status=status,
        elapsed_s=response.elapsed_s,
        **_facts_of(response),
    )


def _judge_success(response: Response) -> tuple[Proof, Pet | None, PetstoreError | None]:
    try:
        return Proof.CREATED, Pet.from_json(response.body, operation=response.operation), None
    except ContractError as problem:
        if response.status_code != 201:
            return Proof.UNKNOWN, None, problem
    error = ContractError(
        f"{response.operation} responded with 201, but its body was lost or is not a Pet; "
        "the pet exists, but its id is not known",
        operation=response.operation,
        may_have_been_applied=True,
    )
    return Proof.CREATED, None, error


def _facts_of(response: Response) -> dict[str, Any]:
    return {
        "request_id": clean_text(response.headers.get("X-Request-Id", ""), 100) or None,
        "store_id": response.headers.get(STORE_ID),
        "retry_after_s": response.retry_after_s,
    }


def unusable_error(response: Response) -> PetstoreError:
    """Return the error for a response that the interface does not state for a success."""
    if response.status_code >= 400:
        return status_error(response)
    problem = response.body_problem
    if problem is None:
        location = clean_text(response.headers.get("Location", "").partition("?")[0])
        redirect = f" with a redirect to {location}" if location else ""
        return ContractError(
            f"{response.operation} responded with {response.status_code}{redirect}, which the "
            "interface does not state; check that base_url is the store's address, ending in /v1",
            operation=response.operation,
        )
    may_pass = problem in (BodyProblem.CUT, BodyProblem.LATE)
    next_step = "try again" if may_pass else "ask the store's operator"
    kind = APITimeoutError if problem is BodyProblem.LATE else APIConnectionError
    return kind(
        f"{response.operation}: the response {problem}; {next_step}",
        operation=response.operation,
        reason=problem.name.lower(),
        retryable=may_pass,
        retry_after_s=response.retry_after_s,
    )


def status_error(response: Response) -> APIStatusError:
    """Return the error for a response; the start of a body that is not an Error is quoted."""
    body = _error_body(response.body)
    if not body:
        kind = clean_text(response.headers.get("Content-Type", ""), 100) or "no content type"
        text = response.body[:320].decode("utf-8", "replace")[:80]
        begin = f"it begins {text!r}" if text else "an empty body"
        excerpt = "the body was cut" if response.body_problem else begin
        body = {"message": f"the response has no Error body but {kind} ({excerpt})"}
    field = body.get("field")
    facts = _facts_of(response)
    retry_at = None
    if facts["retry_after_s"] is not None:
        retry_at = datetime.now().astimezone() + timedelta(seconds=facts["retry_after_s"])
    return status_error_class(response.status_code)(
        response.status_code,
        body["message"],
        code=body.get("code"),
        operation=response.operation,
        field=clean_text(field, 100) if isinstance(field, str) else None,
        retry_at=retry_at,
        **facts,
    )


def _error_body(body: bytes) -> dict[str, Any]:
    """Return the Error in a body; empty if the body is not an Error."""
    try:
        error_body = json.loads(body)
        code, message, status = error_body["code"], error_body["message"], error_body["status"]
    except (ValueError, RecursionError, TypeError, LookupError):
        return {}
    if not (isinstance(code, str) and isinstance(message, str) and isinstance(status, int | float)):
        return {}
    return {**error_body, "code": clean_text(code, 100), "message": clean_text(message, 500)}


def connection_error(
    problem: Exception, operation: str, trace: Trace | None, base_url: str, proxy: str | None
) -> APIConnectionError:
    """Convert an error of httpx to an error of this package.

    Args:
        problem: The error of httpx.
        operation: Method and path of the request.
        trace: The trace of a POST, or None for a GET.
        base_url: The address of the store.
        proxy: The origin of the proxy, or None.
    """
    may_have_been_applied = trace is not None and not trace.proves_not_applied(problem)
    reason, text = _reason(problem), str(problem).rstrip(".") or "no response"
    doubt = "; it may have been applied" if may_have_been_applied else ""
    source, next_step = base_url, "check the address and that the store is up"
    if proxy is not None:
        source = f"{base_url} through the proxy {proxy}"
        next_step = (
            "check that both are up; HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names the proxy, and "
            "NO_PROXY the hosts that need none"
        )
    kind = APITimeoutError if isinstance(problem, httpx.TimeoutException) else APIConnectionError
    return kind(
        f"{operation}: no response from {source} ({reason}: {text}){doubt}; {next_step}",
        operation=operation,
        reason=reason,
        may_have_been_applied=may_have_been_applied,
        retryable=reason not in ("dns", "tls"),
    )


def _reason(problem: Exception) -> str:
    """Return a code for the cause: dns, tls, or the name in httpx, such as ``read_timeout``."""
    cause: BaseException | None = problem
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return "tls"
        if isinstance(cause, socket.gaierror):
            return "dns"
        cause = cause.__cause__ or cause.__context__
    return re.sub("(?<=.)(?=[A-Z])", "_", type(problem).__name__).lower()
