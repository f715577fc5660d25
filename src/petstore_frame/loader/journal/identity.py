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
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from petstore_frame.loader.journal.animals import Animals, Guess
from petstore_frame.loader.journal.fixed import find_fixed
from petstore_frame.loader.journal.keyed import (
    KEY_PROBLEMS,
    Differs,
    KeyedRow,
    difference,
    differences,
    other_animals,
    row_that_stands,
)
from petstore_frame.loader.journal.rows import count_in, note_facts, read_problem
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.unkeyed import earlier_versions, equal_rows, withdraw
from petstore_frame.loader.journal.witness import ReadStore, Witness
from petstore_frame.loader.question import Question, is_quarter
from petstore_frame.loader.record import RecordProblem, State

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
        find_fixed(animals)
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
        unsent = earlier_versions(animals)
        if is_first or not has_keys:
            equal_rows(animals)
        withdraw(animals, unsent)
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
