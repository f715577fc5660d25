"""Which pet each row is: by key exactly, by equal fields only where no choice is left."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.comparison.comparison_result import KindName
from petstore_frame.comparison.pet_matching import Kind, match_by_key, match_on
from petstore_frame.schema import FIELDS, PetColumns, as_type

ON = ("name", "category_id")
REX = ("Rex", 1, "sold")


def listed(*rows: tuple[Any, ...], problem: str | None = None) -> pd.DataFrame:
    """Rows of key, name, category and status, in lines from 2 on."""
    frame = pd.DataFrame(rows, columns=["key", "name", "category_id", "status"])
    frame = frame.reindex(columns=["key", *(field.name for field in FIELDS.sent)])
    dtypes = {"key": "str", "name": "str", "category_id": "Int64", "status": "str"}
    frame = as_type(frame, dtypes)
    places = {"row": range(1, len(frame) + 1), "line": range(2, len(frame) + 2)}
    return frame.assign(**places, problem=pd.Series(problem, index=frame.index, dtype="str"))


def stored(*rows: tuple[Any, ...]) -> pd.DataFrame:
    """Pets of id, name, category and status, as an inventory has them."""
    return PetColumns.of_rows(rows).to_frame()


def keys(**known: int | None) -> pd.DataFrame:
    """The table of keys; one without an id is unconfirmed."""
    ids = pd.array(list(known.values()), dtype="Int64")
    frame = pd.DataFrame({"key": list(known), "id": ids}).astype({"key": "str"})
    return frame.assign(is_unconfirmed=frame["id"].isna())


@pytest.mark.parametrize(
    ("ours", "theirs", "difference"),
    [
        ((1, "sold"), (1, "sold"), ""),
        ((1, "sold"), (2, "pending"), "category_id, status"),
        ((1, None), (1, "available"), ""),  # an empty cell states nothing
        ((1, "sold"), (1, None), "status"),
    ],
)
def test_each_field_that_differs_is_named(ours, theirs, difference: str) -> None:
    """A changed pet is one row that holds both sides; what a list leaves empty is no change."""
    matches = match_by_key(listed(("a", "Rex", *ours)), keys(a=1), stored((1, "Rex", *theirs)))
    assert list(matches["kind"]) == [Kind.CHANGED if difference else Kind.SAME]
    assert matches.loc[0, "difference"] == difference
    assert matches["status_in_store"].fillna("").tolist() == [theirs[1] or ""]


BIG = 2**53
BEN = ("Ben", 1, "sold")
BY_KEY = {
    "of two equal rows neither takes the other's pet": (
        listed(("a", *REX), ("b", *REX)), keys(b=1, a=2), stored((1, *REX), (2, *REX)),
        {2: Kind.SAME, 1: Kind.SAME},
    ),
    "a key that is unknown, and one whose pet is gone, are in the list alone": (
        listed(("new", *REX), ("gone", *REX)), keys(gone=7), stored((9, *BEN)),
        {None: Kind.ONLY_IN_LIST, 7: Kind.ONLY_IN_LIST, 9: Kind.ONLY_IN_STORE},
    ),
    "what an import left open is not decided by an equal pet, but the two are one entry": (
        listed(("a", *REX)), keys(a=None), stored((1, *REX), (2, *REX), (3, *BEN)),
        {1: Kind.UNCONFIRMED, 2: Kind.ONLY_IN_STORE, 3: Kind.ONLY_IN_STORE},
    ),
    "an unknown key turns no id of 64 bits into a float": (
        listed(("a", *REX), ("new", *BEN)), keys(a=BIG + 1), stored((BIG + 1, *REX), (BIG, *BEN)),
        {BIG + 1: Kind.SAME, None: Kind.ONLY_IN_LIST, BIG: Kind.ONLY_IN_STORE},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("ours", "known", "theirs", "expected"), BY_KEY.values(), ids=BY_KEY)
def test_a_key_leads_to_its_pet_whatever_else_is_alike(ours, known, theirs, expected) -> None:
    """Only the keys decide which row is which pet."""
    matches = match_by_key(ours, known, theirs)
    assert [None if pd.isna(pet_id) else pet_id for pet_id in matches["id"]] == [*expected]
    assert list(matches["kind"]) == [*expected.values()]


@pytest.mark.parametrize(
    ("ours", "theirs", "covers_all", "expected", "ids"),
    [
        # The only one of each side is a pair,
        (["sold"], ["pending"], True, [Kind.CHANGED], 1),
        # unless pets were not read: one that differs may be another animal of the same name.
        (["sold"], ["pending"], False, [Kind.AMBIGUOUS] * 2, 1),
        (["sold"], ["sold"], False, [Kind.SAME], 1),
        # As many equal ones on both sides are the same: whichever is which, nothing differs.
        (["sold", "sold"], ["sold", "sold"], True, [Kind.SAME] * 2, 0),
        # What a list does not state leaves groups equal.
        ([None, None, None], ["sold", "pending", None], True, [Kind.SAME] * 3, 0),
        # Three here and two there are counted, never paired by chance.
        (["sold"] * 3, ["sold"] * 2, True, [Kind.AMBIGUOUS] * 5, 2),
    ],
)
def test_equal_fields_pair_only_without_a_choice(
    ours, theirs, covers_all: bool, expected, ids: int
) -> None:
    """Rows and pets of one name are paired, counted or left open."""
    pets = stored(*((at, "Rex", 1, status) for at, status in enumerate(theirs)))
    matches = match_on(
        listed(*((None, "Rex", 1, status) for status in ours)), pets, ON, covers_all=covers_all
    )
    assert list(matches["kind"]) == expected
    assert (matches["row"].notna().sum(), matches["id"].notna().sum()) == (len(ours), ids)


animals = st.tuples(
    st.sampled_from(["Rex", "Luna"]), st.integers(1, 2), st.sampled_from([None, "sold", "pending"])
)


@given(ours=st.lists(animals, max_size=8), theirs=st.lists(animals, max_size=8))
def test_each_row_is_shown_once_and_each_pet_is_accounted_for(ours, theirs) -> None:
    """No row is lost or repeated, and pets are as many as pairs, rest and equals."""
    rows = listed(*((None, *animal) for animal in ours))
    pets = stored(*((at, *animal) for at, animal in enumerate(theirs)))
    matches = match_on(rows, pets, ON)
    there = matches["row"].notna()
    equals = (there & matches["kind"].eq(Kind.SAME) & matches["id"].isna()).sum()
    assert sorted(matches.loc[there, "row"]) == list(range(1, len(ours) + 1))
    assert matches["id"].dropna().is_unique
    assert matches["id"].notna().sum() + equals == len(theirs)


statuses = st.sampled_from(["available", "pending", "sold"])
lived = st.tuples(st.sampled_from(["Ada", "Bo", "Cy"]), st.sampled_from([3, 7]), statuses)
listings = st.dictionaries(st.integers(2**53, 2**53 + 6), lived, max_size=6)
Animals = Mapping[int, tuple[str, int, str | None]]


def inventory(pets: Animals, day: str) -> pf.Inventory:
    frame = PetColumns.of_rows((pet_id, *values) for pet_id, values in pets.items()).to_frame()
    return pf.Inventory.from_frame(frame, fetched_at=pd.Timestamp(day, tz="UTC"))


@settings(max_examples=25)
@given(old=listings, new=listings)
def test_diff_compare_and_counts_agree(old: Animals, new: Animals) -> None:
    """A comparison by key and a diff name the same pets and fields, and counts are their sums."""
    before, after = inventory(old, "2026-11-01"), inventory(new, "2026-11-02")
    difference = pf.diff(before, after)
    table = pf.compare(before, after, on="id").frame
    kinds = table["kind"].value_counts()
    assert [kinds.get(str(kind), 0) for kind in (Kind.CHANGED, Kind.ONLY_IN_STORE)] == [
        difference.counts["changed"],
        difference.counts["new"],
    ]
    assert kinds.get("only in list", 0) == difference.counts["gone"]
    changed = table[table["kind"] == Kind.CHANGED].set_index("id")["difference"].to_dict()
    rows = difference.frame[difference.frame["kind"] == "changed"]
    assert rows.set_index("id")["difference"].to_dict() == changed
    sums = [pf.summarize(listing).count().count for listing in (before, after)]
    assert sums[1] - sums[0] == difference.counts["new"] - difference.counts["gone"]


def test_two_listings_are_compared_by_id_in_any_form(tmp_path: Path) -> None:
    """Inventories, their frames and Parquet files compare on id, and a lost status is a change."""
    old = {1: ("Ada", 3, "sold"), 2: ("Bo", 3, None), 3: ("Cy", 7, "sold")}
    new = {1: ("Ada", 3, None), 2: ("Bo", 3, "sold"), 4: ("Di", 7, "sold")}
    before, after = inventory(old, "2026-11-01"), inventory(new, "2026-11-02")
    files = [pf.write_report(before, tmp_path / f"yesterday.{kind}") for kind in ("parquet", "csv")]
    plain = pd.DataFrame(before.frame.to_dict("list"))
    for earlier in (before, before.frame, *files, plain):
        comparison = pf.compare(earlier, after.frame, on="id")
        assert pf.diff(earlier, after).frame["id"].tolist() == [1, 2, 3, 4]
        assert comparison.frame.set_index("id")["kind"].to_dict() == {
            1: "changed", 2: "changed", 3: "only in list", 4: "only in store",
        }  # fmt: skip
    with pytest.raises(pf.InputError, match="no column for name"):
        pf.compare(pd.DataFrame({"id": [1]}), after, on="id")
    elsewhere = pf.Inventory.from_frame(before.frame.copy(), base_url="https://other.example/v1")
    with pytest.raises(pf.ArgumentError, match="two listings of one store"):
        pf.compare(elsewhere, after, on="id")


def test_a_list_may_be_bytes() -> None:
    """As ``load`` takes them: a shell passes standard input."""
    inventory = pf.Inventory.from_frame(stored((7, "Rex", 1, "sold")))
    comparison = pf.compare(b"name,category_id\nRex,1\n", inventory, on=list(ON))
    assert comparison.frame["id"].tolist() == [7]


def test_a_list_with_ids_of_the_store_is_compared_by_them(tmp_path: Path) -> None:
    """A list may lack the status, and an empty or strange id is only in the list."""
    store = inventory({1: ("Ada", 3, "sold"), 2: ("Bo", 3, None)}, "2026-11-02")
    path = tmp_path / "ours.csv"
    path.write_text("id,name,category_id\n1,Ada,3\n2,Bob,3\nx,Cy,3\n")
    comparison = pf.compare(path, store, on="id")
    kinds = comparison.frame["kind"].tolist()
    assert kinds == ["same", "changed", "only in list"]


@pytest.mark.parametrize(
    ("second_tag", "suggestion"),
    [
        ("T2", "key='Tag' or on=['name', 'category_id']"),
        ("", "key='?' (is it Tag: different in 2 rows, empty in 1?) or on=['name', 'category_id']"),
    ],
)
def test_the_columns_say_how_a_list_may_be_compared(second_tag: str, suggestion: str) -> None:
    """Without key and on, the error names a proven key, and asks about one that is only likely."""
    store = inventory({1: ("Ada", 3, "sold")}, "2026-11-02")
    ours = pd.DataFrame({"Tag": ["T1", second_tag, "T3"], "name": ["Ada", "Bo", "Cy"]})
    with pytest.raises(pf.ArgumentError) as raised:
        pf.compare(ours.assign(category_id=3), store)
    assert str(raised.value).endswith(suggestion)


def test_two_readings_and_a_client_get_the_call_that_works() -> None:
    """Two readings are for pf.diff, and the pets of a Client are fetched first."""
    store = inventory({1: ("Ada", 3, "sold")}, "2026-11-02")
    with pytest.raises(pf.PetstoreError, match=r"pf\.diff\(earlier, later\).*on='id'"):
        pf.compare(store, store, key="id")
    client = pf.Client("http://127.0.0.1:9/v1", "key")
    for arguments in (("list.csv", client), (client, "list.csv")):
        with pytest.raises(pf.PetstoreError, match=r"fetch_inventory.*got Client"):
            pf.compare(*arguments)


def test_a_type_checker_accepts_every_kind() -> None:
    """The names for type checkers are those of the kinds."""
    assert get_args(KindName) == tuple(map(str, Kind))
