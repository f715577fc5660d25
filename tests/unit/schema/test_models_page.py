"""A page is read by two readers of one schema, and the quick one takes nothing that is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.errors import ContractError
from petstore_frame.schema import Pet, PetColumns
from petstore_frame.schema.columns import _EXACT_PAGE, _PAGE

INTS = st.integers() | st.sampled_from([-(2**63), 2**63 - 1, 2**63, -(2**63) - 1])
VALUES = INTS | st.text() | st.booleans() | st.none() | st.floats() | st.lists(st.none())
PETS = st.fixed_dictionaries(
    {},
    optional={
        "id": INTS | VALUES,
        "name": st.text() | VALUES,
        "categoryId": INTS | VALUES,
        "category_id": INTS,
        "status": st.sampled_from(["available", "sold", "resting", None]) | VALUES,
        "extra": VALUES,
    },
)


@given(st.lists(PETS, max_size=3) | VALUES)
def test_the_quick_reader_is_as_strict(page: object) -> None:
    """What msgspec reads, pydantic reads too, and to the same pets."""
    body = json.dumps(page).encode()
    try:
        pets = _PAGE.decode(body)
    except ValueError:
        return
    explained = _EXACT_PAGE.validate_json(body, by_name=False)
    assert [fields(pet) for pet in pets] == [fields(pet) for pet in explained]


def fields(pet: Any) -> tuple[object, ...]:
    return (pet.id, pet.name, pet.category_id, pet.status)


@pytest.mark.parametrize(
    ("pet", "field"),
    [
        ('{"id": true, "name": "Luna", "categoryId": 1}', "id"),
        ('{"id": 9223372036854775808, "name": "Luna", "categoryId": 1}', "id"),
        ('{"id": 1.5, "name": "Luna", "categoryId": 1}', "id"),
        ('{"id": 1, "name": null, "categoryId": 1}', "name"),
        ('{"id": 1, "name": "Luna"}', "categoryId"),
        ('{"id": 1, "name": "Luna", "category_id": 1}', "categoryId"),  # Python's name of it
        ('{"id": 1, "name": "Luna", "categoryId": "1"}', "categoryId"),
        ('{"id": 1, "name": "Luna", "categoryId": 1, "status": 7}', "status"),
    ],
)
def test_a_broken_pet_is_named(pet: str, field: str) -> None:
    """The error has page, position and field, however quick the reader that refused it."""
    whole = '{"id": 1, "name": "Luna", "categoryId": 1}'
    with pytest.raises(ContractError, match=f"page 4, pet 2, {field}") as caught:
        PetColumns.from_json(f"[{whole}, {pet}]".encode(), operation="GET /pets", page=4)
    assert (caught.value.page, caught.value.position, caught.value.field) == (4, 2, field)
    with pytest.raises(ContractError, match=field):
        Pet.from_json(pet.encode(), operation="GET /pets/1")


def test_an_integer_may_be_written_as_a_float() -> None:
    """``1.0`` is an integer to JSON Schema, and an unknown status is kept as it is."""
    body = b'[{"id": 7.0, "name": "Luna", "categoryId": 1e1, "status": "resting"}]'
    page = PetColumns.from_json(body, operation="GET /pets")
    assert page[:4] == ([7], ["Luna"], [10], ["resting"])
