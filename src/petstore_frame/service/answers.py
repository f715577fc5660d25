"""What goes back: JSON answers with their caching headers, and Error bodies.

In: bytes, headers, problems. Out: Starlette responses. It knows nothing of pets.
"""

from __future__ import annotations

import hashlib

from starlette.responses import Response
from starlette.types import Scope

from petstore_frame.service.problems import Problem


def json_answer(
    body: bytes, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    return Response(body, status, headers, media_type="application/json")


def with_tag(body: bytes, headers: dict[str, str]) -> dict[str, str]:
    """Return the headers with those of caching: a strong tag, and ``no-cache``."""
    tag = _entity_tag(body, headers.get("link", ""))
    return {**headers, "etag": tag, "cache-control": "private, no-cache"}


def cacheable_answer(scope: Scope, body: bytes, headers: dict[str, str]) -> Response:
    """Return a 200, or a 304 when the client's copy has the ``etag`` in headers."""
    for name, value in scope["headers"]:
        if name == b"if-none-match" and _matches(value.decode("latin-1"), headers["etag"]):
            return Response(None, 304, headers)
    return json_answer(body, headers=headers)


def problem_answer(problem: Problem, *, extended: bool) -> Response:
    """Return an Error body."""
    body = problem.body(extended=extended)
    headers = {"cache-control": "no-store", **problem.headers}
    return json_answer(body, status=problem.status, headers=headers)


def _entity_tag(body: bytes, link: str) -> str:
    # A further pet may leave a page as it is and give it a next page: the Link is hashed too.
    digest = hashlib.blake2b(body, digest_size=12)
    digest.update(b"\n" + link.encode())
    return f'"{digest.hexdigest()}"'


def _matches(condition: str, tag: str) -> bool:
    if condition.strip() == "*":
        return True
    return tag in {entry.strip().removeprefix("W/") for entry in condition.split(",")}
