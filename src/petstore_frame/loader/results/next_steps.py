"""What to do next about an import, the most urgent first, with the calls that do it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from petstore_frame.loader.call import Call, Way
from petstore_frame.loader.causes import Cause
from petstore_frame.loader.options import GRACE_S
from petstore_frame.loader.record import FIX_STATES, State
from petstore_frame.loader.results.question_text import answers
from petstore_frame.loader.results.summary import ImportSummary
from petstore_frame.loader.settling.reconcile import Doubt
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import records_text

SHOWN_CAUSES, SHOWN_RECORDS = 5, 5


class Step(NamedTuple):
    """Something to do next, and what to type for it, if anything."""

    text: str
    calls: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n  ".join([self.text, *self.calls])


def next_steps(facts: ImportSummary) -> list[Step]:
    """Return what to do next, phrased for the reader that ``facts.call`` names."""
    if facts.question is not None:
        steps = [Step(answer.when, (answer.call,)) for answer in answers(facts.question)]
    else:
        steps = [*_doubt(facts), *_sending(facts), *_elsewhere(facts)]
        steps = steps or [*_once_more(facts)]
    return steps if facts.call.has_options else [Step(step.text) for step in steps]


def _if_any(records: int, text: str, call: str) -> list[Step]:
    return [Step(f"{records_text(records)} {text}", (call,))] if records else []


def _again(facts: ImportSummary) -> str:
    return str(facts.call.with_(again=None, dry_run=None))


def _looks(call: Call) -> str:
    return "looking for them in the store" if call.has_options else call.reconcile()


def _doubt(facts: ImportSummary) -> list[Step]:
    """Return how to look for records in doubt, or what a person can do after that."""
    if facts.doubt is not None:
        return [_resolving(facts.doubt, facts.call)]
    return _if_any(
        facts.count(State.UNKNOWN, State.IN_FLIGHT),
        f"in doubt, perhaps in the store: {_looks(facts.call)} settles it, {GRACE_S / 60:.0f} "
        "minutes after the last request; never send these again by hand",
        facts.call.reconcile(),
    )


def _resolving(doubt: Doubt, call: Call) -> Step:
    listed = ", ".join(map(str, doubt.records[:SHOWN_RECORDS]))
    more = ", …" if len(doubt.records) > SHOWN_RECORDS else ""
    first = doubt.records[0]
    pets = doubt.candidates.get(first, ())[:1]
    return Step(
        f"still in doubt after reading back, record {listed}{more}: look in the store, then say "
        "which pet it is, or that there is none; never send these again by hand",
        tuple(call.resolve(first, pet_id) for pet_id in (*pets, None)),
    )


def _sending(facts: ImportSummary) -> list[Step]:
    """Return how to send the records that have no problem, and how to correct the others."""
    pending, fixing = facts.counts[State.PENDING], list(_fixing(facts))
    if facts.is_held:
        others = str(facts.call.with_(max_errors=facts.counts[State.INVALID], dry_run=None))
        return [*fixing, *_if_any(pending, "have no problem: to send them all the same", others)]
    text = "still to send: the same call goes on"
    if facts.is_rehearsal:
        text = "would be sent; nothing was sent yet"
    return [*_if_any(pending, text, _again(facts)), *fixing]


def _fixing(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to answer each cause for all its records, then how to correct the rest."""
    call, records = facts.call, facts.count(*FIX_STATES)
    for cause in facts.causes[:SHOWN_CAUSES]:
        if cause.option is not None and cause.records > 1 and call.way is not Way.FILE:
            yield _answering(cause, call)
    if facts.is_rehearsal or not records:
        return
    to_fix = f"{records_text(records)} to fix"
    folder = facts.folder or "results"
    load = str(call.to_file(f"{folder}/fix.csv"))
    if call.way is Way.FILE:
        yield Step(f"{to_fix}: correct the sheet Fix, and load it")
    elif call.way is Way.DASHBOARD:
        yield Step(f"{to_fix}: correct fix.csv, and import it")
    elif facts.folder is not None:
        yield Step(f"{to_fix}: correct {folder}/fix.csv, then load it", (load,))
    else:
        is_shell = call.way is Way.SHELL
        write = call.with_(output=folder, again=None) if is_shell else f"result.write({folder!r})"
        text = f"{to_fix}: write them to a file, correct it, then load it"
        yield Step(text, (str(write), load))


def _answering(cause: Cause, call: Call) -> Step:
    """Return how to answer one cause for all its records at once."""
    name, value = cause.option or ("", None)
    if call.way is Way.SHELL and name == "categories":  # there labels are in a file
        name, value = "value_map", {"category_id": value}
    place = f"the column {cause.column!r}" if cause.column else cause.message
    text = f"{records_text(cause.records)} for one cause, {place}: answer it once for all"
    if not call.has_options:
        return Step(f"{text}, by {call.option(name, value)}")
    if name == "value_map" and value:
        value = {field: _filled(field, words) for field, words in value.items()}
    return Step(text, (str(call.with_(**{name: value}, again=None)),))


def _filled(field: str, words: dict[str, Any]) -> dict[str, Any]:
    """Return a value for each word of a field: none if it may be empty, else one to fill in."""
    return words if FIELD_BY_NAME[field].is_required else dict.fromkeys(words, "")


def _elsewhere(facts: ImportSummary) -> list[Step]:
    """Return what to do about records not found, or whose animals earlier imports have."""
    call, elsewhere = facts.call, facts.elsewhere
    absent = "not found in the store: look there; if they are not there, send them again"
    steps = _if_any(facts.counts[State.ABSENT], absent, call.reconcile(resends=True))
    text = f"in doubt in an earlier import: {_looks(call)} settles it"
    steps += _if_any(elsewhere.in_doubt, text, call.reconcile())
    text = "not sent yet by an earlier import: finish it"
    steps += _if_any(elsewhere.not_sent, text, call.resume())
    text = "known from an earlier import, which did not create them after all: load this file again"
    steps += _if_any(elsewhere.to_fix, text, _again(facts))
    equal = sum(group.records for group in facts.skipped if group.by == "equal")
    if not facts.is_rehearsal:
        text = "not sent, because they equal earlier ones; if they are other animals, this sends"
        steps += _if_any(equal, f"{text} them", str(call.with_(duplicates="send")))
    return steps


def _once_more(facts: ImportSummary) -> Iterator[Step]:
    if facts.counts[State.CREATED] and not (facts.sent_now or facts.is_rehearsal):
        text = "If these are other animals than those of the first time, load them again on purpose"
        yield Step(text, (str(facts.call.with_(again=True)),))
