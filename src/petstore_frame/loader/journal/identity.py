"""Decides which animal each row is, by the rules of identity in their order.

1. The same records are the same import (``staging.py``), and keep the animals that they had.
2. A row of a fix file is the record that it names, and keeps its key.
3. A key names an animal (``keyed.py``).
4. Without a key, a row equal to an earlier one in all but the status may be the same animal.
5. The store is a witness (``witness.py``): a pet that this journal did not make may be a row, and
   animals that it does not show may be gone.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping

from petstore_frame.errors import InputError
from petstore_frame.loader.duplicate_question import Question, is_many
from petstore_frame.loader.journal.animals import KNOWN_HERE, TO_SEND, Animals, Guess, paired
from petstore_frame.loader.journal.repeated_keys import (
    CLAIM,
    KEY_PROBLEMS,
    known_keys,
    name_of,
    one_row_per_key,
)
from petstore_frame.loader.journal.rows import count_in, note_facts, unpack_problems
from petstore_frame.loader.journal.schema import one_of
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.store_check import ReadStore, Witness
from petstore_frame.loader.row_state import LIVE_STATES

# Animals of earlier imports that a row may be; the rows of one file are different animals.
_EARLIER = f"""
SELECT animal, likeness, payload FROM animals
WHERE import IS NOT :mine AND {one_of(LIVE_STATES)} AND animal NOT IN ({KNOWN_HERE})
"""
_EQUAL = f"""
{_EARLIER} AND likeness IN (SELECT rows.likeness {TO_SEND})
AND animal NOT IN (SELECT animal FROM rows WHERE animal IS NOT NULL
  AND import IN (SELECT value FROM json_each(:siblings))) ORDER BY import, record
"""
_OTHERS_HERE = "import <> :mine AND place = :place AND NOT copy"
# A frame has no path. If an earlier frame was not sent to its end, its unsent rows may come back.
_RECURRING = f"""
{_EARLIER} AND (animal IN (SELECT animal FROM rows WHERE import =
    (SELECT max(import) FROM imports WHERE {_OTHERS_HERE}))
  OR state = 'pending' AND import IN (SELECT import FROM imports
    WHERE (place IS NULL OR :place IS NULL) AND NOT copy AND ending IS NOT 'done'))
ORDER BY import, record
"""
_COMPARED = f"{TO_SEND} AND coalesce(rows.known_by, 'record') = 'record'"
_UNSENT = f"""
SELECT import, animal, likeness, animal IN ({KNOWN_HERE}) FROM animals
WHERE state = 'pending' AND import IN (SELECT import FROM imports
  WHERE {_OTHERS_HERE} AND ending IS NOT 'done') ORDER BY import, record
"""
_NOT_HERE = f"""
own.state = 'pending' AND own.import IN (SELECT value FROM json_each(:versions))
AND own.animal NOT IN ({KNOWN_HERE})
"""


def identify(
    sql: sqlite3.Connection,
    staged: Staged,
    answers: Mapping[str, str],
    read: ReadStore | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Question | None:
    """Give each staged row its animal; return what the user must answer first, or None.

    Both answers to each open question are tried. ``read`` reads the store, given the number of
    rows to send; None leaves the store alone.
    """
    run = staged.run

    def apply(otherwise: str) -> Animals:
        animals = Animals(sql, staged, answers, otherwise, pause)
        _find_animals(animals, read)
        note_facts(sql, run, (run.facts if staged.is_resumed else {}) | animals.facts)
        return animals

    sql.execute("SAVEPOINT identity")
    cases = tuple(apply("skip").cases())
    if not cases:
        sql.execute("RELEASE identity")
        return None
    if_skip = count_in(sql, run.id)
    sql.execute("ROLLBACK TO identity")
    apply("create")
    if_create = count_in(sql, run.id)
    rows = sum(if_create.values())
    return Question(run.source, rows, cases, run.base_url, if_skip, if_create)


def _find_animals(animals: Animals, read: ReadStore | None) -> None:
    """Apply the rules; of a copy, and of a file that is not at hand, the store is asked alone."""
    has_file, has_keys = not animals.staged.is_resumed, animals.has_keys
    is_compared = has_file and not animals.run.copy
    is_first = has_keys and not animals.has("FROM keys WHERE columns = :columns")
    if has_file:
        _find_fixed(animals)
        _take_new_lines(animals)
        if has_keys:
            one_row_per_key(animals)
    if is_compared and has_keys:
        known_keys(animals)
    witness = Witness(animals, read)
    witness.find_ids()
    if is_compared:
        versions = _earlier_versions(animals)
        if is_first or not has_keys:
            _equal_rows(animals)
        _withdraw(animals, versions)
    witness.find_gone()
    witness.find_pets()
    witness.create_not_found()
    animals.speak(witness.now)
    if is_compared and has_keys:
        animals.do(CLAIM)
    witness.note()


def _take_new_lines(animals: Animals) -> None:
    """Make rows other animals of which the user says so; what was sent of them stays."""
    animals.do(
        "UPDATE rows SET known_by = 'user', animal = iif(EXISTS (SELECT 1 FROM animals AS own"
        "  WHERE own.animal = rows.animal AND own.import = :mine AND own.record = rows.record),"
        "  animal, :base + record)"
        " WHERE import = :mine AND animal IS NOT NULL"
        " AND line IN (SELECT value FROM json_each(:lines))",
        lines=json.dumps([*animals.staged.new_lines]),
    )


def _find_fixed(animals: Animals) -> None:
    """Make rows of a fix file the records that they name (rule 2)."""
    base, lines = animals.staged.base, dict[tuple[int, int], int]()
    of_row = "WHERE import = :mine AND record = :record"
    for record, line, origin in animals.staged.origins:
        found = animals.do(
            "SELECT import, key, problem, animal FROM imports JOIN rows USING (import)"
            " WHERE id GLOB :id || '*' AND record = :origin",
            id=origin.import_id,
            origin=origin.record,
        ).fetchall()
        if len(found) != 1:
            raise InputError(
                f"this row is record {origin.record} of the import {origin.import_id}, which this "
                "journal does not know, so it may be in the store already; nothing was sent",
                line=line,
                hint="name the journal folder that the import was made with; or, if these are new "
                "animals, empty the column _pf_record",
            )
        ((number, key, problem, animal),) = found
        other = lines.setdefault((number, origin.record), line)
        if other != line:
            raise InputError(
                f"this row and line {other} are the same record; nothing was sent",
                line=line,
                hint="remove one of the two, or empty _pf_record where it is another animal",
            )
        animals.origins.append((record, number, origin.record))
        # A record whose key was what had to be fixed gets that of its correction.
        had_key_problem = any(each.code in KEY_PROBLEMS for each in unpack_problems(problem))
        if key is not None and not had_key_problem:
            animals.do(f"UPDATE rows SET key = :key {of_row}", key=key, record=record)
        ((mine, reason),) = animals.do(f"SELECT animal, reason FROM rows {of_row}", record=record)
        if reason is not None or (mine is not None and mine <= base):
            continue
        own = base + record
        if animal is None and mine is None:  # it is to fix still, and an animal to come
            animals.do("INSERT INTO animals (animal, import, record) VALUES (:own, :mine, :record)",
                       own=own, record=record)  # fmt: skip
        animals.become([(animal or own, "record", record)])


def _equal_rows(animals: Animals) -> None:
    """Compare rows with the animals of earlier imports, as multisets."""
    if not animals.has("FROM animals WHERE import IS NOT :mine"):
        return
    animals.do("CREATE INDEX IF NOT EXISTS likenesses ON animals(likeness)")
    rows, pairs = animals.count(_COMPARED), _pairs(animals)
    guesses = [Guess(record, animal) for record, animal in sorted(pairs.items())]
    if animals.has_keys and not is_many(len(guesses), rows):
        animals.warn("equal_few", guesses)
    else:
        animals.ask("same_content", guesses, rows)


def _pairs(animals: Animals) -> dict[int, int]:
    """Pair rows with animals of the same content, those of the same status first.

    Without a key, the rows of a path that comes back are paired with its last file's by name.
    """
    siblings = json.dumps([number for _, number, _ in animals.origins])
    by_name = not (animals.has_keys or animals.origins)
    equal = animals.do(_EQUAL, siblings=siblings).fetchall()
    recurring = animals.do(_RECURRING).fetchall() if by_name else []
    if not (equal or recurring):
        return {}
    rows = animals.do(f"SELECT rows.record, rows.likeness, rows.payload {_COMPARED}").fetchall()
    pairs: dict[int, int] = {}
    for others, what in (
        (equal, lambda likeness, payload: payload),
        (equal, lambda likeness, payload: likeness),
        (recurring, lambda likeness, payload: name_of(payload)),
    ):
        taken = {*pairs.values()}
        pairs |= paired(
            ((record, what(*read)) for record, *read in rows if record not in pairs),
            ((what(*read), animal) for animal, *read in others if animal not in taken),
        )
    return pairs


def _earlier_versions(animals: Animals) -> list[int]:
    """Take unsent animals of earlier versions of the file; return those of which many are here."""
    if animals.run.place is None or animals.origins:
        return []
    unsent = animals.do(_UNSENT).fetchall()
    if not unsent:
        return []
    rows = animals.do(
        f"SELECT rows.record, rows.likeness {TO_SEND} AND rows.known_by IS NULL"
    ).fetchall()
    free = ((likeness, animal) for _, animal, likeness, is_known in unsent if not is_known)
    pairs = paired(rows, free)
    animals.become((animal, "same_content", record) for record, animal in pairs.items())
    taken, versions = {*pairs.values()}, defaultdict[int, list[bool]](list)
    for version, animal, _, is_known in unsent:
        versions[version].append(is_known or animal in taken)
    return [version for version, here in versions.items() if is_many(sum(here), len(here))]


def _withdraw(animals: Animals, versions: list[int]) -> None:
    """Withdraw what earlier versions left unsent and this file no longer has, and list it."""
    if versions:
        said = json.dumps(versions)
        withdrawn = animals.do(
            "UPDATE rows SET reason = 'withdrawn' FROM animals AS own"
            f" WHERE rows.import = own.import AND rows.record = own.record AND {_NOT_HERE}"
            " RETURNING rows.line",
            versions=said,
        ).fetchall()
        animals.do(f"UPDATE animals AS own SET state = NULL WHERE {_NOT_HERE}", versions=said)
        if withdrawn:
            animals.facts["withdrawn"] = sorted(line for (line,) in withdrawn)
    left = animals.count(
        "FROM animals WHERE state = 'pending'"
        f" AND import IN (SELECT import FROM imports WHERE {_OTHERS_HERE})"
        f" AND animal NOT IN ({KNOWN_HERE})"
    )
    if left:
        animals.facts["left_unsent"] = left
