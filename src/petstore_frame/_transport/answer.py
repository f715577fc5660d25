"""What came back for one request.

In: what ``transport`` read. Out: an Answer, which names no type of httpx. It judges nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from petstore_frame.headers import Headers


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request.

    Attributes:
        operation: Method and path.
        status_code: HTTP status.
        headers: Header lines.
        body: The bytes received; empty when the body was not whole.
        is_whole: False when the status line arrived and the body did not, or not whole, or it was
            larger than 64 MiB, or packed more than once.
        elapsed_s: Seconds from the first byte out to the last byte in.
        url: The whole address asked.
    """

    operation: str
    status_code: int
    headers: Headers
    body: bytes
    is_whole: bool
    elapsed_s: float
    url: str = ""
