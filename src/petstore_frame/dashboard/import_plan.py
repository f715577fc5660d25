"""Summarizes the result of a dry run for the Check step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from petstore_frame.loader import LoadResult, RowGroup, State, view_of

CONFLICT = "key_repeated"


@dataclass(frozen=True)
class FileRow:
    """A row of the file: its cells by column, its problem, and the affected columns."""

    line: int
    cells: Mapping[str, str]
    columns: frozenset[str]
    problem: str


@dataclass(frozen=True)
class Conflict:
    """Animals whose rows disagree, for one cause.

    Attributes:
        needs_rule: Whether a rule that selects one row per animal would solve the conflict.
        hint: What the user can do.
        animals: Number of animals, and number of their rows.
        example: The rows of the first animal.
        columns: The columns in which its rows differ.
    """

    needs_rule: bool
    hint: str
    animals: int
    rows: int
    example: tuple[FileRow, ...]
    columns: frozenset[str]


@dataclass(frozen=True)
class Plan:
    """What sending the file would do.

    Attributes:
        groups: Number of rows in each group; the sum is the number of rows in the file.
        animals: Number of animals in each group, if a row may stand for several; None if not.
        pets_to_send: Number of pets that would be added.
        missing_pets: Number of pets that did not arrive when the file was sent before.
        question: The duplicate question that must be answered before sending, or None.
        is_blocked: Whether nothing is sent because most rows fail for the same reason.
        blocking_reason: That reason.
        loaded_rows: Number of rows that were sent before.
        warnings: Warnings about the file, as sentences.
        conflicts: Animals whose rows disagree.
        invalid: The rows that cannot be sent for other reasons.
        changed: Number of animals loaded before whose rows have changed since.
    """

    groups: Mapping[RowGroup, int]
    animals: Mapping[RowGroup, int] | None
    pets_to_send: int
    missing_pets: int
    question: Any
    is_blocked: bool
    blocking_reason: str
    loaded_rows: int
    warnings: list[str]
    conflicts: list[Conflict]
    invalid: list[FileRow]
    changed: int

    @classmethod
    def from_rehearsal(cls, result: LoadResult) -> Plan:
        """Return the plan that a dry run found."""
        view = view_of(result)
        facts = view.facts
        conflicting, invalid = _rows_to_fix(result)
        changed = sum(
            group.rows
            for group in facts.not_sent
            if str(group.reason) == "changed" and group.staged_at is not None
        )
        return cls(
            groups=facts.groups,
            animals=facts.animals,
            pets_to_send=facts.counts[State.PENDING],
            missing_pets=facts.counts[State.NOT_FOUND],
            question=view.question,
            is_blocked=facts.is_held and facts.counts[State.PENDING] > 0,
            blocking_reason=str(facts.common_cause or ""),
            loaded_rows=facts.groups[RowGroup.ALREADY_LOADED] + facts.groups[RowGroup.MATCHED],
            warnings=list(result.warnings),
            conflicts=[*_conflicts(conflicting, facts.run.key)],
            invalid=invalid,
            changed=changed,
        )


def _rows_to_fix(result: LoadResult) -> tuple[list[tuple[FileRow, Any]], list[FileRow]]:
    """Return the rows to fix: those of animals whose rows disagree, and all others."""
    view = view_of(result)
    header = view.run.header
    conflicting, others = list[tuple[FileRow, Any]](), list[FileRow]()
    for row in view.rows(State.INVALID, State.REJECTED):
        cells = {
            column: row.cells[at] if at < len(row.cells) else ""
            for at, column in enumerate(header)
            if column.strip()
        }
        text = "; ".join(problem.message for problem in row.problems)
        columns = frozenset(problem.column for problem in row.problems if problem.column)
        text = text or row.error_message or "the store rejected it"
        file_row = FileRow(row.line, cells, columns, text)
        conflicts = [problem for problem in row.problems if problem.code == CONFLICT]
        if conflicts:
            conflicting.append((file_row, conflicts[0]))
        else:
            others.append(file_row)
    return conflicting, others


def _conflicts(rows: Sequence[tuple[FileRow, Any]], key: Sequence[str]) -> Iterator[Conflict]:
    """Yield one conflict per cause, the one with the most rows first."""
    causes = defaultdict[bool, list[tuple[FileRow, Any]]](list)
    for row, problem in rows:
        causes[problem.add is not None].append((row, problem))
    for needs_rule, of_cause in sorted(causes.items(), key=lambda item: -len(item[1])):
        animals = defaultdict[tuple[str, ...], list[FileRow]](list)
        hints = dict[tuple[str, ...], str]()
        for row, problem in of_cause:
            name = tuple(row.cells.get(column, "").strip() for column in key)
            animals[name].append(row)
            hints.setdefault(name, problem.hint)
        first = max(animals, key=lambda name: len(animals[name]) > 1)
        example = animals[first]
        columns = {
            column
            for column in example[0].cells
            if len({row.cells[column].strip() for row in example}) > 1
        }
        yield Conflict(
            needs_rule,
            hints[first],
            len(animals),
            len(of_cause),
            tuple(example),
            frozenset(columns),
        )
