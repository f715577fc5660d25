"""What the Import tab shows of an import that was made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.export import LARGEST_DOWNLOAD
from petstore_frame.html import Markup
from petstore_frame.loader.call import FORM
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.loader.results.printed import result_html
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.settling.reconcile import Reconciliation

SETTLE = "Settle doubtful records"
IN_STORE = (State.CREATED, State.ADOPTED)


def result_view(results: list[LoadResult]) -> Markup:
    """Draw what became of a file: all of it in one line, then what is worth a look."""
    first, *corrected = results
    if not corrected:
        return _whole(first)
    by_result = [sum(each.counts[state] for state in IN_STORE) for each in results]
    title = f"{sum(by_result):,} of {len(first):,} records are in the store"
    if added := sum(by_result[1:]):
        title += f", {added:,} corrected here among them"
    left = to_fix(results)
    if not left and not any(result.in_doubt for result in results):
        return parts.success(title)
    note = parts.warning(title, [f"{left:,} still to fix"] if left else [])
    return note + Markup("").join(map(_whole, results))


def _whole(result: LoadResult) -> Markup:
    facts = replace(result.facts, call=FORM)
    if result.call.source is None:  # the corrected records, which have no file
        facts = replace(facts, run=replace(facts.run, source="Corrected here"))
    return result_html(facts, has_steps=False)


def to_fix(results: list[LoadResult]) -> int:
    """Return how many records of a file are still to fix, after those that were corrected."""
    first, *others = results
    here = sum(first.counts[state] for state in FIX_STATES)
    return here + sum(sum(each.counts[s] for s in FIX_STATES) - len(each) for each in others)


def settled_note(found: Reconciliation) -> Markup:
    """Return what reading back found of the records in doubt."""
    title = f"{found.created:,} found in the store, {found.absent:,} not found there"
    if found.unknown:
        return parts.warning(f"{title}, {found.unknown:,} still in doubt", found.notes)
    return parts.success(title, found.notes)


def files_note(folder: Path, result: LoadResult, *, has_steps: bool = True) -> Markup:
    """Return what to do next, and where the result files are."""
    where = element("p", "Result files: ", element("bdi", str(folder)))
    return (parts.lines(_steps(result)) if has_steps else Markup("")) + where


def files_of(folder: Path, result: LoadResult) -> list[Path]:
    """Return the result files that hold records and are small enough for a download."""
    states = {"fix.csv": FIX_STATES, "unknown.csv": DOUBT_STATES}
    names = [name for name, of in states.items() if any(result.counts[state] for state in of)]
    paths = (folder / name for name in (*names, "results.csv", "results.xlsx"))
    return [path for path in paths if path.exists() and path.stat().st_size <= LARGEST_DOWNLOAD]


def _steps(result: LoadResult) -> list[str]:
    """Return what to do next, the most urgent first; the counts of ``result`` decide."""
    elsewhere, absent = result.facts.elsewhere, result.counts[State.ABSENT]
    to_fix, doubtful = result.to_fix - elsewhere.to_fix, result.in_doubt - absent
    sentences = {
        f"{doubtful:,} may or may not be in the store; do not send them again by hand. “{SETTLE}” "
        "looks for them.": doubtful,
        f"{absent:,} not found in the store, which may still act late. “{SETTLE}” looks again; "
        "unknown.csv has them.": absent,
        "Correct fix.csv and import it here.": to_fix,
        f"{elsewhere.to_fix:,} refused in an earlier import of the same animals: correct them in "
        "its fix.csv.": elsewhere.to_fix,
        f"{elsewhere.not_sent:,} left to an earlier import of the same animals, which has not sent "
        "them: import that file again.": elsewhere.not_sent,
    }
    return [sentence for sentence, records in sentences.items() if records]
