"""How a body is read: never much more than is allowed, and strictly as JSON.

FastAPI reads a body through its request class; this is that class, and the route that uses it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Any, NoReturn

from fastapi import Request, Response
from fastapi.routing import APIRoute

from petstore_frame.service.errors import Refusal

MAX_BODY_BYTES = 64 * 1024


class JsonRequest(Request):
    """A request whose body is UTF-8 JSON of limited size."""

    _content: bytes | None = None

    async def body(self) -> bytes:
        """Return the body.

        Raises:
            Refusal: 415 for another media type or a compressed body, 413 for too much.
        """
        if self._content is None:
            self._check_headers()
            body = bytearray()
            async for chunk in self.stream():
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    raise _too_large()
            self._content = bytes(body)
        return self._content

    async def json(self) -> Any:
        """Return the value of the body.

        What json leaves open is refused here: other encodings, duplicate keys and NaN. Too much
        nesting is its own RecursionError, and a number of more than 4,300 digits its ValueError.
        """
        return json.loads(
            (await self.body()).decode(),
            object_pairs_hook=_unique_keys,
            parse_float=Decimal,  # exact, and a huge exponent costs nothing
            parse_constant=_refuse_constant,
        )

    def _check_headers(self) -> None:
        stated = self.headers.get("content-type")
        if stated is not None and stated.split(";")[0].strip().lower() != "application/json":
            raise Refusal(415, "the body is application/json")
        if self.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise Refusal(415, "the body is sent without Content-Encoding")
        if int(self.headers.get("content-length", "0")) > MAX_BODY_BYTES:
            raise _too_large()


class JsonRoute(APIRoute):
    """A route whose bodies are read by ``JsonRequest``."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def read_as_json(request: Request) -> Response:
            return await handle(JsonRequest(request.scope, request.receive))

        return read_as_json


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise json.JSONDecodeError("a key appears twice in one object", "", 0)
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", "", 0)


def _too_large() -> Refusal:
    return Refusal(
        413, f"the body is larger than {MAX_BODY_BYTES} bytes", headers={"connection": "close"}
    )
