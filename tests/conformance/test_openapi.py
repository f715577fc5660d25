"""The OpenAPI document that the code gives, held to the interface operation by operation."""

from __future__ import annotations

import re
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings

from petstore_frame.service.app import create_app, describe_app
from petstore_frame.service.options import Options
from petstore_frame.service.store import open_database
from threaded import serve

EXAMPLES = 15
VALID_LISTING = re.compile(r"(limit=([1-9]|[1-9][0-9]|100))?&?(status=(available|pending|sold))?")
INT64 = {"type": "integer", "format": "int64"}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
# The interface, Endpoints 1 to 3: method, path, parameters with their schemas, body, answers.
STATED: dict[str, list[Any]] = {
    "listPets": [
        ("get", "/pets", None),
        {
            ("query", "limit", False): LIMIT,
            ("query", "status", False): {"$ref": "#/components/schemas/PetStatus"},
        },
        None,
        {"200": "Pets", "401": "Error"},
    ],
    "createPet": [
        ("post", "/pets", None), {}, "NewPet", {"201": "Pet", "400": "Error", "401": "Error"},
    ],
    "getPet": [
        ("get", "/pets/{petId}", True), {("path", "petId", True): INT64}, None,
        {"200": "Pet", "401": "Error", "404": "Error"},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def described(tmp_path_factory) -> dict[str, Any]:
    place = tmp_path_factory.mktemp("described") / "store.sqlite3"
    return describe_app(create_app(Options(), open_database(str(place))), "http://127.0.0.1/v1")


def without_extensions(value: Any) -> Any:
    """Leave out what the document describes as an extension, beyond the interface."""

    def is_kept(part: Any) -> bool:
        words = part.get("description") if isinstance(part, dict) else None
        return not str(words).startswith("Extension: ")

    if isinstance(value, dict):
        return {name: without_extensions(part) for name, part in value.items() if is_kept(part)}
    if isinstance(value, list):
        return [without_extensions(part) for part in value if is_kept(part)]
    return value


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        operation["operationId"]: {"place": (method, path), **operation}
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema demands, without its words and without the null of an absent value."""
    kept = {k: v for k, v in schema.items() if k not in ("title", "description")}
    choices = [choice for choice in kept.pop("anyOf", []) if choice != {"type": "null"}]
    return {**kept, **(choices[0] if choices else {})}


def fields(schema: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """Return the fields of a body, and which of them are required."""
    shown = {name: plain(field) for name, field in schema["properties"].items()}
    return shown, {*schema["required"]}


def body_name(content: dict[str, Any]) -> str:
    """Return the name of a body's schema; an array of Pet is Pets."""
    schema = content["application/json"]["schema"]
    name = (schema.get("items") or schema)["$ref"].rpartition("/")[2]
    return "Pets" if schema.get("type") == "array" and name == "Pet" else name


@pytest.mark.parametrize("operation_id", STATED)
def test_an_operation_is_what_the_interface_states(described, operation_id) -> None:
    """Name, place, deprecation, parameters, body, answers: without extensions, exactly these."""
    found = operations(without_extensions(described))[operation_id]
    parameters = {
        (entry["in"], entry["name"], entry["required"]): plain(entry["schema"])
        for entry in found.get("parameters", [])
    }
    body = found.get("requestBody")
    answers = {status: body_name(each["content"]) for status, each in found["responses"].items()}
    place = (*found["place"], found.get("deprecated"))
    assert [place, parameters, body and body_name(body["content"]), answers] == STATED[operation_id]


def test_no_operation_is_added_and_each_needs_the_key(described) -> None:
    """The three operations, with HTTP bearer, and no 422 of a framework's validation."""
    found = operations(described)
    assert set(found) == set(STATED)
    assert "HTTPValidationError" not in described["components"]["schemas"]
    assert all("422" not in each["responses"] for each in found.values())
    schemes = described["components"]["securitySchemes"].values()
    assert [(each["type"], each["scheme"]) for each in schemes] == [("http", "bearer")]
    assert all(each["security"] == [{"bearer": []}] for each in found.values())


def test_the_bodies_are_what_the_interface_states(described) -> None:
    """Resources and Errors: fields, types, which are required; the version; the removal's date."""
    schemas = without_extensions(described["components"]["schemas"])
    pet, new_pet, error = (fields(schemas[name]) for name in ("Pet", "NewPet", "Error"))
    assert pet[0] == {**new_pet[0], "id": INT64, "name": {"type": "string"}}
    assert (new_pet[0]["categoryId"], new_pet[0]["name"]["type"]) == (INT64, "string")
    assert schemas["PetStatus"]["enum"] == ["available", "pending", "sold"]
    assert new_pet[1] == {"name", "categoryId"} == pet[1] - {"id"}
    kinds = {name: field["type"] for name, field in error[0].items()}
    assert kinds == {"code": "string", "message": "string", "status": "integer"}
    assert error[1] == set(kinds)
    assert described["info"]["version"] == "1.0.0"
    assert "5 December 2030" in operations(described)["getPet"]["description"]


@pytest.fixture(scope="module")
def contract_server(request: pytest.FixtureRequest):
    """Strict for invalid data: only so are unknown names refused, as Schemathesis expects."""
    spec_only, mode = request.param
    with serve(spec_only=spec_only, strict=mode == "negative", sample=30) as running:
        yield spec_only, mode, running


@pytest.mark.parametrize("operation_id", STATED)
@pytest.mark.parametrize(
    "contract_server", [*product((False, True), ("positive", "negative"))], indirect=True, ids=str
)
def test_made_up_requests_are_answered_as_described(
    described, contract_server, operation_id, campaign
) -> None:
    """Schemathesis: each answer to valid and to invalid data is one that the document has."""
    import schemathesis
    from schemathesis import GenerationMode

    spec_only, mode, server = contract_server
    document = without_extensions(described) if spec_only else described
    operation = operations(document)[operation_id]
    method, path = operation.pop("place")
    # What makes the others valid lies in earlier requests, which no schema can say.
    plain_ones, parameters = ("limit", "status", "petId"), operation.get("parameters", [])
    operation["parameters"] = [entry for entry in parameters if entry["name"] in plain_ones]
    if operation_id == "listPets":
        # What only requests outside HTTP's own rules get; and the interface lists 400 for
        # createPet alone: a limit out of range is a gap that we fill with it.
        refused = {"default": {"description": "Refused"}}
        operation["responses"] = refused | operation["responses"]
    schema = schemathesis.openapi.from_dict({**document, "paths": {path: {method: operation}}})
    headers = {"Authorization": f"Bearer {server.api_key.get_secret_value()}"}

    found, drawn = schema.find_operation_by_id(operation_id), GenerationMode(mode)

    @settings(
        max_examples=EXAMPLES * campaign, deadline=None, database=None, derandomize=True,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=found.as_strategy(generation_mode=drawn))
    def send(case: Any) -> None:
        answer = case.call(base_url=server.base_url, headers=headers)
        # Some invalid data, such as an empty list, leaves no trace in an address.
        if mode == "negative" and operation_id == "listPets":
            assume(not VALID_LISTING.fullmatch(urlsplit(str(answer.request.url)).query))
        case.validate_response(answer)

    send()
    assert httpx.get(f"{server.base_url}/pets", headers=headers).status_code == 200
