"""Rule 3 of identity: a key names an animal.

Rows of one key in one file are one animal, and a known key is its animal. A key that is like a
known one, or that comes with the name of another animal, may be another's: that is asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import IntEnum
from itertools import combinations, groupby
from typing import NamedTuple

from petstore_frame.loader.duplicate_question import is_quarter
from petstore_frame.loader.journal.animals import Animals, Guess
from petstore_frame.loader.journal.rows import unpack_problems
from petstore_frame.loader.row_state import RecordProblem, State
from petstore_frame.schema import folded_name

KEY_REPEATED, KEY_MISSING = "key_repeated", "key_missing"
# A record with one of these problems may get another key when it is fixed.
KEY_PROBLEMS = frozenset({KEY_REPEATED, KEY_MISSING})

# The keys of the file; the forms of most are found without Python. A row whose content is given
# here is nothing but its key and its content. ``found`` is the animal of a row that needs no
# thought, and 0 where it keeps the one that it had.
_KEYED = """
INSERT INTO temp.keyed SELECT
  CASE WHEN key GLOB '*[^-_/0-9A-Za-z]*' THEN form_of(key)
    ELSE coalesce(nullif(ltrim(lower(key), '0'), ''), '0') END, key, record,
  CASE WHEN problem IS NULL AND reason IS NULL AND known_by IS NULL AND animal > :base
    THEN likeness END,
  CASE WHEN animal <= :base AND known_by IS NOT 'record' THEN 0 END
FROM rows WHERE import = :mine AND key IS NOT NULL
  AND (payload IS NOT NULL OR problem IS NOT NULL) ORDER BY 1, 2, 3
"""
# What needs no thought: a key that one row of the file has, and one animal that was sent, with the
# same content.
_SAME = """
UPDATE temp.keyed SET found = same.animal FROM (
  SELECT keyed.form, keyed.key, keyed.record, keys.animal FROM temp.keyed AS keyed
  CROSS JOIN keys ON keys.columns = :columns AND keys.form = keyed.form
  CROSS JOIN animals AS own ON own.animal = keys.animal
  GROUP BY keyed.form HAVING count(*) = 1 AND keys.key = keyed.key
    AND own.likeness = keyed.likeness AND own.state IN ('created', 'matched')) AS same
WHERE keyed.form = same.form AND keyed.key = same.key AND keyed.record = same.record
"""
_BE_SAME = """
UPDATE rows SET animal = keyed.found, known_by = 'key' FROM temp.keyed AS keyed
WHERE keyed.found AND rows.import = :mine AND rows.record = keyed.record
"""
_READ = """
SELECT keyed.key, rows.record, rows.line, rows.payload, rows.cells, rows.rank, rows.is_unnamed,
  keyed.form, rows.animal, rows.likeness, rows.problem, own.state
"""
_ROWS = """
CROSS JOIN rows ON rows.import = :mine AND rows.record = keyed.record
LEFT JOIN animals AS own ON own.animal = rows.animal
"""
_REPEATED = f"""
{_READ} FROM (SELECT form, key FROM temp.keyed GROUP BY form, key
  HAVING count(*) > 1 AND count(found) < count(*)) AS several
CROSS JOIN temp.keyed AS keyed USING (form, key) {_ROWS}
WHERE rows.known_by IS NOT 'user' ORDER BY keyed.form, keyed.key, keyed.record
"""
# The rows of the forms that are known, or that the file writes in several ways.
_OF_FORMS = f"""
{_READ} FROM (SELECT form FROM temp.keyed AS one GROUP BY form
  HAVING count(found) < count(*) AND (min(key) <> max(key)
    OR EXISTS (SELECT 1 FROM keys WHERE keys.columns = :columns AND keys.form = one.form))) AS open
CROSS JOIN temp.keyed AS keyed USING (form) {_ROWS}
WHERE coalesce(rows.known_by, '') NOT IN ('repeat', 'user') AND rows.reason IS NULL
ORDER BY keyed.form, keyed.record
"""
_ANIMALS_OF_FORM = """
SELECT key, animal, payload, likeness, state FROM keys JOIN animals USING (animal)
WHERE columns = :columns AND form = :form ORDER BY animal
"""
_EARLIER_ROWS = """
SELECT animal, likeness FROM rows WHERE import <> :mine AND likeness IS NOT NULL
AND animal IN (SELECT value FROM json_each(:animals))
"""
# Gives each key its animal.
CLAIM = """
INSERT OR IGNORE INTO keys SELECT :columns, keyed.form, keyed.key, rows.animal
FROM temp.keyed AS keyed CROSS JOIN rows ON rows.import = :mine AND rows.record = keyed.record
WHERE NOT coalesce(keyed.found, 0) AND rows.animal IS NOT NULL AND rows.reason IS NULL
ORDER BY keyed.form, keyed.key
"""


class Differs(IntEnum):
    """In what two bodies differ; the status does not count."""

    NOTHING = 0
    CATEGORY = 1
    NAME = 2
    BOTH = 3


class KeyedRow(NamedTuple):
    """A row that a key names; the state is that of its animal."""

    key: str
    id: int
    line: int
    payload: bytes | None
    cells: str | bytes
    rank: str | None
    is_unnamed: bool
    form: str = ""
    animal: int = 0
    likeness: bytes | None = None
    problem: str | None = None
    state: str | None = None

    @property
    def content(self) -> bytes | str:
        """All that is sent, or the cells of a row that cannot be."""
        return self.payload or self.cells

    @property
    def has_no_key(self) -> bool:
        """Whether its key is what is to be fixed."""
        return any(problem.code in KEY_PROBLEMS for problem in unpack_problems(self.problem))


class KeyAnimal(NamedTuple):
    """An animal that a key of some form names."""

    key: str
    animal: int
    payload: bytes | None
    likeness: bytes | None
    state: str | None

    def differs(self, row: KeyedRow) -> Differs:
        """Return in what a row differs from it; one that was not sent takes what the row says."""
        if self.state is None or self.state == State.REJECTED:
            return Differs.NOTHING
        return difference(row.payload, self.payload, is_unnamed=row.is_unnamed)


def name_of(payload: bytes | None) -> str | None:
    """Return the name of a request body, as names are compared."""
    return None if payload is None else folded_name(json.loads(payload)["name"])


def difference(one: bytes | None, other: bytes | None, *, is_unnamed: bool = False) -> Differs:
    """Return in what two bodies differ; a name from ``defaults`` is no other name."""
    if one is None or other is None or one == other:
        return Differs.NOTHING
    mine, theirs = json.loads(one), json.loads(other)
    is_named = is_unnamed or folded_name(mine["name"]) == folded_name(theirs["name"])
    is_filed = mine["categoryId"] == theirs["categoryId"]
    return Differs((0 if is_named else Differs.NAME) + (0 if is_filed else Differs.CATEGORY))


def differences(rows: Sequence[KeyedRow]) -> set[Differs]:
    """Return in what any two of some rows differ."""
    bodies = {row.payload: row for row in rows if row.payload is not None}.values()
    return {
        difference(one.payload, other.payload, is_unnamed=one.is_unnamed or other.is_unnamed)
        for one, other in combinations(bodies, 2)
    }


def row_that_stands(rows: Sequence[KeyedRow], keep: str | None) -> KeyedRow | RecordProblem:
    """Return the row of a key that stands, or why none does."""
    key = rows[0].key
    if len(rows) > 1 and key.startswith("[") and "" in json.loads(key):
        what = "a part of the key is empty, and the rest names several rows"
        return RecordProblem(KEY_MISSING, what, value=key, hint="fill it in")
    if len({row.content for row in rows}) == 1:
        return rows[0]
    if Differs.BOTH in differences(rows):
        return _differ(rows, OTHER_ANIMALS)
    if keep is None:
        return _differ(rows, "leave one, or say which one counts", ("keep", "?"))
    if all(row.rank is None for row in rows):  # without order_by
        return rows[0] if keep == "first" else rows[-1]
    select = min if keep == "first" else max
    selected_rank = select(row.rank or "" for row in rows)
    candidates = [row for row in rows if row.rank == selected_rank]
    is_clear = all(row.rank for row in rows) and len({row.content for row in candidates}) == 1
    if is_clear:
        return candidates[0]
    return _differ(rows, f"it is not clear which is the {keep}; leave one")


OTHER_ANIMALS = (
    "each seems to be another animal: a further key column, such as the shelter, would help"
)


def _differ(
    rows: Sequence[KeyedRow], hint: str, add: tuple[str, str] | None = None
) -> RecordProblem:
    shown = ", ".join(str(row.line) for row in rows[:5]) + (", …" if len(rows) > 5 else "")
    hint = f"of the lines {shown} {hint}"
    return RecordProblem(KEY_REPEATED, "rows of this key differ", hint=hint, add=add)


def one_row_per_key(animals: Animals) -> None:
    """Let one row of each key stand; where many have other names, the file is of two shelters."""
    animals.do("DROP TABLE IF EXISTS temp.keyed")
    animals.do(
        "CREATE TEMP TABLE keyed (form TEXT, key TEXT, record INTEGER, likeness, found,"
        " PRIMARY KEY (form, key, record)) WITHOUT ROWID"
    )
    animals.do(_KEYED)
    keep, renamed, repeated = animals.run.keep, list[list[KeyedRow]](), 0
    stand: dict[int, int] = {}
    spoilt: list[tuple[list[KeyedRow], RecordProblem]] = []
    found = map(KeyedRow._make, animals.do(_REPEATED))
    for _, group in groupby(found, lambda row: row.key):
        rows, repeated = list(group), repeated + 1
        if Differs.NAME in differences(rows):
            renamed.append(rows)
        one = row_that_stands(rows, keep)
        if isinstance(one, RecordProblem):
            spoilt.append((rows, one))
        else:
            stand |= {row.id: one.id for row in rows if row is not one}
    is_said = keep is not None and animals.answers.get("reused_key") == "skip"
    if is_quarter(len(renamed), repeated) and not is_said:
        spoilt += [(rows, _differ(rows, OTHER_ANIMALS)) for rows in renamed]
    to_fix = {row.id for rows, _ in spoilt for row in rows}
    animals.repeat({record: one for record, one in stand.items() if record not in to_fix})
    for rows, problem in spoilt:
        animals.spoil([row.id for row in rows], problem)


def known_keys(animals: Animals) -> None:
    """Give the rows of known keys their animals; ask where a key is like another, or used again."""
    same = animals.do(_SAME).rowcount
    animals.do(_BE_SAME)
    is_known: list[Guess] = []  # the animal of its key, beyond doubt
    has_other_name: list[Guess] = []
    is_reused: list[Guess] = []
    is_like: list[Guess] = []
    read_as: dict[int, bytes | None] = {}
    found = map(KeyedRow._make, animals.do(_OF_FORMS).fetchall())
    for form, group in groupby(found, lambda row: row.form):
        known = [KeyAnimal(*each) for each in animals.do(_ANIMALS_OF_FORM, form=form)]
        numbers, first = {each.animal for each in known}, None
        for row in group:
            was_sent = row.state not in (None, State.PENDING, State.REJECTED)
            of_key = [each for each in known if each.key == row.key]
            if was_sent or row.animal in {each.animal for each in of_key}:
                continue  # as another animal, or it is the animal of its key already
            read_as[row.id] = row.likeness
            if of_key:
                animal, how = _animal_of_key(row, of_key, known)
                found_as = {Differs.NAME: has_other_name, Differs.BOTH: is_reused}
                found_as.get(how, is_known).append(Guess(row.id, animal))
            elif row.has_no_key or row.animal in numbers:
                continue
            elif known:
                is_like.append(Guess(row.id, known[-1].animal))
            elif row.problem is None:
                if first is not None:
                    is_like.append(Guess(row.id, stands=first))
                first = first or row.id
    named = [guess.animal for guess in (*has_other_name, *is_reused)]
    earlier = set(animals.do(_EARLIER_ROWS, animals=json.dumps(named))) if named else set()
    for guesses in (has_other_name, is_reused):
        # A row that reads like an earlier row of its animal was answered then.
        said = [guess for guess in guesses if (guess.animal, read_as[guess.record]) in earlier]
        is_known += said
        guesses[:] = [guess for guess in guesses if guess not in said]
    of = same + len(is_known) + len(has_other_name) + len(is_reused)
    if is_quarter(len(has_other_name), of):
        is_reused = sorted([*is_reused, *has_other_name])
    else:
        is_known += has_other_name
    animals.become((guess.animal, "key", guess.record) for guess in is_known)
    animals.ask("reused_key", is_reused, of)
    animals.ask("similar_key", is_like, animals.count("FROM temp.keyed"))


def _animal_of_key(
    row: KeyedRow, of_key: list[KeyAnimal], of_form: list[KeyAnimal]
) -> tuple[int, Differs]:
    """Return which animal of its key a row is, and in what it differs from it.

    Of several it is the first with its name and category, else the only one with its name; those
    of a similar key count if they have both.
    """
    others = [each for each in of_form if each not in of_key and each.state is not None]
    near = [*of_key, *(each for each in others if row.payload and each.likeness == row.likeness)]
    how = [(each.differs(row), each.animal) for each in near]
    same = [animal for differs_in, animal in how if differs_in is Differs.NOTHING]
    named = [animal for differs_in, animal in how if differs_in is Differs.CATEGORY]
    if same:
        return same[0], Differs.NOTHING
    if len(named) == 1:
        return named[0], Differs.CATEGORY
    return how[0][1], how[0][0] if len(near) == 1 else Differs.BOTH
