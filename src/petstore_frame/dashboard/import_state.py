"""Everything that the Import tab shows; the widgets only display it."""

from __future__ import annotations

from dataclasses import dataclass, field

from petstore_frame.dashboard.file_state import FileState
from petstore_frame.dashboard.import_plan import Plan
from petstore_frame.loader import LoadResult


@dataclass
class ImportState(FileState):
    """The state of a file that is being imported.

    Attributes:
        plan: The result of the last dry run, or None.
        answers: The answer to each case of the duplicate question, ``skip`` or ``create``.
        as_new: Whether all rows are new animals although the file was loaded before.
        send_valid_rows: Whether to send the valid rows although most rows fail for one reason.
        resend: Whether to send animals again that did not arrive.
        edits: The text that the user typed into cells of invalid rows, by line and column.
        edit_problems: The problem of each edited row that is still invalid, by line.
        result: The result of sending the file, or None.
    """

    plan: Plan | None = None
    answers: dict[str, str] = field(default_factory=dict)
    as_new: bool = False
    send_valid_rows: bool = False
    resend: bool = False
    edits: dict[int, dict[str, str]] = field(default_factory=dict)
    edit_problems: dict[int, str] = field(default_factory=dict)
    result: LoadResult | None = None

    @property
    def corrected_lines(self) -> list[int]:
        """The lines of rows that are valid with the edits."""
        return [line for line in self.edits if line not in self.edit_problems]

    @property
    def pets_to_send(self) -> int:
        """The number of pets that Send would add."""
        plan = self.plan
        if plan is None or plan.question is not None or plan.is_blocked:
            return 0
        return plan.pets_to_send + len(self.corrected_lines)

    @property
    def can_send(self) -> bool:
        """Whether Send is available: the plan is current and nothing is undecided."""
        if self.is_busy or self.result is not None or self.open_placeholders:
            return False
        return self.pets_to_send > 0
