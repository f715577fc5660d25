"""Rule 2 of identity: a row of a fix file is the record that it names."""

from __future__ import annotations

from petstore_frame.errors import InputError
from petstore_frame.loader.journal.animals import Animals
from petstore_frame.loader.journal.keyed import KEY_PROBLEMS
from petstore_frame.loader.journal.rows import read_problem


def find_fixed(animals: Animals) -> None:
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
