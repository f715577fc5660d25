"""Settles unconfirmed rows with the pets that a person states."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.database import Writer, holding
from petstore_frame.loader.journal.outcomes import Change, Outcomes
from petstore_frame.loader.journal.rows import read_import
from petstore_frame.loader.matching.key_texts import is_key_named
from petstore_frame.loader.reconcile import OpenRows, read_open_rows
from petstore_frame.loader.row_state import State
from petstore_frame.validation import checked_integer

# A line number, the text of a key, or the texts of a key of several columns.
RowName = int | str | tuple[str, ...]
PetIds = int | None | Sequence[int | None]
PLACEHOLDER = "?"
_UNCONFIRMED = """
SELECT animal, row, line, key, animal_state FROM row_states
WHERE import = ? AND is_own AND animal_state IN ('unconfirmed', 'not_found') ORDER BY row
"""


class _Row(NamedTuple):
    animal: int
    number: int
    line: int
    key: str | None  # as the journal stores it
    state: State

    def is_named(self, name: RowName, key_columns: Sequence[str]) -> bool:
        """Return whether the row has this line or this key."""
        if not isinstance(name, (str, tuple)):
            return self.line == name
        return is_key_named(self.key, name, key_columns)


def resolve(path: Path, import_id: str, pets: Mapping[RowName, PetIds]) -> list[int]:
    """Write which pet each unconfirmed row is, as ``LoadResult.resolve`` describes.

    Returns:
        The pets that no reading of the store has shown since the rows were sent.
    """
    if not isinstance(pets, Mapping):
        raise ArgumentError(
            f"resolve needs the pet of each line, as in {{17: 4711, 18: None}}, got {pets!r}; "
            "nothing was changed"
        )
    ids_by_name = {_checked_name(name): _checked_ids(name, ids) for name, ids in pets.items()}
    run = read_import(path, import_id)
    with holding(path), Writer(path, run.base_url) as writer:
        outcomes = Outcomes(writer, run)
        outcomes.recover()
        rows = _read_unconfirmed(writer.sql, run.number)
        open_rows = read_open_rows(writer.sql, run)
        _check_pets_are_free(outcomes, ids_by_name, _candidates(open_rows))
        changes: list[Change] = []
        unproven: list[int] = []
        for name, ids in ids_by_name.items():
            named_rows = [row for row in rows if row.is_named(name, run.key)]
            changes += _changes(name, named_rows, ids)
            unproven += _check_reading(name, named_rows, ids, open_rows)
        outcomes.change(changes, time.time())
    return unproven


def _checked_name(name: Any) -> RowName:
    if isinstance(name, (str, tuple)):
        return name
    return checked_integer("line", name, 1)


def _checked_ids(name: Any, ids: Any) -> list[int | None]:
    pet_ids = list(ids) if isinstance(ids, (list, tuple)) else [ids]
    if PLACEHOLDER in pet_ids:
        raise ArgumentError(
            f"{_row_text(name)}: '?' is a placeholder; replace it with the id of the pet in the "
            "store, or with None if there is none; nothing was changed"
        )
    return [None if pet_id is None else checked_integer("pet_id", pet_id) for pet_id in pet_ids]


def _row_text(name: RowName) -> str:
    return f"key {name!r}" if isinstance(name, (str, tuple)) else f"line {name}"


def _read_unconfirmed(sql: sqlite3.Connection, number: int) -> list[_Row]:
    return [
        _Row(animal, row, line, key, State(state))
        for animal, row, line, key, state in sql.execute(_UNCONFIRMED, [number])
    ]


def _candidates(open_rows: OpenRows | None) -> set[int]:
    """Return the pets that the last reading of the store listed for unconfirmed rows."""
    if open_rows is None:
        return set()
    return {pet_id for ids in open_rows.candidates.values() for pet_id in ids}


def _check_pets_are_free(
    outcomes: Outcomes, pets: Mapping[RowName, list[int | None]], candidates: set[int]
) -> None:
    """Reject a pet that is stated twice, or that belongs to another row and is no candidate."""
    counts = Counter(pet_id for ids in pets.values() for pet_id in ids if pet_id is not None)
    repeated = [pet_id for pet_id, count in counts.items() if count > 1]
    owned = [pet_id for pet_id in outcomes.owners([*counts]) if pet_id not in candidates]
    for pet_id in (*owned, *repeated):
        raise ArgumentError(f"pet {pet_id} belongs to another row; nothing was changed")


def _check_reading(
    name: RowName,
    rows: Sequence[_Row],
    ids: Sequence[int | None],
    open_rows: OpenRows | None,
) -> list[int]:
    """Return the pets that no reading has shown; reject one that the last reading excludes."""
    unproven = []
    for pet_id in ids:
        is_there = None if open_rows is None or pet_id is None else open_rows.has_pet(pet_id)
        if is_there is False and open_rows is not None:
            candidates = sorted({
                candidate for row in rows for candidate in open_rows.candidates.get(row.line, ())
            })  # fmt: skip
            may_be = f"it may be pet {', '.join(map(str, candidates))}"
            raise ArgumentError(
                f"{_row_text(name)}: the last reading of the store has no pet {pet_id}; "
                f"{may_be if candidates else 'no pet in it may be this row'}; nothing was changed"
            )
        if is_there is None and pet_id is not None:
            unproven.append(pet_id)
    return unproven


def _changes(name: RowName, rows: Sequence[_Row], ids: Sequence[int | None]) -> list[Change]:
    """Return the new states of the rows of one line or key."""
    if not rows:
        raise ArgumentError(f"{_row_text(name)} is not unconfirmed; nothing was changed")
    if len(rows) != len(ids):
        raise ArgumentError(
            f"{_row_text(name)} has {len(rows)} unconfirmed animals, so it needs a list of "
            f"{len(rows)} pets, got {len(ids)}; nothing was changed"
        )
    changes: list[Change] = []
    for row, pet_id in zip(rows, ids, strict=True):
        if pet_id is not None:
            reason = "found_by_user"
            changes.append(
                Change(row.animal, row.number, row.state, State.CREATED, reason, pet_id, "manual")
            )
            continue
        reason = "not_found_by_user"
        if row.state is State.UNCONFIRMED:
            changes.append(Change(row.animal, row.number, row.state, State.NOT_FOUND, reason))
        changes.append(Change(row.animal, row.number, State.NOT_FOUND, State.PENDING, reason))
    return changes
