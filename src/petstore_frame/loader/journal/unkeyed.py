"""Rule 4 of identity: without a key, a row that equals an earlier one may be its animal."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from petstore_frame.loader.journal.animals import TO_SEND, Animals, Guess
from petstore_frame.loader.journal.keyed import (
    name_of,
)
from petstore_frame.loader.journal.tables import one_of
from petstore_frame.loader.question import is_many
from petstore_frame.loader.record import LIVE_STATES

_EARLIER = f"""
SELECT animal, likeness, payload FROM animals
WHERE import IS NOT :mine AND {one_of(LIVE_STATES)}
  AND animal NOT IN (SELECT animal FROM rows WHERE import = :mine AND animal <= :base)
  AND animal NOT IN (SELECT animal FROM rows WHERE animal IS NOT NULL
    AND import IN (SELECT value FROM json_each(:siblings)))
"""


def equal_rows(animals: Animals) -> None:
    """Compare rows with the animals of earlier imports, as multisets.

    Equal ones are paired one to one: two earlier Lunas are no more than two of the new ones.
    """
    if not animals.has("SELECT 1 FROM animals WHERE import IS NOT :mine"):
        return
    has_key = bool(animals.staged.key_columns)
    ((rows,),) = animals.do(f"SELECT count(*) {TO_SEND} AND {_COMPARED}").fetchall()
    pairs = [*_pairs(animals)]
    if not has_key and not animals.origins:
        pairs += _pairs_by_name(animals, pairs)
    if has_key and not is_many(len(pairs), rows):
        animals.warn("equal_few", (guess.record for guess in pairs))
        return
    animals.ask("equal", sorted(pairs), rows, "equal")


_COMPARED = "coalesce(rows.known_by, 'record') = 'record'"


def _siblings(animals: Animals) -> str:
    """Return the imports of the rows that were corrected: the rows of one file are others."""
    return json.dumps([number for _, number, _ in animals.origins])


def _pairs(animals: Animals) -> Iterator[Guess]:
    """Pair rows with earlier animals of the same content, those of the same status first."""
    animals.do("CREATE INDEX IF NOT EXISTS likenesses ON animals(likeness)")
    free: dict[bytes, list[tuple[int, bytes]]] = defaultdict(list)
    alike = f"SELECT rows.likeness {TO_SEND} AND {_COMPARED}"
    earlier = f"{_EARLIER} AND likeness IN ({alike}) ORDER BY import, record"
    for animal, likeness, payload in animals.do(earlier, siblings=_siblings(animals)):
        free[likeness].append((animal, payload))
    if not free:
        return
    left = []
    for record, likeness, payload in animals.do(
        f"SELECT rows.record, rows.likeness, rows.payload {TO_SEND} AND {_COMPARED}"
    ).fetchall():
        same = [each for each in free.get(likeness, ()) if each[1] == payload]
        if same:
            free[likeness].remove(same[0])
            yield Guess(record, same[0][0])
        elif likeness in free:
            left.append((record, likeness))
    for record, likeness in left:
        if free[likeness]:
            yield Guess(record, free[likeness].pop(0)[0])


def _pairs_by_name(animals: Animals, pairs: list[Guess]) -> Iterator[Guess]:
    """Pair by name the rows of the last file of this path, if it comes back without a key.

    A frame has no path. If an earlier frame was not sent to its end, its unsent rows are paired,
    too: else a corrected frame would be sent beside them.
    """
    recurring = (
        f"{_EARLIER} AND (animal IN (SELECT animal FROM rows WHERE import ="
        "  (SELECT max(import) FROM imports"
        "   WHERE place = :place AND import <> :mine AND NOT copy))"
        " OR state = 'pending' AND import IN (SELECT import FROM imports"
        "   WHERE (place IS NULL OR :place IS NULL) AND NOT copy AND ending IS NOT 'done'))"
        " ORDER BY import, record"
    )
    taken = {guess.animal for guess in pairs}
    named: dict[str | None, deque[int]] = defaultdict(deque)
    for animal, _, payload in animals.do(recurring, siblings="[]"):
        if animal not in taken:
            named[name_of(payload)].append(animal)
    if not named:
        return
    paired = {guess.record for guess in pairs}
    for record, payload in animals.do(
        f"SELECT rows.record, rows.payload {TO_SEND} AND {_COMPARED}"
    ).fetchall():
        if record not in paired and (found := named.get(name_of(payload))):
            yield Guess(record, found.popleft())


def earlier_versions(animals: Animals) -> list[tuple[int, int, int]]:
    """Let rows be the unsent animals of earlier versions of the file that have their content.

    Returns:
        What this file no longer has of them: animal, import and record.
    """
    if animals.run.place is None or animals.origins:
        return []
    withdrawn: list[tuple[int, int, int]] = []
    for (version,) in animals.do(
        "SELECT import FROM imports WHERE place = :place AND import <> :mine AND NOT copy"
        " AND ending IS NOT 'done'"
    ).fetchall():
        unsent = animals.do(
            "SELECT animal, record, likeness, animal IN (SELECT animal FROM rows"
            "  WHERE import = :mine AND animal <= :base) FROM animals"
            " WHERE import = :version AND state = 'pending' ORDER BY record",
            version=version,
        ).fetchall()
        if not unsent:
            continue
        free: dict[bytes, deque[int]] = defaultdict(deque)
        for animal, _, likeness, is_known in unsent:
            if not is_known:
                free[likeness].append(animal)
        taken = {animal for animal, _, _, is_known in unsent if is_known}
        pairs = []
        for record, likeness in animals.do(
            f"SELECT rows.record, rows.likeness {TO_SEND} AND rows.known_by IS NULL"
        ).fetchall():
            if free.get(likeness):
                pairs.append((free[likeness].popleft(), "equal", record))
        animals.become(pairs)
        taken |= {animal for animal, _, _ in pairs}
        if is_many(len(taken), len(unsent)):
            withdrawn += [
                (animal, version, record) for animal, record, _, _ in unsent if animal not in taken
            ]
    return withdrawn


def withdraw(animals: Animals, unsent: Iterable[tuple[int, int, int]]) -> None:
    """Withdraw what earlier versions left unsent and this file no longer has, and list it."""
    taken = {
        animal
        for (animal,) in animals.do(
            "SELECT animal FROM rows WHERE import = :mine AND animal <= :base"
        )
    }
    lines = []
    for animal, version, record in unsent:
        if animal in taken:
            continue
        animals.do("UPDATE animals SET state = NULL WHERE animal = :animal", animal=animal)
        of_row = "WHERE import = :version AND record = :record"
        at = {"version": version, "record": record}
        animals.do(f"UPDATE rows SET reason = 'withdrawn' {of_row}", **at)
        lines += [line for (line,) in animals.do(f"SELECT line FROM rows {of_row}", **at)]
    if lines:
        animals.facts["withdrawn"] = lines
    ((left,),) = animals.do(
        "SELECT count(*) FROM animals WHERE state = 'pending' AND import IN"
        " (SELECT import FROM imports WHERE place = :place AND import <> :mine AND NOT copy)"
        " AND animal NOT IN (SELECT animal FROM rows WHERE import = :mine AND animal <= :base)"
    ).fetchall()
    if left:
        animals.facts["left_unsent"] = left
