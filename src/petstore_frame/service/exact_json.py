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
        return json.loads(await self.body(), parse_float=Decimal)


class ExactRoute(APIRoute):
    """A route that reads each body with ``_ExactRequest``."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_exactly(request: Request) -> Response:
            return await handle(_ExactRequest(request.scope, request.receive))

        return handle_exactly
