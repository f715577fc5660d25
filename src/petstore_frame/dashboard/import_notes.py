"""What the Import tab shows of a file and of what became of it.

In: a first look into a file, or a result and its folder. Out: HTML, every text escaped. It makes
no widget.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.export import offer
from petstore_frame.dashboard.import_job import Preview
from petstore_frame.html.markup import escape, isolated, page_table
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.settling.reconcile import Reconciliation

FIELDS = {"name": "Name", "category_id": "Category", "status": "Status"}
SETTLE = "Settle doubtful records"
LARGEST_LINK = 2 * 1024 * 1024  # several links share a page; larger files are named only


def preview_table(preview: Preview) -> str:
    """Draw the first records as they are in the file, each with its number: a cell may be empty."""
    if not preview.rows:
        return ""
    named = {column: FIELDS[field] for field, column in preview.mapping.items()}
    head = [
        (escape(column) or "(no name)")
        + (f"<br><small>→ {named[column]}</small>" if column in named else "")
        for column in preview.header
    ]
    rows = (
        [str(number), *_cells(row, len(head))] for number, row in enumerate(preview.rows, start=1)
    )
    caption = f"First records of {preview.path.name}"
    return page_table(rows, ["Record", *head], caption=caption)


def _cells(row: Sequence[str], width: int) -> list[str]:
    padded = [*row[:width], *[""] * (width - len(row))]
    return [isolated(cell[:200]) for cell in padded]


def settled_note(found: Reconciliation) -> str:
    """Return what reading back found of the records in doubt."""
    title = f"{found.created:,} found in the store, {found.absent:,} not found there"
    if found.unknown:
        return parts.warning(f"{title}, {found.unknown:,} still in doubt", found.notes)
    return parts.success(title, found.notes)


def files_note(folder: Path, result: LoadResult) -> str:
    """Return what to do next, and where the result files are, with links to those not empty."""
    advice = "".join(f"<p>{escape(step)}</p>" for step in _steps(result))
    links = [
        offer(path.read_bytes(), path.name, folder)
        for path in (folder / name for name in _held(result))
        if path.exists() and path.stat().st_size <= LARGEST_LINK
    ]
    return (
        f"{advice}<p>Result files: {isolated(str(folder))}</p>"
        f'<p class="pf-links">{" · ".join(links)}</p>'
    )


def _held(result: LoadResult) -> list[str]:
    """Name the result files that hold records."""
    fix = any(result.counts[state] for state in FIX_STATES)
    doubt = any(result.counts[state] for state in DOUBT_STATES)
    return [*["fix.csv"] * fix, *["unknown.csv"] * doubt, "results.csv", "results.xlsx"]


def _steps(result: LoadResult) -> list[str]:
    """Return what to do next, the most urgent first; the counts of ``result`` decide."""
    elsewhere, absent = result.elsewhere, result.counts[State.ABSENT]
    to_fix, doubtful = result.to_fix - elsewhere.to_fix, result.in_doubt - absent
    sentences = {
        f"{doubtful:,} may or may not be in the store; do not send them again by hand. “{SETTLE}” "
        "looks for them.": doubtful,
        f"{absent:,} not found in the store, which may still act late. “{SETTLE}” looks again; "
        "unknown.csv has them.": absent,
        "Correct fix.csv and import it here.": to_fix,
        f"{elsewhere.to_fix:,} refused in the import of an edited file: correct them in its "
        "fix.csv.": elsewhere.to_fix,
        f"{elsewhere.not_sent:,} left to the import of an edited file, which has not sent them: "
        "import that file again.": elsewhere.not_sent,
    }
    return [sentence for sentence, records in sentences.items() if records]
