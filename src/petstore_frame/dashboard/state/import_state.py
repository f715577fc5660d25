"""The state of an import, from the file to its result; nothing here knows of widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from petstore_frame.dashboard.state.file_state import FileState
from petstore_frame.dashboard.state.step_questions import has_columns, has_values
from petstore_frame.loader import ImportSummary, JournalRow, LoadResult, RowGroup, State, view_of
from petstore_frame.questions import Question


class FileRow(NamedTuple):
    """A row as it is in the file."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class DryRun:
    """The result of a dry run, with what was read of it once.

    After sending, it is the result of that, so that rows which still need an answer are asked.

    Attributes:
        result: The LoadResult.
        facts: What the result reports.
        to_fix: The first rows that need fixing.
        possible: The first possible duplicates.
        not_found: The rows whose animals did not arrive when the file was sent before.
    """

    result: LoadResult
    facts: ImportSummary
    to_fix: tuple[JournalRow, ...]
    possible: tuple[JournalRow, ...]
    not_found: tuple[JournalRow, ...]


@dataclass(frozen=True)
class ImportState(FileState):
    """The state of a file that is being imported.

    Attributes:
        dry_run: The last dry run, which is the plan, or None. Its questions stay on the page while
            the next one runs.
        is_checked: Whether the dry run is of the present answers.
        refused: The question without whose answer there is no dry run, or None.
        duplicates: What to do with all possible duplicates: ``skip``, ``create`` or None.
        as_new: Whether all rows are new animals although the file was loaded before.
        new_lines, excluded_lines: Lines that are new animals, and lines that are not sent.
        earlier_names: The names that earlier files gave to the categories of the store.
        rename_categories: Numbers of categories whose names in the list are right.
        send_valid_rows: Whether to send the valid rows although most rows fail for one reason.
        corrections: Corrected cells, by row and column.
        corrected: The rows with corrected cells, as they were in the file.
        result: The result of sending the file, or None.
    """

    dry_run: DryRun | None = None
    is_checked: bool = False
    refused: Question | None = None
    duplicates: str | None = None
    as_new: bool = False
    new_lines: frozenset[int] = frozenset()
    excluded_lines: frozenset[int] = frozenset()
    earlier_names: Mapping[int, str] = field(default_factory=dict)
    rename_categories: frozenset[int] = frozenset()
    send_valid_rows: bool = False
    corrections: Mapping[tuple[int, str], str] = field(default_factory=dict)
    corrected: Mapping[int, FileRow] = field(default_factory=dict)
    result: LoadResult | None = None

    @property
    def is_finished(self) -> bool:
        return self.result is not None

    @property
    def load_options(self) -> dict[str, Any]:
        """The arguments of the load that the answers stand for."""
        no_limit = 2**31
        return {
            "duplicates": self.duplicates,
            "as_new": True if self.as_new else sorted(self.new_lines),
            "exclude_lines": sorted(self.excluded_lines),
            "rename_categories": sorted(self.rename_categories),
            "max_errors": no_limit if self.send_valid_rows else None,
            "corrections": dict(self.corrections),
        }

    @property
    def question(self) -> Question | None:
        """The question that the load would ask, or None."""
        if self.dry_run is None or not self.is_checked:
            return self.refused
        return self.dry_run.facts.question

    @property
    def pets_to_send(self) -> int:
        """The number of pets that Send would add."""
        if self.dry_run is None or not self.is_checked:
            return 0
        facts = self.dry_run.facts
        if facts.question is not None or facts.is_held:
            return 0
        return facts.group_counts.animals[RowGroup.TO_SEND]

    @property
    def open_steps(self) -> list[str]:
        """The names of the steps with open questions."""
        steps = {
            "Choose a file": self.has_layout,
            "Match columns": has_columns(self),
            "Match values": has_values(self),
        }
        return [name for name, is_done in steps.items() if not is_done]


def read_dry_run(result: LoadResult, most: int) -> DryRun:
    """Return a dry run with its first ``most`` rows that need an answer."""
    view = view_of(result)
    rows = tuple(view.rows(State.INVALID, State.REJECTED))
    possible = tuple(view.rows(State.POSSIBLE_DUPLICATE))
    not_found = tuple(view.rows(State.NOT_FOUND))
    return DryRun(result, view.facts, rows[:most], possible[:most], not_found)
