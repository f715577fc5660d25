"""What the Import tab shows of imports: the last one, and those of the past."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.export import LARGEST_DOWNLOAD
from petstore_frame.dashboard.import_view import tick
from petstore_frame.html import PAGE, Markup
from petstore_frame.loader.call import FORM
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.loader.results.result_text import result_html
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.results.summary import MEANINGS
from petstore_frame.loader.settling.reconcile import Reconciliation
from petstore_frame.schema.text import minute_text

SETTLE = "Settle doubtful records"
# What the user may state about the store before we look for records in doubt.
STATED = {
    "sole_writer": "nobody else adds pets to this store",
    "resend_absent": "send again what is not found there",
}
_IN_STORE = (State.CREATED, State.ADOPTED)


def result_view(results: Sequence[LoadResult], folders: Sequence[Path]) -> Markup:
    """Draw what became of a file: one line for all of it, then the records that need a look."""
    first, *corrected = results
    is_left = bool(to_fix(results)) or any(result.in_doubt for result in results)
    if not corrected:
        drawn = _whole(first)
    elif is_left:
        note = parts.warning(_headline(results), [f"{to_fix(results):,} still to fix"])
        drawn = note + Markup("").join(map(_whole, results))
    else:
        drawn = parts.success(_headline(results))
    if is_left:
        drawn += Markup("").join(element("p", step) for each in results for step in _steps(each))
    for folder in folders:
        drawn += element("p", "Result files: ", element("bdi", str(folder)))
    files = files_of(folders, results)
    names = [path.name for path in files]
    # The records that were corrected on screen have a folder of their own.
    shown = (path.name if names.count(path.name) == 1 else f"{path.parent.name}/{path.name}"
             for path in files)  # fmt: skip
    buttons = (parts.step(f"file:{at}", f"Download {name}") for at, name in enumerate(shown))
    return drawn + parts.row(*buttons)


def _headline(results: Sequence[LoadResult]) -> str:
    by_result = [sum(each.counts[state] for state in _IN_STORE) for each in results]
    title = f"{sum(by_result):,} of {len(results[0]):,} records are in the store"
    added = sum(by_result[1:])
    return f"{title}, {added:,} corrected here among them" if added else title


def _whole(result: LoadResult) -> Markup:
    return result_html(replace(result.facts, call=FORM), has_steps=False)


def to_fix(results: Sequence[LoadResult]) -> int:
    """Return how many records of a file are still to fix, after those that were corrected."""
    first, *others = results
    here = sum(first.counts[state] for state in FIX_STATES)
    return here + sum(sum(each.counts[s] for s in FIX_STATES) - len(each) for each in others)


def settling(stated: Collection[str], *, is_busy: bool) -> Markup:
    """Draw the form that settles records in doubt, with what the user states about the store."""
    tip = "look for them in the store; sends nothing"
    ticks = (tick(words, name in stated, data_state=name) for name, words in STATED.items())
    return parts.step("settle", SETTLE, tip, is_off=is_busy) + Markup("").join(ticks)


def settled_note(found: Reconciliation) -> Markup:
    """Return what reading the store back showed of the records in doubt."""
    title = f"{found.created:,} found in the store, {found.absent:,} not found there"
    if found.unknown:
        return parts.warning(f"{title}, {found.unknown:,} still in doubt", found.notes)
    return parts.success(title, found.notes)


def files_of(folders: Sequence[Path], results: Sequence[LoadResult]) -> list[Path]:
    """Return the result files that hold records and are small enough for a download."""
    paths: list[Path] = []
    for folder, result in zip(folders, results, strict=True):
        states = {"fix.csv": FIX_STATES, "unknown.csv": DOUBT_STATES}
        names = [name for name, of in states.items() if any(result.counts[state] for state in of)]
        paths += (folder / name for name in (*names, "results.csv", "results.xlsx"))
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


def past(imports: Sequence[tuple[Import, Mapping[State, int]]]) -> Markup:
    """List past imports: which file, when, and what became of its records."""
    if not imports:
        return Markup("")
    rows = [
        (
            run.source,
            minute_text(run.staged_at),
            ", ".join(f"{counts[state]:,} {each.text}" for state, each in MEANINGS.items()
                      if counts[state]),
            parts.mark(f"past:{run.id}", "open"),
        )
        for run, counts in imports
    ]  # fmt: skip
    table = PAGE.table(rows, ("File", "Read", "What became of its records", "Results"))
    return parts.titled("Past imports", element("div", table, class_="pf-grid"))
