"""Which animal each row is: the rules of identity, in their order.

1. The same records are the same import (``staging.py``), and keep the animals that they had.
2. A row of a fix file is the record that it names, and keeps its key.
3. A key names an animal: rows of one key in one file are one animal, and a known key is its animal.
4. Without a key, a row equal to an earlier one in all but the status may be the same animal.
5. The store is a witness (``witness.py``): a pet that this journal did not make may be a row, and
   animals that it does not show may be gone.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.journal.animals import TO_SEND, Animals, Guess
from petstore_frame.loader.journal.keyed import (
    KEY_PROBLEMS,
    Differs,
    KeyedRow,
    difference,
    differences,
    name_of,
    other_animals,
    row_that_stands,
)
from petstore_frame.loader.journal.rows import count_in, note_facts, read_problem
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.tables import one_of
from petstore_frame.loader.journal.witness import ReadStore, Witness
from petstore_frame.loader.question import Question, is_many, is_quarter
from petstore_frame.loader.record import LIVE_STATES, RecordProblem, State

# Most keys are plain letters and digits, whose form the database finds by itself.
_FORM = """
CASE WHEN key GLOB '*[^0-9A-Za-z]*' THEN form_of(key)
  ELSE coalesce(nullif(ltrim(lower(key), '0'), ''), '0') END
"""
# The keys of the file by their forms. A row that is settled keeps the animal that it had; one whose
# content is given here is nothing but its key and its content.
_KEYED = f"""
SELECT {_FORM} AS form, key, record, CASE WHEN problem IS NULL AND reason IS NULL
    AND known_by IS NULL AND animal > :base THEN likeness END,
  animal <= :base AND known_by IS NOT 'record'
FROM rows WHERE import = :mine AND key IS NOT NULL
  AND (payload IS NOT NULL OR problem IS NOT NULL) ORDER BY form, key, record
"""
# What needs no thought: a key that one row of the file has, and one animal that was sent, with the
# same content.
_SAME = """
SELECT keyed.record, keys.animal FROM temp.keyed AS keyed
CROSS JOIN keys ON keys.columns = :columns AND keys.form = keyed.form
CROSS JOIN animals AS own ON own.animal = keys.animal
GROUP BY keyed.form HAVING count(*) = 1 AND keys.key = keyed.key
  AND own.likeness = keyed.likeness AND own.state IN ('created', 'adopted')
ORDER BY keyed.record
"""
_REPEATED = """
SELECT keyed.key, rows.record, rows.line, rows.payload, rows.cells, staged.rank, rows.is_unnamed
FROM (SELECT form, key FROM temp.keyed GROUP BY form, key
  HAVING count(*) > 1 AND NOT min(coalesce(is_settled, 0))) AS several
CROSS JOIN temp.keyed AS keyed USING (form, key)
CROSS JOIN rows ON rows.import = :mine AND rows.record = keyed.record
LEFT JOIN temp.staged AS staged ON staged.record = keyed.record
WHERE rows.known_by IS NOT 'user' ORDER BY keyed.form, keyed.key, keyed.record
"""
# The rows of the forms that are known, or that the file writes in several ways.
_OF_FORMS = """
SELECT keyed.form, keyed.key, rows.record, rows.animal, rows.payload, rows.likeness,
  rows.is_unnamed, rows.problem, own.state
FROM (SELECT form FROM temp.keyed AS one LEFT JOIN temp.same USING (record) GROUP BY form
  HAVING max(same.record IS NULL AND NOT coalesce(is_settled, 0)) AND (min(key) <> max(key)
    OR EXISTS (SELECT 1 FROM keys WHERE keys.columns = :columns AND keys.form = one.form))) AS open
CROSS JOIN temp.keyed AS keyed USING (form)
CROSS JOIN rows ON rows.import = :mine AND rows.record = keyed.record
LEFT JOIN animals AS own ON own.animal = rows.animal
WHERE coalesce(rows.known_by, '') NOT IN ('repeat', 'user') AND rows.reason IS NULL
ORDER BY keyed.form, keyed.record
"""
_EARLIER = f"""
SELECT animal, likeness, payload FROM animals
WHERE import IS NOT :mine AND {one_of(LIVE_STATES)}
  AND animal NOT IN (SELECT animal FROM rows WHERE import = :mine AND animal <= :base)
  AND animal NOT IN (SELECT animal FROM rows WHERE animal IS NOT NULL
    AND import IN (SELECT value FROM json_each(:siblings)))
"""


class KeyRow(NamedTuple):
    """A row with a key that is known, or that is written in several ways."""

    form: str
    key: str
    record: int
    animal: int
    payload: bytes | None
    likeness: bytes | None
    is_unnamed: bool
    problem: str | None
    state: str | None


class KeyAnimal(NamedTuple):
    """An animal that a key of some form names."""

    key: str
    animal: int
    payload: bytes | None
    likeness: bytes | None
    state: str | None


def identify(
    sql: sqlite3.Connection,
    staged: Staged,
    answers: Mapping[str, str],
    read: ReadStore | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Question | None:
    """Give each staged row its animal; try both answers to each open question.

    Args:
        sql: A connection within a transaction.
        staged: The rows.
        answers: What the user said, by case: ``skip`` (the same animals) or ``send`` (others).
        read: Reads the store, given the number of rows to send; None leaves the store alone.
        pause: Called now and then; what it raises ends the rules.

    Returns:
        What the user must answer first, or None.
    """
    run = staged.run

    def apply(otherwise: str) -> Animals:
        animals = Animals(sql, staged, answers, otherwise, pause)
        _find_animals(animals, read)
        before = run.facts if staged.is_resumed else {}
        note_facts(sql, run, before | animals.facts)
        return animals

    sql.execute("SAVEPOINT identity")
    animals = apply("skip")
    cases = animals.cases()
    if not cases:
        sql.execute("RELEASE identity")
        return None
    if_skip = count_in(sql, run.id)
    sql.execute("ROLLBACK TO identity")
    apply("send")
    if_send = count_in(sql, run.id)
    return Question(
        run.source,
        sum(if_send.values()),
        tuple(replace(case, if_skip=if_skip, if_send=if_send) for case in cases),
        run.base_url,
    )


def _find_animals(animals: Animals, read: ReadStore | None) -> None:
    has_keys = bool(animals.staged.key_columns)
    is_first = has_keys and not animals.has("SELECT 1 FROM keys WHERE columns = :columns")
    if not animals.staged.is_resumed:
        _find_fixed(animals)
        _take_lines_to_send(animals)
        if has_keys:
            animals.make(
                "keyed",
                "form TEXT, key TEXT, record INTEGER, likeness, is_settled,"
                " PRIMARY KEY (form, key, record)",
                _KEYED,
            )
            animals.make("same", "record INTEGER PRIMARY KEY, animal")
            _one_row_per_key(animals)
        if has_keys and not animals.run.copy:
            _known_keys(animals)
    witness = Witness(animals, read)
    witness.find_ids()
    if not (animals.staged.is_resumed or animals.run.copy):
        unsent = _earlier_versions(animals)
        if is_first or not has_keys:
            _equal_rows(animals)
        _withdraw(animals, unsent)
    witness.find_pets()
    witness.find_gone()
    witness.send_absent()
    animals.speak(witness.adopted, witness.now)
    if has_keys and not (animals.staged.is_resumed or animals.run.copy):
        _claim_keys(animals)
    witness.note()


def _take_lines_to_send(animals: Animals) -> None:
    """Make rows other animals of which the user says so; what was sent of them stays."""
    for line in animals.staged.send_lines:
        animals.do(
            "UPDATE rows SET animal = :base + record, known_by = 'user' WHERE import = :mine"
            " AND line = :line AND animal IS NOT NULL AND NOT EXISTS (SELECT 1 FROM animals AS own"
            "  WHERE own.animal = rows.animal AND own.import = :mine AND own.record = rows.record)",
            line=line,
        )
        animals.do(
            "UPDATE rows SET known_by = 'user' WHERE import = :mine AND line = :line"
            " AND animal IS NOT NULL",
            line=line,
        )


# 2: a row of a fix file is the record that it names


def _find_fixed(animals: Animals) -> None:
    """Make rows of a fix file the records that they name.

    Raises:
        InputError: A row names a record that this journal does not know, or that stands twice.
    """
    named = animals.do(
        "SELECT staged.record, line, import_id, origin, animal, reason FROM temp.staged"
        " JOIN rows ON import = :mine AND rows.record = staged.record"
        " WHERE import_id IS NOT NULL ORDER BY staged.record"
    ).fetchall()
    lines: dict[tuple[int, int], int] = {}
    for record, line, import_id, origin, mine, reason in named:
        number, key, problem, animal = _origin_of(animals, line, import_id, origin)
        if (number, origin) in lines:
            raise InputError(
                f"this row and line {lines[number, origin]} are the same record; nothing was sent",
                line=line,
                hint="remove one of the two, or empty _pf_record where it is another animal",
            )
        lines[number, origin] = line
        animals.origins.append((record, number, origin))
        # A record whose key was what had to be fixed gets that of its correction.
        if key is not None and (not problem or read_problem(problem).code not in KEY_PROBLEMS):
            select = "UPDATE rows SET key = :key WHERE import = :mine AND record = :record"
            animals.do(select, key=key, record=record)
        if reason is not None or (mine or 0) in range(1, animals.staged.base + 1):
            continue
        own = animals.staged.base + record
        if animal is None and mine is None:  # it is to fix still, and an animal to come
            animals.do(
                "INSERT INTO animals (animal, import, record) VALUES (:own, :mine, :record)",
                own=own,
                record=record,
            )
        animals.become([(animal or own, "record", record)])


def _origin_of(
    animals: Animals, line: int, import_id: str, origin: int
) -> tuple[int, str | None, str | None, int | None]:
    """Return import, key, problem and animal of the record that a row of a fix file names."""
    found = animals.do(
        "SELECT import, key, problem, animal FROM imports JOIN rows USING (import)"
        " WHERE id GLOB :id || '*' AND record = :origin",
        id=import_id,
        origin=origin,
    ).fetchall()
    if len(found) != 1:
        raise InputError(
            f"this row is record {origin} of the import {import_id}, which this journal does not "
            "know, so it may be in the store already; nothing was sent",
            line=line,
            hint="name the journal folder that the import was made with; or, if these are new "
            "animals, empty the column _pf_record",
        )
    ((number, key, problem, animal),) = found
    return number, key, problem, animal


# 3: a key names an animal


def _one_row_per_key(animals: Animals) -> None:
    """Let one row of each key stand; rows that differ are to fix, unless ``keep`` says which.

    Rows that differ in name and category are never one animal. Where many keys have other names,
    the file is of two shelters, unless the user says that animals were renamed.
    """
    keep, renamed, repeated = animals.run.keep, list[list[KeyedRow]](), 0
    stand: dict[int, int] = {}
    spoilt: list[tuple[list[int], RecordProblem]] = []
    found = map(KeyedRow._make, animals.do(_REPEATED))
    for _, group in groupby(found, lambda row: row.key):
        rows, repeated = list(group), repeated + 1
        if Differs.NAME in differences(rows):
            renamed.append(rows)
        one = row_that_stands(rows, keep)
        if isinstance(one, RecordProblem):
            spoilt.append(([row.id for row in rows], one))
        else:
            stand |= {row.id: one.id for row in rows if row is not one}
    is_said = keep is not None and animals.answers.get("reused") == "skip"
    if is_quarter(len(renamed), repeated) and not is_said:
        for rows in renamed:
            spoilt.append(([row.id for row in rows], other_animals(rows)))
            for row in rows:
                stand.pop(row.id, None)
    animals.repeat(stand)
    for records, problem in spoilt:
        animals.spoil(records, problem)


def _known_keys(animals: Animals) -> None:
    """Give the rows of known keys their animals; ask where a key is like another, or used again."""
    animals.do(f"INSERT INTO temp.same {_SAME}")
    animals.do(
        "UPDATE rows SET animal = same.animal, known_by = 'key' FROM temp.same"
        " WHERE rows.import = :mine AND rows.record = same.record"
    )
    is_known: list[Guess] = []  # the animal of its key, beyond doubt
    has_other_name: list[Guess] = []
    is_reused: list[Guess] = []
    is_like: list[Guess] = []
    found = map(KeyRow._make, animals.do(_OF_FORMS).fetchall())
    for form, group in groupby(found, lambda row: row.form):
        known, first = _animals_of(animals, form), dict[str, KeyRow]()
        for row in group:
            of_key = [each for each in known if each.key == row.key]
            if row.animal in {each.animal for each in of_key}:
                continue  # it is the animal of its key already
            if row.state is not None and row.state not in (State.PENDING, State.REJECTED):
                continue  # it was sent as another one
            if of_key:
                animal, how = _animal_of_key(row, of_key, known)
                found_as = {Differs.NAME: has_other_name, Differs.BOTH: is_reused}
                found_as.get(how, is_known).append(Guess(row.record, animal))
            elif row.problem is not None and read_problem(row.problem).code in KEY_PROBLEMS:
                continue
            elif known:
                if row.animal not in {each.animal for each in known}:
                    is_like.append(Guess(row.record, known[-1].animal))
            elif row.problem is None:
                one = first.setdefault(form, row)
                if one is not row:
                    is_like.append(Guess(row.record, stands=one.record))
    said = _answered_before(animals, [*has_other_name, *is_reused])
    is_known += [guess for guess in (*has_other_name, *is_reused) if guess in said]
    has_other_name = [guess for guess in has_other_name if guess not in said]
    is_reused = [guess for guess in is_reused if guess not in said]
    ((same,),) = animals.do("SELECT count(*) FROM temp.same").fetchall()
    of = same + len(is_known) + len(has_other_name) + len(is_reused)
    if is_quarter(len(has_other_name), of):
        is_reused = sorted([*is_reused, *has_other_name])
    else:
        is_known += has_other_name
    animals.become((guess.animal, "key", guess.record) for guess in is_known)
    animals.ask("reused", is_reused, of, "key")
    ((keys,),) = animals.do("SELECT count(*) FROM temp.keyed").fetchall()
    animals.ask("alias", is_like, keys, "key")


def _animals_of(animals: Animals, form: str) -> list[KeyAnimal]:
    found = animals.do(
        "SELECT key, animal, payload, likeness, state FROM keys JOIN animals USING (animal)"
        " WHERE columns = :columns AND form = :form ORDER BY animal",
        form=form,
    )
    return [KeyAnimal(*values) for values in found]


def _animal_of_key(
    row: KeyRow, of_key: list[KeyAnimal], of_form: list[KeyAnimal]
) -> tuple[int, Differs]:
    """Return which animal of its key a row is, and in what it differs from it.

    Of several it is the first with its name and category, else the only one with its name; those
    of a similar key count if they have both. One that was not sent takes what the row says.
    """

    def differs(each: KeyAnimal) -> Differs:
        if each.state is None or each.state == State.REJECTED:
            return Differs.NOTHING
        return difference(row.payload, each.payload, is_unnamed=row.is_unnamed)

    others = [each for each in of_form if each not in of_key and each.state is not None]
    near = [*of_key, *(each for each in others if row.payload and each.likeness == row.likeness)]
    how = [(differs(each), each.animal) for each in near]
    same = [animal for differs_in, animal in how if differs_in is Differs.NOTHING]
    named = [animal for differs_in, animal in how if differs_in is Differs.CATEGORY]
    if same:
        return same[0], Differs.NOTHING
    if len(named) == 1:
        return named[0], Differs.CATEGORY
    return how[0][1], how[0][0] if len(near) == 1 else Differs.BOTH


def _answered_before(animals: Animals, guesses: list[Guess]) -> set[Guess]:
    """Return the guesses whose row reads like an earlier row of that animal."""
    if not guesses:
        return set()
    found = set(
        animals.do(
            "SELECT animal, likeness FROM rows WHERE import <> :mine AND likeness IS NOT NULL"
            " AND animal IN (SELECT value FROM json_each(:animals))",
            animals=json.dumps([guess.animal for guess in guesses]),
        )
    )
    select = "SELECT likeness FROM rows WHERE import = :mine AND record = :record"
    likeness = {g.record: animals.do(select, record=g.record).fetchone()[0] for g in guesses}
    return {guess for guess in guesses if (guess.animal, likeness[guess.record]) in found}


def _claim_keys(animals: Animals) -> None:
    """Give each key its animal."""
    animals.do(
        "INSERT OR IGNORE INTO keys"
        " SELECT :columns, keyed.form, keyed.key, rows.animal FROM temp.keyed AS keyed"
        " CROSS JOIN rows ON rows.import = :mine AND rows.record = keyed.record"
        " WHERE keyed.record NOT IN (SELECT record FROM temp.same) AND rows.animal IS NOT NULL"
        " AND rows.reason IS NULL ORDER BY keyed.form, keyed.key"
    )


# 4: without a key a row is its content


def _equal_rows(animals: Animals) -> None:
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


def _earlier_versions(animals: Animals) -> list[tuple[int, int, int]]:
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


def _withdraw(animals: Animals, unsent: Iterable[tuple[int, int, int]]) -> None:
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
