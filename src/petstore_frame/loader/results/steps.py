"""What to do next about an import, the most urgent first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from os import fspath
from types import MappingProxyType
from typing import Any, NamedTuple

from petstore_frame.loader.options import GRACE_S
from petstore_frame.loader.proposals import (
    Reader,
    compare_call,
    load_call,
    reconcile_call,
    resolve_call,
    to_add,
)
from petstore_frame.loader.record import FIX_STATES, State
from petstore_frame.loader.results.summary import LIKELY_KEY, ImportSummary
from petstore_frame.schema.text import count_text

# How the reader types another call.
Call = Callable[[Reader], str]
_SHOWN_CAUSES, _SHOWN_RECORDS = 5, 5


class Step(NamedTuple):
    """Something to do next.

    Attributes:
        text: What, in words that do without any call.
        add: Words to add to the same call, with their values.
        calls: The other calls that do it.
    """

    text: str
    add: Mapping[str, Any] = MappingProxyType({})
    calls: tuple[Call, ...] = ()

    def typed(self, reader: Reader = Reader.PYTHON) -> str:
        """Return the step with what to type for it."""
        mark = ", " if reader is Reader.PYTHON else " "
        words = mark.join(to_add(word, value, reader) for word, value in self.add.items())
        lines = [self.text, f"add {words}"] if words else [self.text]
        for call in self.calls:
            text = call(reader)
            lines.append(f"add {text}" if text.startswith("--") else text)
        return "\n  ".join(lines)


def next_steps(facts: ImportSummary) -> list[Step]:
    """Return what to do next, the most urgent first."""
    if facts.question is not None:
        source = None if facts.run.place is None else facts.run.source
        compare = partial(compare_call, source, facts.run.base_url)
        return [
            Step(answer.when, answer.options, () if answer.options else (compare,))
            for answer in facts.question.answers()
        ]
    steps = [*_reconciling(facts), *_sending(facts), *_fixing(facts), *_left(facts)]
    is_old = not (facts.sent_now or facts.is_rehearsal)
    if not steps and is_old and facts.counts[State.CREATED]:
        text = "If these are other animals than those of the first time, load them again on purpose"
        steps = [Step(text, {"again": True})]
    return steps


def _reconciling(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to look for rows in doubt, or what a person can do after that."""
    doubt, never = facts.doubt, "never send these again by hand"
    if doubt is not None:
        first, *_ = doubt.records
        (pet,) = doubt.candidates.get(first, ())[:1] or (None,)
        shown = ", ".join(map(str, doubt.records[:_SHOWN_RECORDS]))
        more = ", …" if len(doubt.records) > _SHOWN_RECORDS else ""
        text = (
            f"still in doubt after reading back, record {shown}{more}: look in the store, then "
            f"say which pet it is, or None if there is none; {never}"
        )
        yield Step(text, calls=(partial(resolve_call, {first: pet}),))
    elif records := facts.count(State.UNKNOWN, State.IN_FLIGHT):
        text = (
            f"{count_text(records, 'record')} in doubt, perhaps in the store: have it read for "
            f"them, {GRACE_S / 60:.0f} minutes after the last request; {never}"
        )
        yield Step(text, calls=(reconcile_call,))


def _sending(facts: ImportSummary) -> Iterator[Step]:
    """Yield what says which animal a row is, and how to send what is left."""
    likely = facts.run.facts.get(LIKELY_KEY)
    if likely and (facts.sent_now or facts.is_rehearsal):
        text = f"which animal is each row? One column may say so: {likely['facts']}"
        yield Step(text, {"key": likely["column"]})
    pending = facts.counts[State.PENDING]
    what = count_text(pending, "record")
    if pending and facts.is_held:
        text = f"{what} have no problem: to send them all the same, whatever the others are"
        yield Step(text, {"max_errors": facts.counts[State.INVALID]})
    elif pending and facts.is_rehearsal:
        yield Step(f"{what} would be sent by the same call without dry_run; nothing was sent yet")
    elif pending:
        yield Step(f"{what} still to send: the same call goes on")


def _fixing(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to answer each cause for all its rows, then how to correct the rest."""
    records, folder = facts.count(*FIX_STATES), facts.folder
    for cause in facts.causes[:_SHOWN_CAUSES]:
        if cause.add is not None:
            place = f"the column {cause.column!r}" if cause.column else cause.message
            what = f"{count_text(cause.records, 'record')} to fix for {place}"
            yield Step(f"{what}: answer it once", dict([cause.add]))
    if facts.is_rehearsal or not records:
        return
    place = fspath(folder or "results")
    load = partial(load_call, f"{place}/fix.csv", facts.journal, facts.run.base_url)
    to_fix = f"{count_text(records, 'record')} to fix"
    if folder is not None:
        yield Step(f"{to_fix}: correct {folder}/fix.csv, then load it", calls=(load,))
    else:
        text = f"{to_fix}: write them to a file, correct it, then load it"
        yield Step(text, calls=(partial(_write, place), load))


def _left(facts: ImportSummary) -> Iterator[Step]:
    """Yield what may be sent after all, once a person has looked."""
    if absent := facts.counts[State.ABSENT]:
        what = f"{count_text(absent, 'record')} not found in the store"
        text = f"{what}: look there; if they are not there, send them again"
        yield Step(text, {"duplicates": {"absent": "send"}})
    if facts.run.facts.get("left_unsent"):
        text = "animals of an earlier version of this file were not sent: send them"
        resume = partial(load_call, None, facts.journal, facts.run.base_url)
        yield Step(text, calls=(resume,))
    equal = sum(group.records for group in facts.skipped if group.by == "equal")
    if equal and not facts.is_rehearsal:
        what = f"{count_text(equal, 'record')} not sent, because they equal earlier ones"
        yield Step(f"{what}; if they are other animals, send them", {"duplicates": "send"})


def _write(folder: str, reader: Reader) -> str:
    is_shell = reader is Reader.SHELL
    return to_add("output", folder, reader) if is_shell else f"result.write({folder!r})"
