"""Finds which pet of the store each record of a list is, and where the two differ.

Nothing is paired by chance: a pair is one key with one pet, or one record with one pet in a group
of two. All of it is pandas over whole columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd

from petstore_frame.rendering import count_text
from petstore_frame.schema import FIELDS, as_type, form_of

NULLABLE = {field.name: field.nullable for field in FIELDS.sent}
IN_STORE = "_in_store"
_HERE = ""  # the kind of a record or a pet of which only the join can tell it


class Kind(StrEnum):
    """The kinds of a comparison, in the order in which they are shown."""

    CHANGED = "changed"
    ONLY_IN_LIST = "only in list"
    NOT_SEEN = "not seen"
    ONLY_IN_STORE = "only in store"
    AMBIGUOUS = "ambiguous"
    UNCONFIRMED = "unconfirmed"
    INVALID = "invalid"
    SAME = "same"


def match_by_key(listed: pd.DataFrame, keys: pd.DataFrame, stored: pd.DataFrame) -> pd.DataFrame:
    """Pair records with pets through the table of keys.

    An unconfirmed row may be a pet that no key knows and that is equal to it: the two are one row.

    Args:
        listed: One row per record: ``record``, ``line``, ``key``, the fields of a pet, and
            ``problem`` (missing where the record can be compared).
        keys: One row per key that the journal knows: ``key``, ``id`` (missing where none is
            known) and ``is_unconfirmed``.
        stored: The frame of an inventory.

    Returns:
        One row per animal, as ``Comparison.frame`` has it.
    """
    known = listed.merge(keys, on="key", how="left").astype({"id": "Int64"})
    is_unconfirmed = known["is_unconfirmed"].eq(True) & known["problem"].isna()
    others = stored[~stored["id"].isin(known["id"].dropna())]
    is_open = is_unconfirmed & known["id"].isna()
    of_record, of_pet = _equals(known[is_open].reset_index(drop=True), others)
    known.loc[known.index[is_open][of_record], "id"] = others["id"].to_numpy()[of_pet]
    return join(known.assign(kind=np.where(is_unconfirmed, str(Kind.UNCONFIRMED), _HERE)), stored)


def match_on(
    listed: pd.DataFrame, stored: pd.DataFrame, on: Sequence[str], *, is_whole: bool = True
) -> pd.DataFrame:
    """Pair records with pets that are equal in some fields, where that leaves no choice.

    Records and pets that are equal in ``on`` are one group. One of each is a pair. If there are as
    many records as pets, equal in all that the records state, they are the same animals, and their
    ``id`` is missing. A group of one side alone is only there; any other group is ambiguous.

    Args:
        listed: As for ``match_by_key``; keys are not looked at.
        stored: The frame of an inventory.
        on: The fields that make a record and a pet equal.
        is_whole: Whether ``stored`` has every pet. If not, a pair that differs is ambiguous: the
            record's own pet may not have been read.
    """
    is_good = listed["problem"].isna()
    good, bad = listed[is_good].reset_index(drop=True), listed[~is_good]
    group = _numbers(good, stored, on)
    ours, theirs = group[: len(good)], group[len(good) :]  # the group of each record, of each pet
    size = int(group.max(initial=-1)) + 1
    found, _ = _equals(good, stored, on)
    records, pets, matched = (
        np.bincount(each, minlength=size) for each in (ours, theirs, ours[found])
    )
    is_equal = (matched == records) & (matched == pets)
    is_pair = (records == 1) & (pets == 1) & (is_equal | is_whole)
    partner = np.zeros(size, dtype="int64")
    partner[theirs] = stored["id"].to_numpy()
    kinds = np.select([is_pair | (pets == 0), is_equal], [_HERE, str(Kind.SAME)], Kind.AMBIGUOUS)
    ids = pd.Series(partner[ours], dtype="Int64").where(is_pair[ours])
    none = pd.array([pd.NA] * len(bad), dtype="Int64")
    paired = [good.assign(id=ids, kind=kinds[ours]), bad.assign(id=none, kind=_HERE)]
    of_pets = np.where(records > 0, str(Kind.AMBIGUOUS), _HERE)[theirs]
    is_open = (is_pair | ~is_equal)[theirs]
    return join(pd.concat(paired, ignore_index=True), stored.assign(kind=of_pets)[is_open])


def join(listed: pd.DataFrame, stored: pd.DataFrame, *, states_all: bool = False) -> pd.DataFrame:
    """Put records and pets of one ``id`` beside each other, and say what each row is.

    ``kind`` is what is known of a record, or of a pet without one, before they are joined. An empty
    cell of the list states nothing, unless it ``states_all``.
    """
    theirs = as_type(stored[list(NULLABLE)], NULLABLE).add_suffix(IN_STORE)
    theirs = theirs.assign(id=stored["id"].astype("Int64"), there=stored.get("kind", _HERE))
    both = listed.merge(theirs, on="id", how="left", indicator="seen")
    is_there = both["seen"].eq("both")
    names = pd.Series("", index=both.index, dtype="str")
    for field in NULLABLE:
        mine, other = both[field], both[field + IN_STORE]
        is_stated = mine.notna() | (states_all & other.notna())
        differs = is_stated & _plain(mine).ne(_plain(other)).fillna(value=True)
        names = names.where(~differs.astype(bool), names + ", " + field)
    known = both["kind"].astype("object")
    is_known = both["problem"].notna() | known.ne(_HERE)
    kinds = np.select(
        [both["problem"].notna(), is_known, ~is_there, names.ne("")],
        [Kind.INVALID.value, known, Kind.ONLY_IN_LIST.value, Kind.CHANGED.value],
        default=Kind.SAME.value,
    )
    names = names.str.removeprefix(", ").where(is_there & ~is_known, "")
    both = both.assign(kind=kinds, difference=names)
    rest = theirs[~theirs["id"].isin(both["id"].dropna())].assign(difference="")
    rest["kind"] = rest["there"].replace(_HERE, str(Kind.ONLY_IN_STORE))
    dtypes: dict[str, Any] = {
        "kind": pd.CategoricalDtype([str(kind) for kind in Kind]),
        "difference": "str",
        "record": "Int64",
        "line": "Int64",
        "key": "str",
        "id": "Int64",
    }
    for field, dtype in NULLABLE.items():
        dtypes |= {field: dtype, field + IN_STORE: dtype}
    dtypes["problem"] = "str"
    shaped = [as_type(part.reindex(columns=list(dtypes)), dtypes) for part in (both, rest)]
    return pd.concat(shaped, ignore_index=True)


def _equals(
    listed: pd.DataFrame, stored: pd.DataFrame, on: Sequence[str] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of records and pets that are equal in ``on`` and in all that a list states.

    Which of several equal pets a record gets means nothing.
    """
    fields = [name for name in NULLABLE if name in on or listed[name].notna().any()]
    if not fields or listed.empty:
        return np.zeros(0, dtype="int64"), np.zeros(0, dtype="int64")
    value = pd.Series(_numbers(listed, stored, fields))
    # Each value becomes one number with how often it came before on its side.
    side = np.arange(len(value)) < len(listed)
    ranked = (value * 2**31 + value.groupby([value, side]).cumcount()).to_numpy()
    _, left, right = np.intersect1d(ranked[side], ranked[~side], return_indices=True)
    return left, right


def _numbers(listed: pd.DataFrame, stored: pd.DataFrame, fields: Sequence[str]) -> np.ndarray:
    """Number the distinct values of these fields, over both sides alike."""
    shared = {name: NULLABLE[name] for name in fields}
    sides = [as_type(side[list(fields)], shared) for side in (listed, stored)]
    rows = pd.concat(sides).apply(_plain)
    numbers: np.ndarray = rows.groupby(list(fields), dropna=False, sort=False).ngroup().to_numpy()
    return numbers.astype("int64")


def _plain(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts in one of the ways in which Unicode writes an accent; all else as it is."""
    is_text = not pd.api.types.is_numeric_dtype(values)
    return values.str.normalize("NFC") if is_text else values


def note_other_forms(table: pd.DataFrame, keys: pd.DataFrame) -> list[str]:
    """Write beside each record that no key knows which known key differs from it only in form."""
    absent = table.loc[table["kind"].eq(Kind.ONLY_IN_LIST), "key"].dropna()
    known = {form_of(key): key for key in keys["key"]}
    likes = absent.map(lambda key: known.get(form_of(key))).dropna()
    if likes.empty:
        return []
    table.loc[likes.index, "problem"] = "the key is known as " + likes
    first = table.loc[likes.index[0]]
    return [
        f"{count_text(len(likes), 'key')} of the list are known in another form: "
        f"line {first['line']}: {first['key']!r} is known as {likes.iloc[0]!r}."
    ]


def note_twins(table: pd.DataFrame) -> list[str]:
    """Write beside each pet of others which pet of the list it equals in all but the status."""
    shown = [name + IN_STORE for name in NULLABLE if name != "status"]
    stored = table[["id", *shown]].assign(**{shown[0]: _plain(table[shown[0]])})
    ours = stored[table["record"].notna() & table["id"].notna()].drop_duplicates(shown)
    others = stored[table["kind"].eq(Kind.ONLY_IN_STORE)].reset_index()
    twins = others.merge(ours, on=shown, suffixes=("", "_of_ours")).set_index("index")
    if twins.empty:
        return []
    table.loc[twins.index, "problem"] = "equals pet " + twins["id_of_ours"].astype("str")
    return [
        f"{count_text(len(twins), 'pet')} of others equal pets of this list, so they may stand "
        f"twice in the store: pet {twins['id'].iloc[0]} equals {twins['id_of_ours'].iloc[0]}."
    ]
