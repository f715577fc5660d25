"""Everything that the Import tab shows; the widgets only display it."""

from __future__ import annotations

from dataclasses import dataclass, field

from petstore_frame.dashboard.file_state import FileState
from petstore_frame.dashboard.import_plan import Plan
from petstore_frame.loader import LoadResult


@dataclass
class ImportState(FileState):
    """A file on its way into the store.

    Attributes:
        plan: What sending would do now; None until it was counted.
        answers: The answer to each case of the duplicate question, ``skip`` or ``create``.
        as_new: Whether the whole file stands for new animals although it was loaded before.
        send_valid_rows: Whether valid rows are sent although most rows fail for one reason.
        resend: Whether animals that did not arrive are sent again.
        edits: What the user typed into cells of invalid rows, by line and column.
        edit_problems: Why an edited row is still invalid, by line.
        result: What became of the file after it was sent.
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
        """The lines of invalid rows that are valid with what the user typed."""
        return [line for line in self.edits if line not in self.edit_problems]

    @property
    def pets_to_send(self) -> int:
        """How many pets Send would add."""
        plan = self.plan
        if plan is None or plan.question is not None or plan.is_held:
            return 0
        return plan.pets_to_send + len(self.corrected_lines)

    @property
    def can_send(self) -> bool:
        """Whether Send would send exactly what the page shows."""
        if self.is_busy or self.result is not None or self.open_placeholders:
            return False
        return self.pets_to_send > 0
