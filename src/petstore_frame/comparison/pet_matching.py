"""Matches the rows of a list with the pets of a store, and finds the fields that differ.

No pair is arbitrary. With a key, the journal has the pet of each row. Without a key, rows and pets
with equal fields form a group, which is paired only if exactly one pairing is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd

from petstore_frame.schema import FIELDS, as_type

NULLABLE = {field.name: field.nullable for field in FIELDS.sent}
IN_STORE = "_in_store"
_UNDECIDED = ""  # the kind of a row or a pet until rows and pets are joined


class Kind(StrEnum):
    """The kinds of rows in a comparison, in display order."""

    CHANGED = "changed"
    ONLY_IN_LIST = "only in list"
    NOT_SEEN = "not seen"
    ONLY_IN_STORE = "only in store"
    AMBIGUOUS = "ambiguous"
    UNCONFIRMED = "unconfirmed"
    INVALID = "invalid"
    EXCLUDED = "excluded"
    SAME = "same"


def match_by_key(list_rows: pd.DataFrame, keys: pd.DataFrame, stored: pd.DataFrame) -> pd.DataFrame:
    """Pair rows with pets through the journal's table of keys.

    An unconfirmed row is paired with a pet that has equal fields and no key in the journal.

    Args:
        list_rows: One row per row of the list: ``row``, ``line``, ``key``, the fields of a pet, and
            ``problem`` (missing if the row can be compared).
        keys: One row per key in the journal: ``key``, ``id`` (missing if there is none) and
            ``is_unconfirmed``.
        stored: The frame of an inventory.

    Returns:
        One row per animal, as ``Comparison.frame`` has it.
    """
    rows = list_rows.merge(keys, on="key", how="left").astype({"id": "Int64"})
    is_unconfirmed = rows["is_unconfirmed"].eq(True) & rows["problem"].isna()
    kinds = np.where(is_unconfirmed, str(Kind.UNCONFIRMED), _UNDECIDED)
    rows = rows.assign(kind=kinds)

    rows_without_pet = rows[is_unconfirmed & rows["id"].isna()]
    pets_without_key = stored[~stored["id"].isin(rows["id"].dropna())]
    pairs = _pair_equal(rows_without_pet, pets_without_key, _stated_fields(rows_without_pet))
    rows.loc[pairs["row_index"], "id"] = pairs["id"].array
    return join(rows, stored)


def match_on(
    list_rows: pd.DataFrame, stored: pd.DataFrame, on: Sequence[str], *, covers_all: bool = True
) -> pd.DataFrame:
    """Pair rows with pets that are equal in some fields, if exactly one pairing is possible.

    Rows and pets that are equal in ``on`` form a group. A group of one row and one pet is a pair. A
    group with as many rows as pets, which are equal in all fields that the rows state, has the same
    animals, and their ``id`` is missing. A group without pets is only in the list, a group without
    rows is only in the store, and any other group is ambiguous.

    Args:
        list_rows: As for ``match_by_key``; keys are not used.
        stored: The frame of an inventory.
        on: The fields that make a row and a pet equal.
        covers_all: Whether ``stored`` has every pet. If not, a pair that differs is ambiguous: the
            row's own pet may not have been read.
    """
    fields = list(on)
    is_valid = list_rows["problem"].isna()
    valid = list_rows[is_valid].reset_index(drop=True)
    pets = stored.reset_index(drop=True)
    row_values = _comparable(valid, fields)
    pet_values = _comparable(pets, fields)
    equal = _pair_equal(valid, pets, _stated_fields(valid, fields))
    groups = _count_groups(row_values, pet_values, row_values.loc[equal["row_index"]])

    # First join: each row and each pet gets the counts of its group.
    row_groups = row_values.merge(groups, on=fields, how="left")
    pet_groups = pet_values.merge(groups, on=fields, how="left")
    row_kinds = _group_kinds(row_groups, covers_all=covers_all)
    pet_kinds = _group_kinds(pet_groups, covers_all=covers_all)

    # Second join: each row of a pair gets the id of its pet.
    paired_pets = pet_values.assign(id=pets["id"])[pet_kinds.eq(_PAIR)]
    ids = row_values.merge(paired_pets, on=fields, how="left")["id"].astype("Int64")
    ids = ids.where(row_kinds.eq(_PAIR))

    decided_rows = valid.assign(id=ids, kind=row_kinds.replace(_PAIR, _UNDECIDED))
    no_ids = pd.array([pd.NA] * int((~is_valid).sum()), dtype="Int64")
    invalid_rows = list_rows[~is_valid].assign(id=no_ids, kind=_UNDECIDED)
    rows = pd.concat([decided_rows, invalid_rows], ignore_index=True)
    # Pets of a group that is the same on both sides are counted with their rows.
    is_included = pet_kinds.ne(Kind.SAME)
    return join(rows, pets[is_included], pet_kinds.replace(_PAIR, _UNDECIDED)[is_included])


_PAIR = "pair"


def _count_groups(
    row_values: pd.DataFrame, pet_values: pd.DataFrame, equal_values: pd.DataFrame
) -> pd.DataFrame:
    """Count, for each group of equal values, its rows, its pets, and the rows equal to a pet."""
    fields = list(row_values.columns)
    sides = {"row_count": row_values, "pet_count": pet_values, "equal_count": equal_values}
    groups = pd.concat([row_values, pet_values]).drop_duplicates()
    for name, values in sides.items():
        counts = values.groupby(fields, dropna=False, sort=False).size().reset_index(name=name)
        groups = groups.merge(counts, on=fields, how="left")
    return groups.fillna(dict.fromkeys(sides, 0))


def _group_kinds(groups: pd.DataFrame, *, covers_all: bool) -> pd.Series[Any]:
    """Return the kind of the group of each row or pet."""
    is_unmatched = groups["row_count"].eq(0) | groups["pet_count"].eq(0)
    is_single_pair = groups["row_count"].eq(1) & groups["pet_count"].eq(1)
    is_equal = groups["equal_count"].eq(groups["row_count"])
    is_equal &= groups["equal_count"].eq(groups["pet_count"])
    is_pair = is_single_pair & (is_equal | covers_all)
    kinds = pd.Series(str(Kind.AMBIGUOUS), index=groups.index, dtype="object")
    kinds[is_equal] = str(Kind.SAME)
    kinds[is_pair] = _PAIR
    kinds[is_unmatched] = _UNDECIDED
    return kinds


def _stated_fields(list_rows: pd.DataFrame, on: Sequence[str] = ()) -> list[str]:
    """Return the fields that must be equal in rows and pets: ``on``, and those with values."""
    return [name for name in NULLABLE if name in on or list_rows[name].notna().any()]


def _pair_equal(
    list_rows: pd.DataFrame, stored: pd.DataFrame, fields: Sequence[str]
) -> pd.DataFrame:
    """Pair each row with a pet that is equal in these fields; no pet is used twice.

    The first of several equal rows is paired with the first equal pet, and so on; since they are
    equal, the order does not matter.

    Returns:
        Columns ``row_index`` (the index of the row in ``list_rows``) and ``id`` of the pet.
    """
    if not fields or list_rows.empty:
        return pd.DataFrame({"row_index": list_rows.index[:0], "id": stored["id"].iloc[:0]})
    rows = _numbered(_comparable(list_rows, fields)).assign(row_index=list_rows.index)
    pets = _numbered(_comparable(stored, fields)).assign(id=stored["id"])
    return rows.merge(pets, on=[*fields, "occurrence"])[["row_index", "id"]]


def _numbered(values: pd.DataFrame) -> pd.DataFrame:
    """Number the rows of equal values: 0 for the first, 1 for the second, and so on."""
    groups = values.groupby(list(values.columns), dropna=False, sort=False)
    return values.assign(occurrence=groups.cumcount())


def _comparable(frame: pd.DataFrame, fields: Sequence[str]) -> pd.DataFrame:
    """Return fields with the same dtypes and Unicode form for both sides."""
    dtypes = {name: NULLABLE[name] for name in fields}
    return as_type(frame[list(fields)], dtypes).apply(normalize_accents)


def normalize_accents(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts in the normalized form NFC; numbers are unchanged."""
    if pd.api.types.is_numeric_dtype(values):
        return values
    return values.str.normalize("NFC")


def join(
    list_rows: pd.DataFrame,
    stored: pd.DataFrame,
    pet_kinds: pd.Series[Any] | None = None,
    *,
    states_all: bool = False,
) -> pd.DataFrame:
    """Put rows and pets of one ``id`` next to each other, and decide the kind of each.

    Args:
        list_rows: Rows with their ``id``, and with a ``kind`` if it is decided already.
        stored: The frame of an inventory.
        pet_kinds: The kind of each pet if it has no row; None for pets only in the store.
        states_all: Whether an empty cell of the list means that the value is missing. Otherwise an
            empty cell is ignored.
    """
    pets = as_type(stored[list(NULLABLE)], NULLABLE).add_suffix(IN_STORE)
    pets = pets.assign(id=stored["id"].astype("Int64"), pet_kind=_UNDECIDED)
    if pet_kinds is not None:
        pets["pet_kind"] = pet_kinds
    joined = list_rows.merge(pets, on="id", how="left", indicator="side")

    has_pet = joined["side"].eq("both")
    is_invalid = joined["problem"].notna()
    is_decided = joined["kind"].ne(_UNDECIDED)
    differences = _differences(joined, states_all=states_all)
    kinds = joined["kind"].astype("object")
    kinds[~is_decided & ~has_pet] = Kind.ONLY_IN_LIST.value
    kinds[~is_decided & has_pet & differences.ne("")] = Kind.CHANGED.value
    kinds[~is_decided & has_pet & differences.eq("")] = Kind.SAME.value
    kinds[is_invalid] = Kind.INVALID.value
    is_compared = has_pet & ~is_decided & ~is_invalid
    joined = joined.assign(kind=kinds, difference=differences.where(is_compared, ""))

    pets_without_row = pets[~pets["id"].isin(joined["id"].dropna())]
    pets_without_row = pets_without_row.assign(
        difference="",
        kind=pets_without_row["pet_kind"].replace(_UNDECIDED, str(Kind.ONLY_IN_STORE)),
    )
    return pd.concat([_with_dtypes(joined), _with_dtypes(pets_without_row)], ignore_index=True)


def _differences(joined: pd.DataFrame, *, states_all: bool) -> pd.Series[Any]:
    """Return the names of the fields in which row and pet differ, separated by commas."""
    names = pd.Series("", index=joined.index, dtype="str")
    for field in NULLABLE:
        list_values = normalize_accents(joined[field])
        store_values = normalize_accents(joined[field + IN_STORE])
        is_stated = list_values.notna()
        if states_all:
            is_stated |= store_values.notna()
        differs = is_stated & list_values.ne(store_values).fillna(value=True).astype("bool")
        names = names.where(~differs, names + ", " + field)
    return names.str.removeprefix(", ")


def _with_dtypes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a comparison with their dtypes."""
    dtypes: dict[str, Any] = {
        "kind": pd.CategoricalDtype([str(kind) for kind in Kind]),
        "difference": "str",
        "row": "Int64",
        "line": "Int64",
        "key": "str",
        "id": "Int64",
    }
    for field, dtype in NULLABLE.items():
        dtypes |= {field: dtype, field + IN_STORE: dtype}
    dtypes["problem"] = "str"
    return as_type(frame.reindex(columns=list(dtypes)), dtypes)


def match_excluded(table: pd.DataFrame, excluded: pd.DataFrame) -> pd.DataFrame:
    """Put the excluded rows of a list next to the pets that were only in the store.

    Args:
        table: The comparison of the rows that are not excluded.
        excluded: The comparison of the excluded rows with the pets that ``table`` has as only in
            the store.

    Returns:
        Both in one table. An excluded row with a pet also has their differences.
    """
    is_settled = excluded["kind"].eq(Kind.UNCONFIRMED)
    is_row = excluded["row"].notna()
    excluded = excluded.assign(kind=excluded["kind"].mask(is_row & ~is_settled, str(Kind.EXCLUDED)))
    remaining = table[table["kind"].ne(Kind.ONLY_IN_STORE)]
    return pd.concat([remaining, excluded], ignore_index=True)
