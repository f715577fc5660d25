"""What the Import tab shows: how a file is read, what sending would do, and what became of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

from petstore_frame.charts.pet_list import HEAD
from petstore_frame.dashboard.import_choices import NOTHING, Choices, Seen
from petstore_frame.dashboard.kit import LARGEST_MESSAGE, draw
from petstore_frame.loader.journal.keyed import KEY_REPEATED
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.question import CASES
from petstore_frame.loader.reading.mapping import REQUIRED
from petstore_frame.loader.reading.preview import Look
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, Reason, RecordProblem, State
from petstore_frame.loader.results.result_text import result_html
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.results.summary import IN_STORE, problem_of
from petstore_frame.markup import PAGE, Card, Markup
from petstore_frame.markup.palette import shorten
from petstore_frame.schema.categories import category_labels
from petstore_frame.schema.models import FIELD_BY_NAME, PET_COLUMNS, SENT_FIELDS
from petstore_frame.schema.text import count_text, day_text, minute_text

ROWS, CELL_LENGTH, COLUMN_LENGTH = 50, 60, 40
NOT_MAPPED = {"": "choose …"}
LABELS = dict(zip(PET_COLUMNS, HEAD, strict=True))  # what fields are called on screen
Line = tuple[int, Sequence[str], RecordProblem | None]  # a record, and what is wrong in it


def top(seen: Seen | None, **state: Any) -> Markup:
    """Draw how a file is read, preset with what was recognised, and what can be done now."""
    look, plan = (None, None) if seen is None else (seen.look, seen.plan)
    to_send = 0 if plan is None else plan.to_send
    return draw(
        "import_top",
        look=look,
        columns=[] if look is None else [column for column in look.columns if column.strip()],
        fields={field.name: LABELS[field.name] for field in SENT_FIELDS},
        send=f"Send {count_text(to_send, 'pet')}" if to_send else "Send",
        is_off=state["is_busy"] or not to_send,
        **state,
    )


def view(seen: Seen) -> Markup:
    """Draw all that is known of a file before it is sent."""
    used = {*seen.look.mapping.values(), *(seen.look.reading.key or ())}
    columns = [column for column in seen.look.columns if column.strip() and column not in used]
    return draw(
        "import_file",
        recalled=None if seen.recalled is None else day_text(seen.recalled),
        questions=_questions(seen.look),
        **_consequence(seen),
        unsent=[shorten(column, COLUMN_LENGTH) for column in columns],
        asked=asked(seen),
        **_values(seen),
        held=seen.look.suspicious,
        accepted=seen.choices.reading.accept,
        **_preview(seen),
    )


def _questions(look: Look) -> Markup:
    """Show what was recognised, to be checked in the lists, and what only the user can answer."""
    drawn, known, open_ = Markup(""), list[str](), list[str]()
    for each in look.questions:
        word, value = each.add or ("", None)
        is_known = bool(word) and "?" not in (value if isinstance(value, dict) else {}).values()
        text = each.message if is_known else each.sentence
        if is_known and word == "mapping":
            text = ", ".join(f"{LABELS[name]} is {column!r}" for name, column in value.items())
        has_line = each.line and is_known
        text = f"Line {each.line}: {text}" if has_line else text[:1].upper() + text[1:]
        (known if is_known else open_).append(text)
    if len(look.sheets) > 1 and "sheet" in look.facts:
        known.append(f"Read the sheet {look.facts['sheet']!r}, one of {len(look.sheets)}.")
    if known:
        drawn += PAGE.warning("Recognised, as the lists above say; please check", known)
    return drawn + (PAGE.warning("This needs your answer", open_) if open_ else "")


def _consequence(seen: Seen) -> dict[str, Any]:
    plan, look = seen.plan, seen.look
    if plan is None or plan.question is not None:  # numbers before the answer mislead
        return {"cards": [], "warnings": [], "may_check": seen.is_unchecked, "key": None}
    skipped, total = plan.result.skipped, len(plan.result)
    changed = sum(each.records for each in skipped if each.reason == Reason.CHANGED)
    known = sum(each.records for each in skipped if each.reason == Reason.KNOWN)
    known += sum(map(plan.count, IN_STORE))
    absent = plan.count(State.ABSENT)
    doubtful = sum(map(plan.count, DOUBT_STATES)) - absent
    to_fix = plan.count(State.INVALID)
    cards = [
        Card("New pets to send", f"{plan.count(State.PENDING):,}"),
        Card("Known already", f"{known:,}", "not sent again"),
        Card("Changed since", f"{changed:,}", "not sent: a pet cannot be changed"),
        Card("To fix", f"{to_fix:,}", "not sent"),
    ]
    if doubtful:
        cards.append(Card("In doubt", f"{doubtful:,}", "sent before, perhaps in the store"))
    if absent:
        cards.append(Card("Not found", f"{absent:,}", "sent before, and not in the store"))
    is_sent = known and not plan.to_send and known + to_fix >= total
    # With a key, an animal is never sent twice, whatever file it comes back in.
    may_have_key = look.key_columns and not (look.reading.key or look.is_returned)
    return {
        "cards": cards,
        "changed": plan.result.changed.to_dict("records") if changed else [],
        "run": plan.result.facts.run,
        "sent_before": f"{known:,}" if is_sent else "",
        "records": f"{total:,}",
        "warnings": plan.result.warnings,
        "may_check": False,
        "key": look.key_columns[0] if may_have_key else None,
    }


def asked(seen: Seen) -> Markup:
    """Ask which animals the records are, with a button for each answer."""
    question = None if seen.plan is None else seen.plan.question
    if question is None:
        return Markup("")
    buttons = []
    for answer in question.answers():
        for option, value in answer.options.items() if answer.letter else ():
            does = f"{answer.does}: " if answer.does else ""
            buttons.append((f"{option}:{value}", f"{does}{answer.when}"))
    for case in question.cases if len(question.cases) > 1 else ():
        text = CASES[case.name]
        for word, when in (("skip", text.skip), ("send", text.send)):
            buttons.append((f"{case.name}:{word}", f"{case.records:,}: {when}"))
    lines = [line for line in question.lines() if line]
    warning = PAGE.warning("Are these animals in the store already?", lines)
    return draw("import_question", asked=warning, buttons=buttons)


def _values(seen: Seen) -> dict[str, Any]:
    """Return each value that is not allowed once, with a choice of what it means."""
    reading, look = seen.choices.reading, seen.look
    labels = category_labels(reading.categories)
    # All boxes of a page share the list of these categories.
    list_ = f"pf-categories-{crc32(repr(labels).encode()):08x}"
    values = list[tuple[Any, ...]]()

    def add(way: str, name: str, text: str, count: str, chosen: str) -> None:
        data = {f"data-{way}": name, "data-text": text}
        words, hint = None, "a name, or Unnamed {column}"
        if name == "category_id":
            hint = "a category, or a new one: Ferret (9)" if labels else "the number of a category"
            data["list"] = list_
            if chosen.removeprefix("-").isdecimal() and int(chosen) in labels:
                chosen = f"{labels[int(chosen)]} ({chosen})"
        elif name != "name":
            words = (
                NOT_MAPPED
                | {word: word for word in FIELD_BY_NAME[name].values}
                | {NOTHING: "no status"}
            )
        asked = f"what {text or f'an empty {LABELS[name]}'} means"
        words_of = LABELS[name], text or "(empty)", count, asked
        values.append((*words_of, words, chosen, data, hint))

    for each in look.values:
        meant = (reading.value_map or {}).get(each.field, {}).get(each.text)
        chosen = "" if meant is None else str(meant) if meant != "" else NOTHING
        add("map", each.field, each.text, f"{each.count:,}", chosen)
    # Where a column is missing, each of its cells is empty.
    missing = {name: 0 for name in REQUIRED if look.columns and name not in look.mapping}
    for name, count in {**missing, **look.empty}.items():
        default = str((reading.defaults or {}).get(name, ""))
        add("default", name, "", f"{count:,}" if count else "all", default)
    causes = () if seen.plan is None else seen.plan.result.causes
    if reading.keep or any(each.code == KEY_REPEATED for each in causes):
        newest = {f"newest: {column}": f"the newest by {shorten(column, COLUMN_LENGTH)}"
                  for column in look.columns
                  if column.strip() and column not in look.mapping.values()}  # fmt: skip
        words = NOT_MAPPED | {"first": "the first stands", "last": "the last stands"} | newest
        asked, data = "which row of a key stands", {"data-keep": "yes"}
        differ = "rows of one key that differ"
        values.append(("Key", differ, "", asked, words, reading.keep, data, ""))
    listed = [f"{label} ({number})" for number, label in labels.items()]
    return {"values": values, "list": list_, "labels": listed}


def _preview(seen: Seen) -> dict[str, Any]:
    look, only = seen.look, seen.only_problems
    fields = {column: name for name, column in look.mapping.items()}
    head = []
    for column in look.columns:
        sent = "key" if column in (look.reading.key or ()) else "not sent"
        sent = f"→ {LABELS[fields[column]]}" if column in fields else sent
        head.append((shorten(column, CELL_LENGTH) or "(no name)", sent))
    lines = [*islice(_problems(seen) if only else _first(seen), ROWS + 1)]
    to_fix = 0 if seen.plan is None else seen.plan.count(State.INVALID)
    switch = ("show:problems", f"Show only the {to_fix:,} with problems") if to_fix else None
    more = f"the first {ROWS}" if len(lines) > ROWS else "all of them"
    what = f"Records with problems, {more}" if only else "The first records"
    return {
        "head": head,
        "rows": [_row(line, look.columns, seen.choices) for line in lines[:ROWS]],
        "switch": ("show:all", "Show all records") if only else switch,
        "caption": f"{what} of {look.name}",
    }


def _first(seen: Seen) -> Iterator[Line]:
    look, now = seen.look, _corrected(seen)
    if not look.records:
        for number, cells in enumerate(look.rows, start=(look.header_row or 0) + 1):
            yield number, cells, None
    for record in look.records:
        problem = record.problem if record.state is State.INVALID else None
        yield now.get(record.line) or (record.line, record.cells, problem)


def _problems(seen: Seen) -> Iterator[Line]:
    """Yield the records to fix, as the rehearsal of the whole file found them."""
    if seen.plan is None:
        return
    now, result, left_out = _corrected(seen), seen.plan.result, seen.choices.left_out
    run = result.facts.run
    for row in result.rows(*FIX_STATES):
        yield now.get(row.line) or (row.line, row.cells, problem_of(row, run))
    for row in result.rows(State.SKIPPED) if left_out else ():
        if row.line in left_out:
            yield row.line, row.cells, None


def _corrected(seen: Seen) -> dict[int, Line]:
    if seen.plan is None or seen.plan.fixed is None:
        return {}
    run, pairs = (
        seen.plan.fixed.facts.run,
        zip(seen.plan.lines, seen.plan.fixed.rows(), strict=True),
    )
    return {
        line: (line, row.cells, problem_of(row, run) if row.state in FIX_STATES else None)
        for line, row in pairs
    }


def _row(line: Line, columns: Sequence[str], choices: Choices) -> dict[str, Any]:
    """Return a record with the user's decision, and the ways to change it.

    The user can write into a cell that is wrong or was corrected.
    """
    number, given, problem = line
    is_left_out = number in choices.left_out
    if is_left_out:
        said, ways, problem = "left out", {"leave": "send it after all"}, None
    elif number in choices.confirmed:
        said, ways = "sent all the same", {"confirm": "do not send it"}
    elif problem is not None and problem.accept is not None:
        said, ways = "to confirm", {"confirm": "send it all the same", "leave": "leave it out"}
    else:
        said, ways = "", {"leave": "leave it out"}
    place = None if problem is None else problem.column
    wrong = "" if problem is None or place in columns else problem.message
    cells = list[tuple[str, str | None, str]]()
    filled = [*given[: len(columns)], *[""] * (len(columns) - len(given))]
    for column, text in zip(columns, filled, strict=True):
        edit = None if is_left_out else choices.edits.get((number, column))
        if problem is not None and column == place:
            cells.append((text if edit is None else edit, column, problem.message))
        elif edit is not None:
            cells.append((edit, column, ""))
        else:
            cells.append((shorten(text, CELL_LENGTH), None, ""))
    return {"line": number, "wrong": wrong, "said": said, "ways": ways, "cells": cells}


def result_view(results: Sequence[LoadResult], folders: Sequence[Path]) -> Markup:
    """Draw what became of a file: one line for all of it, then the records that need a look."""
    first, *corrected = results
    others = (sum(each.counts[s] for s in FIX_STATES) - len(each) for each in corrected)
    to_fix = sum(first.counts[state] for state in FIX_STATES) + sum(others)
    is_left = bool(to_fix) or any(result.in_doubt for result in results)
    by_result = [sum(each.counts[state] for state in IN_STORE) for each in results]
    title = f"{sum(by_result):,} of {len(first):,} records are in the store"
    if added := sum(by_result[1:]):
        title += f", {added:,} corrected here among them"
    whole = (result_html(each.facts, has_steps=False) for each in results)
    drawn = PAGE.success(title)
    if is_left or not corrected:
        drawn = Markup("").join(whole)
    if is_left and corrected:
        drawn = PAGE.warning(title, [f"{to_fix:,} still to fix"]) + drawn
    files = files_of(folders, results)
    names = [path.name for path in files]
    # The records that were corrected on screen have a folder of their own.
    shown = (path.name if names.count(path.name) == 1 else f"{path.parent.name}/{path.name}"
             for path in files)  # fmt: skip
    left = results if is_left else ()
    return draw("import_result", drawn=drawn, left=left, folders=folders, files=[*shown])


def files_of(folders: Sequence[Path], results: Sequence[LoadResult]) -> list[Path]:
    """Return the result files that hold records and are small enough for a download."""
    paths: list[Path] = []
    for folder, result in zip(folders, results, strict=True):
        states = {"fix.csv": FIX_STATES, "unknown.csv": DOUBT_STATES}
        names = [name for name, of in states.items() if any(result.counts[state] for state in of)]
        paths += (folder / name for name in (*names, "results.csv", "results.xlsx"))
    return [path for path in paths if path.exists() and path.stat().st_size <= LARGEST_MESSAGE]


def past(imports: Collection[tuple[Import, Mapping[State, int]]]) -> Markup:
    """List past imports: which file, when, and what became of its records."""
    return draw("import_past", imports=imports, states=State, minute_text=minute_text)
