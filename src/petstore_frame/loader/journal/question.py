"""What the user is asked before anything is sent, as values; the texts are made elsewhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from petstore_frame.loader.journal.rows import Import, read_cells
from petstore_frame.loader.reading.mapping import likely_keys
from petstore_frame.loader.record import State

CASES = ("equal", "similar_key", "reused_key", "own_pets", "others_pets")


@dataclass(frozen=True)
class Example:
    """A record of the file beside what it may be.

    Attributes:
        ours: The request body of this record, or its key (of ``similar_key``).
        theirs: The same of the other one.
        source: The file of the other record, or None for a pet of the store.
        day: When that file was loaded, in seconds since 1970, or None.
        pet_id: The pet, as far as it is known.
    """

    record: int
    line: int
    ours: str
    theirs: str
    source: str | None = None
    day: float | None = None
    pet_id: int | None = None


@dataclass(frozen=True)
class Earlier:
    """An earlier import as the user knows it: how many new records may be animals of it."""

    import_id: str
    source: str
    staged_at: float
    records: int


@dataclass(frozen=True)
class Case:
    """One reason to ask.

    Attributes:
        name: One of ``CASES``.
        records: How many records it concerns, ``of`` so many that are compared.
        examples: Two of them, side by side with what they may be.
        sources: The earlier imports, those with most of the records first.
        if_skip: How many records of the import are in each state where this and all other open
            cases are answered with ``skip``; ``if_send`` the same with ``send``.
    """

    name: str
    records: int
    of: int
    examples: tuple[Example, ...] = ()
    sources: tuple[Earlier, ...] = ()
    if_skip: dict[State, int] = field(default_factory=dict)
    if_send: dict[State, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """All that is to be answered before an import goes on.

    Attributes:
        source: The file's name, and how many records it has.
        cases: The reasons to ask, each with its counts.
        likely_key: A column that looks as if it identified each animal, or None.
        call: The call that asked, from which the proposals are made.
    """

    source: str
    records: int
    cases: tuple[Case, ...]
    likely_key: str | None = None
    call: Any = None


_EXAMPLES = """
SELECT mine.record, mine.line,
  iif(cases.name = 'similar_key', mine.key, CAST(mine.payload AS TEXT)),
  iif(cases.name = 'similar_key', old.key, coalesce(CAST(old.payload AS TEXT), pets.body)),
  imports.source, imports.staged_at, coalesce(old.pet_id, cases.pet)
FROM temp.cases CROSS JOIN records AS mine USING (id)
LEFT JOIN records AS old ON old.id = cases.other
LEFT JOIN imports ON imports.import = old.import AND old.import <> mine.import
LEFT JOIN temp.pets ON pets.pet = cases.pet
WHERE cases.name = ? ORDER BY mine.id LIMIT 2
"""
_SOURCES = """
SELECT imports.id, source, staged_at, count(*) FROM temp.cases
JOIN records AS old ON old.id = cases.other JOIN imports USING (import)
WHERE cases.name = ? AND import <> ? GROUP BY import ORDER BY 4 DESC, import DESC
"""


def read_cases(
    sql: sqlite3.Connection, cases: Mapping[str, tuple[int, int]], run: Import
) -> tuple[Case, ...]:
    """Return cases, with how many records each concerns of how many, as values to be shown."""
    return tuple(
        Case(
            name,
            *cases[name],
            examples=tuple(_example(*row) for row in sql.execute(_EXAMPLES, [name])),
            sources=tuple(Earlier(*row) for row in sql.execute(_SOURCES, [name, run.number])),
        )
        for name in CASES
        if name in cases
    )


def _example(record: int, line: int, ours: str | None, theirs: str | None, *rest: Any) -> Example:
    return Example(record, line, ours or "", theirs or "", *rest)


def likely_key(sql: sqlite3.Connection, run: Import) -> str | None:
    """Return a column that is not sent, filled, and different in each record, if any."""
    if run.key:
        return None
    rows = sql.execute(
        "SELECT cells FROM records WHERE import = ? AND notes IS NOT 'blank'", [run.number]
    )
    cells = (read_cells(packed) for (packed,) in rows)
    found = likely_keys(run.header, cells, {*run.mapping.values(), *run.key})
    return found[0] if found else None
