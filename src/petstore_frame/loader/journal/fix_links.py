"""Links the rows of a fix file to the rows that they correct (rule 2 of ``identity``)."""

from __future__ import annotations

from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.journal.matching_input import Reader
from petstore_frame.loader.journal.rows import pack_problems, unpack_problems
from petstore_frame.loader.matching.fix_rows import Original, fix_row_problem
from petstore_frame.loader.matching.repeated_keys import KEY_PROBLEMS
from petstore_frame.loader.matching.values import Animal, By, Row
from petstore_frame.loader.row_state import RowProblem, State
from petstore_frame.tables.table import RowOrigin

# The row that a fix row names, its import, and its animal.
_ORIGINAL = """
SELECT imports.import, source, rows.line, rows.key, rows.core, rows.content, rows.problem,
  iif(rows.known_by = 'fix',
    (SELECT source FROM imports AS fixing WHERE fixing.import = animals.import), NULL),
  rows.animal, animals.content, animals.payload, animals.state
FROM imports JOIN rows USING (import) LEFT JOIN animals ON animals.animal = rows.animal
WHERE id GLOB :id || '*' AND rows.row = :origin
"""
_FIX_ROW = """
SELECT key, core, content, payload, animal, reason, line FROM rows
WHERE import = :mine AND row = :row
"""
# The latest animal with a key.
_OWNER = """
SELECT animals.animal, animals.content, animals.payload, animals.state FROM keys
JOIN animals ON animals.animal = keys.animal
WHERE columns = :columns AND core = :core AND key = :key
ORDER BY animals.animal DESC LIMIT 1
"""


def link_fix_rows(reader: Reader) -> list[tuple[int, int, int]]:
    """Assign the animals of the corrected rows to the rows of a fix file.

    Returns:
        For each linked row: its number, the import that it corrects, and the row in that import.

    Raises:
        InputError: The named row is not in the journal, or two rows name the same one.
    """
    links: list[tuple[int, int, int]] = []
    lines: dict[tuple[int, int], int] = {}
    for row, line, origin in reader.staged.origins:
        number, original = _original(reader, origin, line)
        earlier_line = lines.setdefault((number, origin.row), line)
        if earlier_line != line:
            raise InputError(
                f"this row and line {earlier_line} are the same row of {original.source}; nothing "
                "was sent",
                line=line,
                hint="remove one of the two, or empty _pf_row if it is another animal",
            )
        if _link(reader, row, original):
            links.append((row, number, origin.row))
    return links


def _original(reader: Reader, origin: RowOrigin, line: int) -> tuple[int, Original]:
    originals = reader.execute(_ORIGINAL, id=origin.import_id, origin=origin.row).fetchall()
    if len(originals) != 1:
        raise InputError(
            f"this row is row {origin.row} of the import {origin.import_id}, which is not in this "
            "journal, so it may be in the store already; nothing was sent",
            line=line,
            hint="name the journal folder of that import; or, if these are new animals, empty the "
            "column _pf_row",
        )
    number, source, original_line, key, core, content, problem, fixed_by, *values = originals[0]
    codes = {row_problem.code for row_problem in unpack_problems(problem)}
    animal = _animal(values)
    is_to_fix = animal is None or animal.state in (None, State.REJECTED, State.PENDING)
    return number, Original(
        original_line,
        source,
        key,
        core,
        content,
        bool(codes & KEY_PROBLEMS),
        is_to_fix,
        animal,
        fixed_by,
    )


def _animal(values: Any) -> Animal | None:
    number, content, payload, state = values
    if number is None:
        return None
    return Animal(number, content, payload, None if state is None else State(state))


def _link(reader: Reader, number: int, original: Original) -> bool:
    """Assign the animal of the original to a fix row; return whether the row may have it."""
    base = reader.staged.base
    ((key, core, content, payload, animal, reason, line),) = reader.execute(
        _FIX_ROW, row=number
    ).fetchall()
    row = Row(number, line, content, payload, key, core)
    owner = None
    if key is not None:
        values = reader.execute(_OWNER, key=key, core=core).fetchone()
        owner = None if values is None else _animal(values)
    problem = fix_row_problem(row, original, owner)
    if problem is not None:
        _reject(reader, number, problem)
        return False
    if reason is not None or (animal is not None and animal <= base):
        return True
    new_animal = base + number
    if original.animal is None and animal is None:  # the row still needs fixing: reserve an animal
        reader.execute(
            "INSERT INTO animals (animal, import, row) VALUES (:animal, :mine, :row)",
            animal=new_animal,
            row=number,
        )
    animal = original.animal.id if original.animal is not None else new_animal
    reader.execute(
        "UPDATE rows SET animal = :animal, known_by = :by WHERE import = :mine AND row = :row",
        animal=animal,
        by=By.FIX.value,
        row=number,
    )
    return True


def _reject(reader: Reader, row: int, problem: RowProblem) -> None:
    """Unlink a row from its animal, and store its problem."""
    reader.execute(
        "UPDATE rows SET animal = NULL, known_by = NULL, problem = :problem"
        " WHERE import = :mine AND row = :row",
        problem=pack_problems([problem]),
        row=row,
    )
