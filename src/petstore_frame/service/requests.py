"""How a request is read: who asks, each parameter once and plain, a body strictly as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Annotated, Any, NoReturn

from fastapi import Depends, Request, Response
from fastapi.requests import HTTPConnection
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer

from petstore_frame.service.errors import Refusal
from petstore_frame.service.keys import hash_key
from petstore_frame.service.models import NewPet
from petstore_frame.service.options import Options
from petstore_frame.service.store import Store

MAX_BODY_BYTES = 64 * 1024
# Of a body that is too large so much is read: a proxy reads the answer after it has sent all.
MAX_READ_BYTES = 1024 * 1024
_FIELDS = {field.alias or name for name, field in NewPet.model_fields.items()}


def options_of(request: HTTPConnection) -> Options:
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
            raise Refusal("unauthorized", message, headers={"www-authenticate": "Bearer"})
        scheme, _, key = sent[0].partition(" ")
        is_valid = len(sent) == 1 and scheme.lower() == "bearer"
        # Compared by its hash: how alike two keys are shows in no timing.
        sent_hash, own = hash_key(key.strip()), options_of(request).api_key
        if is_valid and not (own and sent_hash == hash_key(own.get_secret_value())):
            is_valid = await (await get_store(request)).is_valid_key(sent_hash)
        if not is_valid:
            challenge = {"www-authenticate": 'Bearer error="invalid_token"'}
            raise Refusal("unauthorized", "the API key is not valid", headers=challenge)
        request.state.is_known = True


require_key = ApiKey(scheme_name="bearer", description="The API key", auto_error=False)


async def take_each_once(request: Request) -> None:
    """Refuse a parameter that is given twice, and with --strict one that is not known."""
    known = request.scope["route"].dependant
    names = [name for name, _ in request.query_params.multi_items()]
    headers = request.headers.keys()
    for sent, parameters in ((names, known.query_params), (headers, known.header_params)):
        for name in (parameter.alias for parameter in parameters):
            if sent.count(name) > 1:
                raise Refusal("invalid_parameter", "is given more than once", field=name)
    unknown = {*names} - {parameter.alias for parameter in known.query_params}
    if unknown and options_of(request).strict:
        message = f"has an unknown parameter {min(unknown)[:40]!r}"
        raise Refusal("invalid_parameter", message, field="query")


def base_of(request: Request) -> str:
    """Return what stands before ``/pets`` in an address of the answer.

    A Host that is not the one that was connected to never appears in it: then it has none.
    """
    public_url = options_of(request).public_url
    if public_url is not None:
        return public_url.rstrip("/")
    host, port = request.scope["server"]
    own = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return f"http://{own}/v1" if request.headers.get("host", "").lower() == own else "/v1"


class JsonRequest(Request):
    """A request whose body is UTF-8 JSON of limited size, with nothing that is read in two ways.

    Too much nesting is Python's own RecursionError, and a number of more than 4,300 digits its
    ValueError.
    """

    async def json(self) -> Any:
        value = _DECODER.decode((await self.body()).decode())
        if isinstance(value, dict) and options_of(self).strict:
            for name in value.keys() - _FIELDS:
                message = f"has an unknown field {name[:40]!r}"
                raise Refusal("invalid_request", message, field="body")
        return value

    async def body(self) -> bytes:
        """Return the body.

        Raises:
            Refusal: 415 for another media type or a compressed body, 413 for too much. Starlette's
                own limit would answer a stated length in plain text, and before the key is asked.
        """
        stated = self.headers.get("content-type", "application/json").partition(";")[0]
        coding = self.headers.get("content-encoding", "identity")
        if (stated.strip().lower(), coding.lower()) != ("application/json", "identity"):
            message = "the body is application/json, without Content-Encoding"
            raise Refusal("unsupported_media_type", message)
        body, size = bytearray(), int(self.headers.get("content-length", "0"))
        if size <= MAX_READ_BYTES:
            async for chunk in self.stream():
                body += chunk
                if len(body) > MAX_READ_BYTES:
                    break
        if max(size, len(body)) > MAX_BODY_BYTES:
            message = f"the body is larger than {MAX_BODY_BYTES} bytes"
            raise Refusal("payload_too_large", message, headers={"connection": "close"})
        self._body = bytes(body)
        return self._body


class JsonRoute(APIRoute):
    """A route whose bodies are read as ``JsonRequest`` reads them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def read_strictly(request: Request) -> Response:
            return await handle(JsonRequest(request.scope, request.receive))

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


def _read_fraction(text: str) -> int | Decimal:
    """Read ``1.0`` as 1, as JSON Schema does, and exactly; a huge exponent costs nothing."""
    value = Decimal(text)
    return int(value) if abs(value) <= 2**63 and value % 1 == 0 else value


def _refuse_constant(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", "", 0)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_float=_read_fraction, parse_constant=_refuse_constant
)
