"""Finds rows and pets that are probably the same animal.

Similar keys and names are notes for a person; nothing is matched here.
"""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from petstore_frame.comparison.pet_matching import IN_STORE, Kind
from petstore_frame.loader.matching.folding import content_of
from petstore_frame.loader.matching.key_cores import core_of_key
from petstore_frame.schema import as_type, count_text

_UNMATCHED = (Kind.ONLY_IN_LIST, Kind.NOT_SEEN)


def note_similar_keys(table: pd.DataFrame, keys: pd.DataFrame, *, has_columns: bool) -> list[str]:
    """Add a note to each row without a pet if the journal has a similar key.

    Args:
        table: The comparison; ``problem`` gets the note.
        keys: The journal's table of keys.
        has_columns: Whether a key is a JSON list of the texts of several columns.

    Returns:
        One warning, or none.
    """
    row_keys = table.loc[table["kind"].isin(_UNMATCHED), "key"].dropna()
    if row_keys.empty:
        return []
    keys_by_core = {_core(key, has_columns=has_columns): key for key in keys["key"].dropna()}
    keys_by_core.pop("", None)
    cores = row_keys.map(lambda key: _core(key, has_columns=has_columns))
    similar = cores.map(keys_by_core).dropna()
    if similar.empty:
        return []
    _note(table, "is this the key " + similar + "?")
    first_row = table.loc[similar.index[0]]
    return [
        f"{count_text(len(similar), 'key')} of the list "
        f"{'looks' if len(similar) == 1 else 'look'} like a key that was loaded before: "
        f"line {first_row['line']}: is {first_row['key']!r} the key {similar.iloc[0]!r}?"
    ]


def _core(key: str, *, has_columns: bool) -> str:
    texts = json.loads(key) if has_columns else [key]
    return core_of_key(texts)


def note_similar_names(table: pd.DataFrame) -> list[str]:
    """Add a note to each row without a pet if a pet without a row has a similar name.

    A pair is noted if the folded names and the categories are equal, and no other row or pet has
    them.

    Returns:
        One warning, or none.
    """
    rows = _contents(table[table["kind"].isin(_UNMATCHED)], "")
    pets = _contents(table[table["kind"].eq(Kind.ONLY_IN_STORE)], IN_STORE)
    rows = rows.rename(columns={"index": "row_index"})
    pets = pets.rename(columns={"index": "pet_index"})
    pairs = rows.merge(pets, on="content")
    if pairs.empty:
        return []
    ids = table.loc[pairs["pet_index"], "id"].astype("str").array
    notes = pd.Series(ids, index=pairs["row_index"], dtype="str")
    _note(table, "is this pet " + notes + "?")
    index = pairs["row_index"].iloc[0]
    return [
        f"{count_text(len(pairs), 'row')} of the list may be pets of the store whose names look "
        f"alike: line {table.loc[index, 'line']}: is {table.loc[index, 'name']!r} the pet "
        f"{notes.iloc[0]}?"
    ]


def _contents(rows: pd.DataFrame, suffix: str) -> pd.DataFrame:
    """Return the folded name and category of each row, with its index, if no other row has them."""
    rows = rows[rows["name" + suffix].notna() & rows["category_id" + suffix].notna()]
    columns = zip(rows["name" + suffix], rows["category_id" + suffix], strict=True)
    contents = [content_of(name, category_id) for name, category_id in columns]
    frame = pd.DataFrame({"content": as_type(contents, "str"), "index": rows.index})
    return frame.drop_duplicates("content", keep=False)


def note_possible_duplicates(table: pd.DataFrame) -> list[str]:
    """Add a note to each pet without a row that is similar to a pet of the list.

    Similar pets have the same category and the same folded name.

    Returns:
        One warning, or none.
    """
    extra_pets = table[table["kind"].eq(Kind.ONLY_IN_STORE)]
    if extra_pets.empty:
        return []
    own_pets = table[table["row"].notna() & table["id"].notna()]
    own_ids = dict(zip(_pet_contents(own_pets), own_pets["id"], strict=True))
    own_ids.pop("", None)
    equal_ids = pd.Series(_pet_contents(extra_pets), index=extra_pets.index, dtype="object")
    equal_ids = equal_ids.map(own_ids).dropna()
    if equal_ids.empty:
        return []
    ids = equal_ids.astype("int64").astype("str")
    _note(table, "looks like pet " + ids)
    first_id = table.loc[equal_ids.index[0], "id"]
    return [
        f"{count_text(len(equal_ids), 'pet')} that the list does not have "
        f"{'looks' if len(equal_ids) == 1 else 'look'} like pets of the list, so an animal may be "
        f"in the store twice: pet {first_id} looks like pet {ids.iloc[0]}."
    ]


def _pet_contents(rows: pd.DataFrame) -> list[str]:
    columns = zip(rows["name" + IN_STORE], rows["category_id" + IN_STORE], strict=True)
    return ["" if pd.isna(name) else content_of(name, category_id) for name, category_id in columns]


def _note(table: pd.DataFrame, notes: pd.Series[Any]) -> None:
    """Append a note to ``problem``."""
    present = table.loc[notes.index, "problem"]
    table.loc[notes.index, "problem"] = notes.where(present.isna(), present + "; " + notes)
