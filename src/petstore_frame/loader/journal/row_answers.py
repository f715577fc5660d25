"""Reads and writes the answers about rows that may be animals or pets that exist already.

An answer is about one row of an import. ``skip`` is also about the key and the name of this row in
other files: an animal with another name is asked about once, not every week.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from petstore_frame.loader.journal import decisions as journal
from petstore_frame.loader.journal.schema import IS_ANIMAL
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.matching.folding import SEPARATOR, name_in
from petstore_frame.loader.matching.values import CREATE, SKIP, Decision, Row

_QUESTION = "row"
# The answers for a key and a name, each with its animal.
_OF_NAMES = f"""
SELECT decisions.subject, decisions.at, animals.animal, animals.content FROM decisions
JOIN animals ON animals.animal = CAST(decisions.object AS INTEGER) AND {IS_ANIMAL}
WHERE decisions.scope = '{journal.STORE}' AND decisions.question = '{_QUESTION}'
"""


@dataclass(frozen=True)
class RowAnswers:
    """What is known about single rows before the rules run.

    Attributes:
        decisions: The latest answer for each row that has one.
        of_names: The ``skip`` answers for rows of any file, by their key and name.
        shown: Rows that an earlier call listed as possible duplicates.
        new_lines: Lines that this call names as new animals.
    """

    decisions: Mapping[int, Decision] = field(default_factory=dict)
    of_names: Mapping[str, Decision] = field(default_factory=dict)
    shown: Collection[int] = ()
    new_lines: Collection[int] = ()

    def decision_of(self, number: int, key: str | None, content: str | None) -> Decision | None:
        """Return the latest answer for a row; None if nobody was asked about it."""
        return self.decisions.get(number) or self.of_names.get(_key_and_name(key, content))


def _key_and_name(key: str | None, content: str | None) -> str:
    """Return the key and the folded name of a row as one text; empty if it lacks one of them."""
    return f"{key}{SEPARATOR}{name_in(content)}" if key and content else ""


def read_answers(sql: sqlite3.Connection, staged: Staged, new_lines: Collection[int]) -> RowAnswers:
    """Return what is known about the rows of a file; a copy of it follows no answer about names."""
    run = staged.run
    return RowAnswers(
        decisions=_read_decisions(sql, run.id),
        of_names={} if run.copy else _read_decisions_of_names(sql),
        shown=staged.shown,
        new_lines=new_lines,
    )


def _read_decisions(sql: sqlite3.Connection, import_id: str) -> dict[int, Decision]:
    """Return the latest answer for each row of an import that has one."""
    return {
        int(decision.subject): Decision(
            SKIP if decision.answer == SKIP else CREATE,
            int(decision.object) if decision.object else None,
            decision.at,
        )
        for decision in journal.read_decisions(sql, import_id, _QUESTION)
    }


def _read_decisions_of_names(sql: sqlite3.Connection) -> dict[str, Decision]:
    """Return the ``skip`` answers by key and name, for names that their animals do not have."""
    return {
        subject: Decision(SKIP, animal, at)
        for subject, at, animal, content in sql.execute(_OF_NAMES)
        if not content or name_in(content) != subject.rpartition(SEPARATOR)[2]
    }


def write_answers(
    sql: sqlite3.Connection, import_id: str, answered: Mapping[int, Decision], rows: Collection[Row]
) -> None:
    """Write answers for rows of an import; the caller has begun a transaction."""
    new, ended = list[journal.Decision](), list[str]()
    for row in rows:
        if row.number not in answered:
            continue
        answer, animal, at = answered[row.number]
        compared = "" if animal is None else str(animal)
        new.append(journal.Decision(import_id, _QUESTION, str(row.number), compared, answer, at))
        if name := _key_and_name(row.key, row.content):
            ended.append(name)
            if animal is not None:
                new.append(journal.Decision(journal.STORE, _QUESTION, name, compared, answer, at))
    journal.remove_subjects(sql, journal.STORE, _QUESTION, ended)
    journal.decide(sql, new)
