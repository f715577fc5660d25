"""Reads bodies of type application/json without rounding their numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from petstore_frame.service.error_responses import NOT_JSON, Refusal


class _ExactRequest(Request):
    """A request whose JSON numbers with a decimal point or an exponent are Decimals."""

    async def json(self) -> Any:
        media_type = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":  # FastAPI also reads types such as hal+json
            raise Refusal("invalid_json", NOT_JSON)
        # As floats, 9007199254740993.0 and 1.00000000000000001 would become different numbers.
        return json.loads(
            await self.body(), parse_float=Decimal, object_pairs_hook=_object_of_pairs
        )


def _object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; refuse one with a repeated name, whose meaning RFC 8259 leaves open."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise Refusal("invalid_json", f"the name {name[:40]!a} appears twice in one object")
        values[name] = value
    return values


class ExactRoute(APIRoute):
    """A route that reads each body with ``_ExactRequest``."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_exactly(request: Request) -> Response:
            return await handle(_ExactRequest(request.scope, request.receive))

        return handle_exactly
