"""What to do next about an import, the most urgent first."""

from __future__ import annotations

from collections.abc import Iterator
from os import fspath

from petstore_frame.loader.options import GRACE_S
from petstore_frame.loader.proposals import (
    Call,
    Step,
    load_call,
    resolve_call,
    to_add,
)
from petstore_frame.loader.question import LIKELY
from petstore_frame.loader.record import FIX_STATES, State
from petstore_frame.loader.results.summary import LIKELY_KEY, ImportSummary
from petstore_frame.schema.text import count_text

_SHOWN_CAUSES, _SHOWN_RECORDS = 5, 5
_NEVER = "never send these again by hand"


def next_steps(facts: ImportSummary) -> list[Step]:
    """Return what to do next, the most urgent first."""
    if facts.question is not None:
        return facts.question.answers()
    steps = [*_reconciling(facts), *_sending(facts), *_fixing(facts), *_left(facts)]
    is_old = not (facts.sent_now or facts.is_rehearsal)
    if not steps and is_old and facts.counts[State.CREATED]:
        text = "If these are other animals than those of the first time, load them again on purpose"
        steps = [Step(text, {"again": True})]
    return steps


def _reconciling(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to look for rows in doubt, or what a person can do after that."""
    if doubt := facts.doubt:
        first, *_ = doubt.records
        (pet,) = doubt.candidates.get(first, ())[:1] or (None,)
        shown = ", ".join(map(str, doubt.records[:_SHOWN_RECORDS]))
        more = ", …" if len(doubt.records) > _SHOWN_RECORDS else ""
        text = (
            f"still in doubt after reading the store, record {shown}{more}: look there, then say "
            f"which pet it is, or None if there is none; {_NEVER}"
        )
        yield Step(text, calls=(resolve_call(first, pet),))
    elif rows := facts.count(State.UNKNOWN, State.IN_FLIGHT):
        text = (
            f"{count_text(rows, 'row')} in doubt, perhaps in the store: have it read for them, "
            f"{GRACE_S / 60:.0f} minutes after the last request; {_NEVER}"
        )
        yield Step(text, calls=(Call("result.reconcile(client)", "add --reconcile"),))


def _sending(facts: ImportSummary) -> Iterator[Step]:
    """Yield what says which animal a row is, and how to send what is left."""
    likely = facts.run.facts.get(LIKELY_KEY)
    if likely and (facts.sent_now or facts.is_rehearsal):
        yield Step(LIKELY.format(likely["facts"]), {"key": likely["column"]})
    pending = facts.counts[State.PENDING]
    what = count_text(pending, "row")
    if pending and facts.is_held:
        text = f"{what} without a problem: to send them all the same, whatever the others are"
        yield Step(text, {"max_errors": facts.counts[State.INVALID]})
    elif pending and facts.is_rehearsal:
        yield Step(f"{what} would be sent by the same call without dry_run; nothing was sent yet")
    elif pending:
        yield Step(f"{what} still to send: the same call goes on")


def _fixing(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to answer each cause for all its rows, then how to correct the rest."""
    for cause in facts.causes[:_SHOWN_CAUSES]:
        problem = cause.problem
        if problem.add is not None:
            place = f" in the column {problem.column!r}" if problem.column else ""
            text = f"{count_text(cause.records, 'row')} to fix{place}: {problem.message}"
            yield Step(f"{text}; answer it once", dict([problem.add]))
    rows, folder = facts.count(*FIX_STATES), fspath(facts.folder or "results")
    if rows and not facts.is_rehearsal:
        text = f"{count_text(rows, 'row')} to fix: correct them in {folder}/fix.csv, then load it"
        write = Call(f"result.write({folder!r})", f"add {to_add('output', folder, 'shell')}")
        load = load_call(f"{folder}/fix.csv", facts.journal, facts.run.base_url)
        yield Step(text, calls=(load,) if facts.folder else (write, load))


def _left(facts: ImportSummary) -> Iterator[Step]:
    """Yield what may be sent after all, once a person has looked."""
    if absent := facts.counts[State.ABSENT]:
        what = f"{count_text(absent, 'row')} not found in the store"
        text = f"{what}: look there; if they are not there, send them again"
        yield Step(text, {"duplicates": {"absent": "send"}})
    if facts.run.facts.get("left_unsent"):
        text = "animals of an earlier version of this file were not sent: send them"
        yield Step(text, calls=(load_call(None, facts.journal, facts.run.base_url),))
    equal = sum(group.records for group in facts.skipped if group.by == "equal")
    if equal and not facts.is_rehearsal:
        what = f"{count_text(equal, 'row')} not sent, because they equal earlier ones"
        yield Step(f"{what}; if they are other animals, send them", {"duplicates": "send"})
