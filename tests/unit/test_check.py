"""What one record becomes, before any request."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from petstore_frame import NewPet
from petstore_frame.loader.reading.check import Checker
from petstore_frame.loader.reading.options import Rules
from petstore_frame.loader.reading.tables import NUMBER_NOTE, Aside, Row
from petstore_frame.loader.record import Record, State, Suspicion

MAPPING = {"name": "name", "category_id": "categoryId", "status": "status"}


RULES = Rules(accept=frozenset(Suspicion))


def check(*cells: str) -> Record:
    return Checker(tuple(MAPPING.values()), MAPPING, RULES).judge(1, Row(2, cells))


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\r\t"\\'))
STATUS = st.sampled_from(["available", "pending", "sold", None])


@given(TEXT, st.integers(-(2**63), 2**63 - 1), STATUS)
def test_payload_is_the_models_bytes(name: str, category: int, status: str | None) -> None:
    """A payload equals ``NewPet.to_json`` byte for byte."""
    record = check(name, str(category), status or "")
    if not name.strip():
        assert record.state is not State.PENDING
        return
    pet = NewPet(name=name.strip(), category_id=category, status=status)
    assert record.payload == pet.to_json()


@given(st.lists(st.tuples(TEXT, st.sampled_from(["3", "007", "cat", ""]), st.sampled_from(
    ["sold", "Sold", "avail", ""]))))  # fmt: skip
def test_short_way_equals_long_way(rows: list[tuple[str, str, str]]) -> None:
    """The quick way for plain records gives what the long way gives."""
    cells = [list(row) for row in rows for _ in range(2)]
    quick, slow = (
        [
            record
            for records in Checker(tuple(MAPPING.values()), MAPPING, RULES).batches(
                Row(line, each, aside) for line, each in enumerate(cells, 2)
            )
            for record in records
        ]
        for aside in (None, Aside())
    )
    assert quick == slow
    assert [(r.number, r.line) for r in quick] == [(i + 1, i + 2) for i in range(len(cells))]


def test_a_number_where_one_belongs_is_a_plain_cell() -> None:
    """A typed number is read as its text; only as a name it is noted, and beside it nothing is."""
    columns = ("name", "categoryId", "note")
    cells = ("7", "3", "8")
    for places, notes in (((1, 2), ()), ((0, 1), (NUMBER_NOTE,))):
        checker = Checker(columns, {"name": "name", "category_id": "categoryId"}, RULES)
        row = Row(2, cells, Aside(dict.fromkeys(places, NUMBER_NOTE)))
        (records, _) = checker.batches([row, row])
        assert [(record.payload, record.notes) for record in records] == [
            (b'{"name":"7","categoryId":3}', notes)
        ] * 2


def test_a_key_of_several_columns_is_a_list_of_their_texts() -> None:
    """It is the same by the quick way and the long one, and missing where one of them is."""
    columns = ("name", "categoryId", "branch", "tag")
    checker = Checker(columns, {"name": "name", "category_id": "categoryId"}, RULES, columns[2:])
    cells = [("Rex", "3", " Köln", "7"), ("Rex", "3", 'a "b"', "7"), ("Rex", "3", "Köln", "")]
    rows = [Row(line, each) for line, each in enumerate([*cells, *cells], 2)]
    found = [record.key for records in checker.batches(rows) for record in records]
    assert found == ['["Köln", "7"]', '["a \\"b\\"", "7"]', None] * 2
