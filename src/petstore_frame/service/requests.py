"""How a request is read: who asks, each parameter once and plain, a body strictly as JSON."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Annotated, Any, NoReturn

from fastapi import Depends, Request, Response
from fastapi.requests import HTTPConnection
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer

from petstore_frame.service.errors import Refusal, invalid_parameter
from petstore_frame.service.keys import hash_key
from petstore_frame.service.models import NewPet
from petstore_frame.service.options import Options
from petstore_frame.service.store import Store

MAX_BODY_BYTES = 64 * 1024
MAX_UNREAD_BYTES = 1024 * 1024
"""Of a body that is too large so much is read: a proxy reads the answer after it has sent all."""
_FIELDS = {field.alias or name for name, field in NewPet.model_fields.items()}


def get_options(request: HTTPConnection) -> Options:
    options: Options = request.app.state.options
    return options


async def get_store(request: HTTPConnection) -> Store:
    store: Store = request.app.state.store
    return store


StoreOf = Annotated[Store, Depends(get_store)]


class ApiKey(HTTPBearer):
    """The credential of every operation.

    Interface: Authentication.
    """

    async def __call__(self, request: HTTPConnection) -> None:
        """Let a request with a valid key pass.

        Raises:
            Refusal: 401 for a missing or invalid key.
        """
        sent = request.headers.getlist("authorization")
        if not sent:
            message = "send the API key as Authorization: Bearer <API_KEY>"
            raise Refusal(401, message, headers={"www-authenticate": "Bearer"})
        scheme, _, key = sent[0].partition(" ")
        is_bearer = len(sent) == 1 and scheme.lower() == "bearer"
        if not is_bearer or not await _is_valid(request, key.strip()):
            challenge = {"www-authenticate": 'Bearer error="invalid_token"'}
            raise Refusal(401, "the API key is not valid", headers=challenge)
        request.state.is_known = True


require_key = ApiKey(scheme_name="bearer", description="The API key", auto_error=False)


async def _is_valid(request: HTTPConnection, key: str) -> bool:
    own = get_options(request).api_key
    if own and hmac.compare_digest(key.encode(), own.get_secret_value().encode()):
        return True
    # Looked up by its hash: how alike two keys are shows in no timing.
    return await (await get_store(request)).is_valid_key(hash_key(key))


def base_of(request: Request) -> str:
    """Return what stands before ``/pets`` in an address of the answer.

    A Host that is not the one that was connected to never appears in it: then it has none.
    """
    public_url = get_options(request).public_url
    if public_url is not None:
        return public_url.rstrip("/")
    host, port = request.scope["server"]
    own = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return f"http://{own}/v1" if request.headers.get("host", "").lower() == own else "/v1"


class JsonRequest(Request):
    """A request whose body is UTF-8 JSON of limited size."""

    _content: bytes | None = None

    async def body(self) -> bytes:
        """Return the body.

        Raises:
            Refusal: 415 for another media type or a compressed body, 413 for too much. Starlette's
                own limit would answer a stated length in plain text, and before the key is asked.
        """
        if self._content is None:
            stated = self.headers.get("content-type", "application/json").partition(";")[0]
            coding = self.headers.get("content-encoding", "identity")
            if (stated.strip().lower(), coding.lower()) != ("application/json", "identity"):
                raise Refusal(415, "the body is application/json, without Content-Encoding")
            body, size = bytearray(), int(self.headers.get("content-length", "0"))
            if size <= MAX_UNREAD_BYTES:
                size = 0
                async for chunk in self.stream():
                    size += len(chunk)
                    if size <= MAX_BODY_BYTES:
                        body += chunk
                    if size > MAX_UNREAD_BYTES:
                        break
            if size > MAX_BODY_BYTES:
                message = f"the body is larger than {MAX_BODY_BYTES} bytes"
                raise Refusal(413, message, headers={"connection": "close"})
            self._content = bytes(body)
        return self._content

    async def json(self) -> Any:
        """Return the value of the body.

        What json leaves open is refused here: other encodings, duplicate keys and NaN. Too much
        nesting is its own RecursionError, and a number of more than 4,300 digits its ValueError.
        """
        value = _DECODER.decode((await self.body()).decode())
        if isinstance(value, dict) and get_options(self).strict:
            for name in value.keys() - _FIELDS:
                raise Refusal(400, f"the field {name[:40]!r} is not known", field="body")
        return value


class StrictRoute(APIRoute):
    """A route that takes each parameter once, and bodies as ``JsonRequest`` reads them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        query = {parameter.alias for parameter in self.dependant.query_params}
        headers = {parameter.alias for parameter in self.dependant.header_params}

        async def read_strictly(plain: Request) -> Response:
            request = JsonRequest(plain.scope, plain.receive)
            names = [name for name, _ in request.query_params.multi_items()]
            for name in names:
                if name not in query and get_options(request).strict:
                    raise invalid_parameter("query", f"has an unknown parameter {name[:40]!r}")
                if name in query and names.count(name) > 1:
                    raise invalid_parameter(name, "is given more than once")
            for name in headers:
                if len(request.headers.getlist(name)) > 1:
                    raise invalid_parameter(name, "is given more than once")
            return await handle(request)

        return read_strictly


def plain_digits(text: Any) -> Any:
    """Take a whole number in its one plain spelling: no sign but -, no leading zero, no space."""
    if isinstance(text, str) and not re.fullmatch(r"-?[1-9][0-9]{0,18}|0", text, re.ASCII):
        raise ValueError("is not a whole number in plain digits")
    return text


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise json.JSONDecodeError("a key appears twice in one object", "", 0)
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", "", 0)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys,
    parse_float=Decimal,  # exact, and a huge exponent costs nothing
    parse_constant=_refuse_constant,
)
