"""The OpenAPI document describes what the service does, and the service does nothing else."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack, closing
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings

import petstore_frame as pf
from petstore_frame.service import rules
from petstore_frame.service.openapi import document_json

EXAMPLES = 50
VALID_LISTING = re.compile(r"(limit=([1-9]|[1-9][0-9]|100))?&?(status=(available|pending|sold))?")
RESPONSES = {
    "listPets": {"200", "401"},
    "createPet": {"201", "400", "401"},
    "getPet": {"200", "401", "404"},
}


def document(*, extended: bool = True) -> dict[str, Any]:
    described = json.loads(document_json("http://127.0.0.1/v1"))
    return described if extended else without_extensions(described)


def without_extensions(value: Any) -> Any:
    """Leave out what the document marks as beyond the interface."""
    if isinstance(value, dict):
        kept = {name: without_extensions(entry) for name, entry in value.items()}
        return {name: entry for name, entry in kept.items() if not is_extension(entry)}
    if isinstance(value, list):
        return [without_extensions(entry) for entry in value if not is_extension(entry)]
    return value


def is_extension(value: Any) -> bool:
    return isinstance(value, dict) and value.get("x-extension") is True


def operations(described: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        operation["operationId"]: {"path": path, "method": method, **operation}
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict)
    }


def test_the_document_is_served(api) -> None:
    """The file and the answer are the same but for the address."""
    served = api.get("/openapi.json").json()
    assert served.pop("servers")[0]["url"] == str(api.base_url).rstrip("/")
    assert served == {k: v for k, v in document().items() if k != "servers"}


def test_what_is_stated_is_in_the_document() -> None:
    """The three operations with their stated answers; getPet is deprecated; bearer for all."""
    described = document()
    found = operations(described)
    assert all(set(found[name]["responses"]) >= stated for name, stated in RESPONSES.items())
    assert found["getPet"]["deprecated"] is True
    assert described["security"] == [{"bearer": []}]
    assert described["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert described["info"]["version"] == "1.0.0"


def test_the_numbers_are_those_of_the_code() -> None:
    """Limits, lengths and statuses are written twice and equal."""
    described = document()
    limit = operations(described)["listPets"]["parameters"][0]["schema"]
    new_pet = described["components"]["schemas"]["NewPet"]["properties"]
    assert (limit["minimum"], limit["maximum"]) == (rules.LIMIT_MIN, rules.LIMIT_MAX)
    assert limit["default"] == rules.LIMIT_DEFAULT
    assert new_pet["name"]["maxLength"] == rules.MAX_NAME_LENGTH
    assert (new_pet["categoryId"]["minimum"], new_pet["categoryId"]["maximum"]) == (
        rules.INT64_MIN,
        rules.INT64_MAX,
    )
    assert tuple(described["components"]["schemas"]["PetStatus"]["enum"]) == rules.PET_STATUSES


def test_the_routes_are_those_of_the_document(tmp_path) -> None:
    """Each operation is a route with the same name, method and path."""
    from petstore_frame.service.addresses import Addresses
    from petstore_frame.service.app import build_app
    from petstore_frame.service.keys import KeyBook, KeyRing
    from petstore_frame.service.options import Options
    from petstore_frame.service.store import Store
    from petstore_frame.service.tables import open_database

    engine = open_database(f"sqlite:///{tmp_path}/store.sqlite3")
    addresses = Addresses("http://127.0.0.1:80/v1", None)
    with closing(Store(engine)) as store:
        guard = build_app(store, KeyRing(KeyBook(engine)), Options(), addresses)
    routed = {
        (route.name, route.path.replace("pet_id", "petId"), *(route.methods - {"HEAD"}))
        for route in guard.app.routes
        if route.path.startswith("/v1")
    }
    described = {
        (name, "/v1" + operation["path"], operation["method"].upper())
        for name, operation in operations(document()).items()
    }
    engine.dispose()
    assert routed == described


def test_without_extensions_the_document_is_the_interface() -> None:
    """What is not marked x-extension is what the interface states, or HTTP asks for."""
    found = operations(document(extended=False))
    assert set(found) == set(RESPONSES)
    names = {name: [p["name"] for p in op["parameters"]] for name, op in found.items()}
    assert names == {"listPets": ["limit", "status"], "createPet": [], "getPet": ["petId"]}
    headers = [r.get("headers", {}) for op in found.values() for r in op["responses"].values()]
    assert not any(headers)


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("operation_id", list(RESPONSES))
@pytest.mark.parametrize("extended", [True, False], ids=["full", "spec-only"])
def test_made_up_requests_are_answered_as_described(
    contract_servers, extended, operation_id, mode, campaign
) -> None:
    """Schemathesis: each answer to valid and to invalid data is one that the document has."""
    server = contract_servers[extended, mode]
    check_operation(server, operation_id, mode, extended, EXAMPLES * campaign)


@pytest.fixture(scope="module")
def contract_servers(tmp_path_factory):
    """Strict for invalid data: only so are unknown names refused, as Schemathesis expects."""
    folder = tmp_path_factory.mktemp("contract")
    with ExitStack() as stack:
        yield {
            (extended, mode): stack.enter_context(
                pf.serve(
                    database=folder / f"{mode}{extended}.sqlite3",
                    sample=30,
                    spec_only=not extended,
                    strict=mode == "negative",
                )
            )
            for extended in (True, False)
            for mode in ("positive", "negative")
        }


def check_operation(
    server: pf.Server, operation_id: str, mode: str, extended: bool, examples: int
) -> None:
    """Send made-up requests for one operation and check each answer against the document."""
    import schemathesis
    from schemathesis import GenerationMode

    described = document(extended=extended)
    for operation in described["paths"]["/pets"].values():
        # What makes these valid lies in earlier requests, which no schema can say.
        operation["parameters"] = [
            entry
            for entry in operation["parameters"]
            if entry["name"] not in ("cursor", "Idempotency-Key", "X-Store-Id")
        ]
    schema = schemathesis.openapi.from_dict(described)
    operation = schema.find_operation_by_id(operation_id)
    headers = {"Authorization": f"Bearer {server.api_key.get_secret_value()}"}

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=GenerationMode(mode)))
    def send(case: Any) -> None:
        answer = case.call(base_url=server.base_url, headers=headers)
        # Some invalid data, such as an empty list, leaves no trace in an address.
        if mode == "negative" and operation_id == "listPets":
            assume(not VALID_LISTING.fullmatch(urlsplit(str(answer.request.url)).query))
        case.validate_response(answer)

    send()
    alive = httpx.get(f"{server.base_url}/pets", headers=headers)
    assert alive.status_code == 200
