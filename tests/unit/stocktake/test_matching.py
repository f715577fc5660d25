"""Which pet each record is: by key exactly, by equal fields only where no choice is left."""

from __future__ import annotations

from typing import Any

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.schema.frame import PetColumns, as_dtypes, to_frame
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.stocktake.matching import Kind, match_by_key, match_on

ON = ("name", "category_id")


def listed(*rows: tuple[Any, ...], problem: str | None = None) -> pd.DataFrame:
    """Records of key, name, category and status, in lines from 2 on."""
    frame = pd.DataFrame(rows, columns=["key", "name", "category_id", "status"])
    frame = frame.reindex(columns=["key", *(field.name for field in SENT_FIELDS)])
    dtypes = {"key": "str", "name": "str", "category_id": "Int64", "status": "str"}
    frame = as_dtypes(frame, dtypes)
    places = {"record": range(1, len(frame) + 1), "line": range(2, len(frame) + 2)}
    return frame.assign(**places, problem=pd.Series(problem, index=frame.index, dtype="str"))


def stored(*rows: tuple[Any, ...]) -> pd.DataFrame:
    """Pets of id, name, category and status, as an inventory has them."""
    return to_frame(PetColumns(*zip(*rows, strict=True)))


def keys(**known: int | None) -> pd.DataFrame:
    """The table of keys; one without an id is in doubt."""
    ids = pd.array(list(known.values()), dtype="Int64")
    frame = pd.DataFrame({"key": list(known), "id": ids}).astype({"key": "str"})
    return frame.assign(is_in_doubt=frame["id"].isna())


def kinds(table: pd.DataFrame) -> list[str]:
    return list(table["kind"])


def test_a_key_leads_to_its_pet_whatever_else_is_alike() -> None:
    """Two equal records are two animals where their keys say so, and neither takes the other's."""
    found = match_by_key(
        listed(("a", "Rex", 1, "sold"), ("b", "Rex", 1, "sold")),
        keys(b=1, a=2),
        stored((1, "Rex", 1, "sold"), (2, "Rex", 1, "sold")),
    )
    assert list(found["id"]) == [2, 1]
    assert kinds(found) == [Kind.SAME, Kind.SAME]


def test_each_field_that_differs_is_named() -> None:
    """A changed pet is one row that holds both sides."""
    found = match_by_key(
        listed(("a", "Rex", 1, "sold")), keys(a=1), stored((1, "Max", 1, "pending"))
    )
    assert kinds(found) == [Kind.CHANGED]
    assert found.loc[0, "difference"] == "name, status"
    assert found.loc[0, "status_in_store"] == "pending"


def test_what_a_list_leaves_empty_differs_from_nothing() -> None:
    """An empty status states none, so whatever the store made of it is no change."""
    found = match_by_key(
        listed(("a", "Rex", 1, None)), keys(a=1), stored((1, "Rex", 1, "available"))
    )
    assert kinds(found) == [Kind.SAME]


def test_a_status_that_the_store_lacks_is_a_change() -> None:
    """What the list states and the store does not is a difference."""
    found = match_by_key(listed(("a", "Rex", 1, "sold")), keys(a=1), stored((1, "Rex", 1, None)))
    assert found.loc[0, "difference"] == "status"


def test_a_key_without_a_pet_is_only_in_the_list() -> None:
    """Unknown keys, and pets that are gone, are in the list alone; other pets in the store."""
    found = match_by_key(
        listed(("new", "Rex", 1, "sold"), ("gone", "Max", 1, "sold")),
        keys(gone=7),
        stored((9, "Ben", 1, "sold")),
    )
    assert kinds(found) == [Kind.ONLY_IN_LIST, Kind.ONLY_IN_LIST, Kind.ONLY_IN_STORE]


def test_a_key_in_doubt_stays_in_doubt() -> None:
    """What an import left open is not decided by an equal pet, but the two are one entry."""
    found = match_by_key(
        listed(("a", "Rex", 1, "sold")),
        keys(a=None),
        stored((1, "Rex", 1, "sold"), (2, "Rex", 1, "sold"), (3, "Max", 1, "sold")),
    )
    assert kinds(found) == [Kind.IN_DOUBT, Kind.ONLY_IN_STORE, Kind.ONLY_IN_STORE]


def test_ids_of_any_size_stand_beside_an_unknown_key() -> None:
    """A key without a pet turns no id of 64 bits into a float, so no pet is counted twice."""
    big = 2**53
    found = match_by_key(
        listed(("a", "Rex", 1, "sold"), ("new", "Ben", 1, "sold")),
        keys(a=big + 1),
        stored((big + 1, "Rex", 1, "sold"), (big, "Max", 1, "sold")),
    )
    assert kinds(found) == [Kind.SAME, Kind.ONLY_IN_LIST, Kind.ONLY_IN_STORE]
    assert found["id"].dropna().tolist() == [big + 1, big]


def test_what_a_list_does_not_state_leaves_groups_equal() -> None:
    """Equal records without a status match as many pets of any status, as a single one does."""
    luna = (None, "Luna", 1, None)
    found = match_on(
        listed(luna, luna, (None, "Luna", 1, "pending")),
        stored((1, "Luna", 1, "sold"), (2, "Luna", 1, "pending"), (3, "Luna", 1, None)),
        ON,
    )
    assert kinds(found) == [Kind.SAME] * 3


def test_of_a_part_of_the_store_no_pair_is_called_changed() -> None:
    """Where pets were not read, one that differs may be another animal of the same name."""
    rows = listed((None, "Rex", 1, "sold"), (None, "Max", 1, "sold"))
    pets = stored((4, "Rex", 1, "pending"), (5, "Max", 1, "sold"))
    found = match_on(rows, pets, ON, is_whole=False)
    assert sorted(kinds(found)) == [Kind.AMBIGUOUS, Kind.AMBIGUOUS, Kind.SAME]


def test_an_invalid_record_still_is_its_pet() -> None:
    """A record with a mistake is told as such, and its pet is not called a stranger."""
    found = match_by_key(
        listed(("a", None, None, None), problem="name: missing"),
        keys(a=1),
        stored((1, "Rex", 1, "sold")),
    )
    assert kinds(found) == [Kind.INVALID]


def test_three_here_and_two_there_are_ambiguous() -> None:
    """Equal records that are more than their equals are counted, never paired by chance."""
    luna = (None, "Luna", 1, "sold")
    found = match_on(
        listed(luna, luna, luna), stored((1, "Luna", 1, "sold"), (2, "Luna", 1, "sold")), ON
    )
    assert kinds(found) == [Kind.AMBIGUOUS] * 5
    assert found["record"].notna().sum() == 3


def test_as_many_equal_ones_on_both_sides_are_the_same() -> None:
    """Whichever is which, nothing differs; so no id is told."""
    luna = (None, "Luna", 1, "sold")
    found = match_on(listed(luna, luna), stored((1, "Luna", 1, "sold"), (2, "Luna", 1, "sold")), ON)
    assert kinds(found) == [Kind.SAME, Kind.SAME]
    assert found["id"].isna().all()


def test_the_only_one_of_each_side_is_a_pair() -> None:
    """One record and one pet that are equal in the fields named are one animal."""
    found = match_on(listed((None, "Rex", 1, "sold")), stored((4, "Rex", 1, "pending")), ON)
    assert list(found["id"]) == [4]
    assert kinds(found) == [Kind.CHANGED]


animals = st.tuples(
    st.sampled_from(["Rex", "Luna"]), st.integers(1, 2), st.sampled_from([None, "sold", "pending"])
)


@given(ours=st.lists(animals, max_size=8), theirs=st.lists(animals, max_size=8))
def test_each_record_stands_once_and_each_pet_is_accounted_for(ours, theirs) -> None:
    """No record is lost or repeated, and pets are as many as pairs, rest and equals say."""
    records = listed(*((None, *animal) for animal in ours))
    pets = stored(*((at, *animal) for at, animal in enumerate(theirs)))
    found = match_on(records, pets, ON)
    there = found["record"].notna()
    equals = (there & found["kind"].eq(Kind.SAME) & found["id"].isna()).sum()
    assert sorted(found.loc[there, "record"]) == list(range(1, len(ours) + 1))
    assert found["id"].dropna().is_unique
    assert found["id"].notna().sum() + equals == len(theirs)
