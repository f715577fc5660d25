"""What came back for one request."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from petstore_frame.http.headers import Headers


class Flaw(StrEnum):
    """Why a body is not there although its answer began."""

    CUT = "broke off"
    LATE = "was not over in the time allowed"
    LARGE = "is larger than 64 MiB"
    PACKED = "is compressed twice, or wrongly"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request.

    Attributes:
        operation: Method and path.
        status_code: HTTP status.
        headers: Header lines.
        body: The bytes received; empty when they have a flaw.
        flaw: What is wrong with the body; None when it arrived whole.
        elapsed_s: Seconds from the first byte out to the last byte in.
        url: The whole address asked.
    """

    operation: str
    status_code: int
    headers: Headers
    body: bytes
    flaw: Flaw | None
    elapsed_s: float
    url: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the body is what the store sent."""
        return self.flaw is None
