"""What the Import tab shows: what sending would do, what to decide, and the records themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.import_job import Plan
from petstore_frame.dashboard.import_preview import (
    CELL_LENGTH,
    ROWS,
    Seen,
    button,
    label_of,
    preview,
    text_of,
)
from petstore_frame.dashboard.kit import Meant
from petstore_frame.errors import InputError
from petstore_frame.html import PAGE, Card, Markup
from petstore_frame.html.palette import shorten
from petstore_frame.loader.call import FORM
from petstore_frame.loader.journal.keyed import KEY_REPEATED
from petstore_frame.loader.reading.look import Look, ValueToMap
from petstore_frame.loader.reading.mapping import REQUIRED
from petstore_frame.loader.record import DOUBT_STATES, State, Suspicion
from petstore_frame.loader.results.question_text import CASE_ANSWERS, answers, facts_of
from petstore_frame.loader.results.summary import CHANGED, KNOWN
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS
from petstore_frame.schema.text import day_text, pets_text

NOT_MAPPED = "choose …"
NOTHING = "none"  # a value that means no status
_HELD = {
    Suspicion.TOTAL_ROW: "rows of totals",
    Suspicion.UNLISTED_CATEGORY: "categories that your labels do not list",
    Suspicion.LOW_CATEGORY_ID: "category ids of zero or less",
    Suspicion.SWALLOWED_ROWS: "names of several lines, where a quote may never be closed",
    Suspicion.HIDDEN_ROW: "rows that are hidden in the sheet, by a filter or by a person",
}


def view(seen: Seen, labels: Mapping[int, str]) -> Markup:
    """Draw all that is known of a file before it is sent."""
    return Markup("").join(
        [
            _recalled(seen),
            _questions(seen.look),
            _consequence(seen),
            _asked(seen),
            _values(seen, labels),
            _held(seen),
            preview(seen),
        ]
    )


def _recalled(seen: Seen) -> Markup:
    """Say that a file is read as the last one with its header was."""
    if seen.recalled is None:
        return Markup("")
    words = f"Read as on {day_text(seen.recalled)}, for it has the same header. "
    return element("p", words, button("fresh:yes", "read it anew"), class_="pf-gap pf-grid")


def _questions(look: Look) -> Markup:
    """Show what was recognised, to be checked, and what only the user can answer."""
    known = [each for each in look.questions if each.answer]
    asked = [each for each in look.questions if not each.answer]
    notes = []
    if known or len(look.sheets) > 1:
        words = [f"{_problem(each)}. {_answer(look, each)}" for each in known]
        if len(look.sheets) > 1 and "sheet" in look.facts:
            words.insert(0, f"Read the sheet {look.facts['sheet']!r}, one of {len(look.sheets)}.")
        notes.append(parts.warning("Recognised; please check", words))
    if asked:
        words = [each.phrased_by(FORM) for each in asked]
        notes.append(parts.warning("This needs your answer", words))
    return Markup("").join(element("div", note, class_="pf-gap") for note in notes)


def _problem(question: InputError) -> str:
    message = question.args[0]
    text = message.phrased_by(FORM) if hasattr(message, "phrased_by") else str(message)
    place = f"Line {question.line}: " if question.line else ""
    return f"{place}{text}" if place else text[:1].upper() + text[1:]


def _answer(look: Look, question: InputError) -> str:
    """Say what is taken for the answer, and for an encoding, what the line then reads."""
    answer = question.answer
    if "mapping" in answer:
        pairs = (f"{column!r} as {label_of(name)}" for name, column in answer["mapping"].items())
        return f"Read {', '.join(pairs)}."
    if "encoding" in answer:
        lines = {each.encoding: each.line for each in look.encodings}
        shown = shorten(lines.get(answer["encoding"], ""), CELL_LENGTH)
        return f"Read as {answer['encoding']}: {shown}"
    words = {"header_row": "the header in line", "sheet": "the sheet", "columns": "columns",
             "delimiter": "the delimiter"}  # fmt: skip
    return "Read with " + ", ".join(
        f"{words.get(name, name)} {value!r}" for name, value in answer.items()
    )


def _consequence(seen: Seen) -> Markup:
    """State what sending would do, before it does it."""
    plan, unsent = seen.plan, _unsent(seen.look)
    note = element("p", f"Columns that are not sent: {', '.join(unsent)}.") if unsent else ""
    if plan is None or plan.question is not None:  # numbers before the answer mislead
        check = button("check:yes", "check all records") if seen.is_unchecked else ""
        return element("div", note, check, class_="pf-gap pf-grid")
    skipped = plan.result.skipped
    changed = sum(each.records for each in skipped if each.reason == CHANGED)
    known = sum(each.records for each in skipped if each.reason == KNOWN)
    known += plan.count(State.CREATED) + plan.count(State.ADOPTED)
    absent = plan.count(State.ABSENT)
    doubtful = sum(plan.count(state) for state in DOUBT_STATES) - absent
    cards = [
        Card("New pets to send", f"{plan.count(State.PENDING):,}"),
        Card("Known already", f"{known:,}", "not sent again"),
        Card("Changed since", f"{changed:,}", "not sent: a pet cannot be changed"),
        Card("To fix", f"{plan.count(State.INVALID):,}", "not sent"),
    ]
    if doubtful:
        cards.append(Card("In doubt", f"{doubtful:,}", "sent before, perhaps in the store"))
    if absent:
        cards.append(Card("Not found", f"{absent:,}", "sent before, and not in the store"))
    notes = [element("p", warning) for warning in plan.result.warnings]
    shown = [PAGE.cards(cards), _changed(plan) if changed else "", _sent_before(plan, known)]
    return element("div", *shown, note, *notes, _key(seen.look), class_="pf-gap pf-grid")


def _changed(plan: Plan) -> Markup:
    """List the known animals that read otherwise now: which, and what was and is."""
    frame, run = plan.result.changed, plan.result.facts.run
    columns = (*run.key, run.mapping["name"])
    rows = [
        [str(row["line"]), *(text_of(row.get(column)) for column in columns),
         row["changed"]]
        for row in frame.head(ROWS).to_dict("records")
    ]  # fmt: skip
    head = ("Line", *run.key, label_of("name"), "Was → is")
    more = f", the first {ROWS}" if len(frame) > ROWS else ""
    table = PAGE.table(rows, head, caption=f"Known animals with other values now{more}")
    summary = element("summary", f"Show the {len(frame):,} that changed")
    return element("details", summary, table)


def _sent_before(plan: Plan, known: int) -> Markup | str:
    """Say that a file was sent before, where nothing of it is left to send."""
    if plan.to_send or not known or known + plan.count(State.INVALID) < len(plan.result):
        return ""
    words = (
        f"{known:,} of its {len(plan.result):,} records are in the store already, so there is "
        "nothing to send. "
    )
    again = button("again:yes", "they are other animals: send all of them once more")
    return element("p", words, again)


def _key(look: Look) -> Markup:
    """Offer a key: with it, an animal is never sent twice, whatever file it comes back in."""
    if look.reading.key or not look.key_columns or look.is_returned:
        return Markup("")
    column = look.key_columns[0]
    words = f"{column!r} is different in each record. If it names the animal, none is sent twice: "
    return element("p", words, button(f"key:{column}", f"use {column} as the key"))


def _unsent(look: Look) -> list[str]:
    used = {*look.mapping.values(), *look.reading.key}
    return [shorten(column, 40) for column in look.columns if column.strip() and column not in used]


def _asked(seen: Seen) -> Markup:
    """Ask which animals records are that may be known, with a button for each answer."""
    question = None if seen.plan is None else seen.plan.question
    if question is None:
        return Markup("")
    buttons = []
    for answer in answers(question):
        for option, value in answer.options.items() if answer.letter else ():
            does = f"{answer.does}: " if answer.does else ""
            buttons.append(button(f"{option}:{value}", f"{does}{answer.when}"))
    for case in question.cases if len(question.cases) > 1 else ():
        for word, when in CASE_ANSWERS[case.name].items():
            buttons.append(button(f"{case.name}:{word}", f"{case.records:,}: {when}"))
    lines = [line for line in facts_of(question) if line]
    asked = parts.warning("Are these animals in the store already?", lines)
    ways = (element("p", each) for each in buttons)
    return element("div", asked, *ways, class_="pf-gap pf-grid")


def _values(seen: Seen, labels: Mapping[int, str]) -> Markup:
    """List each value that is not allowed once, with what it is to mean for all its records."""
    reading, look = seen.choices.reading, seen.look
    given, defaults = reading.value_map or {}, reading.defaults or {}
    rows = [
        [
            label_of(value.field),
            value.text,
            f"{value.count:,}",
            _meaning("map", value, _chosen(given.get(value.field, {}), value.text), labels),
        ]
        for value in look.values
    ]
    # Where a column is missing, each of its cells is empty.
    missing = {name: 0 for name in REQUIRED if look.columns and name not in look.mapping}
    for name, count in {**missing, **look.empty}.items():
        empty = ValueToMap(name, "", "", count, None)
        meant = _meaning("default", empty, str(defaults.get(name, "")), labels)
        rows.append([label_of(name), "(empty)", f"{count:,}" if count else "all", meant])
    if _has_repeated_keys(seen):
        rows.append(["Key", "rows of one key that differ", "", _kept(look, reading.keep)])
    if not rows:
        return Markup("")
    title = "Values to map, each once for all its records"
    table = PAGE.table(rows, ("Field", "In the file", "Records", "Means"), numbers={2})
    return parts.titled(title, table)


def _chosen(meanings: Mapping[Any, Any], text: str) -> str:
    """Return what a value was said to mean, "" where nothing was said yet."""
    if text not in meanings:
        return ""
    return str(meanings[text]) if meanings[text] != "" else NOTHING


def _has_repeated_keys(seen: Seen) -> bool:
    causes = () if seen.plan is None else seen.plan.result.causes
    return bool(seen.choices.reading.keep) or any(each.code == KEY_REPEATED for each in causes)


def _kept(look: Look, chosen: str | None) -> Markup:
    """Ask once which of the rows of one key stands."""
    newest = {f"newest: {column}": f"the newest by {shorten(column, 40)}" for column in look.columns
              if column.strip() and column not in look.mapping.values()}  # fmt: skip
    words = {"first": "the first stands", "last": "the last stands", **newest}
    return _select(words, chosen or "", data_keep="yes", aria_label="which row of a key stands")


def _meaning(way: str, value: ValueToMap, chosen: str, labels: Mapping[int, str]) -> Markup:
    """Return the control that says what a value, or an empty cell, means."""
    name = f"what {value.text or f'an empty {label_of(value.field)}'} means"
    data = {f"data_{way}": value.field, "data_text": value.text, "aria_label": name}
    if value.field == "name":
        example = "a name, or Unnamed {column}"
        return element("input", value=chosen, placeholder=example, size=28, **data)
    if value.field == "category_id" and not labels:
        return element("input", type="number", value=chosen, placeholder="category id", **data)
    allowed = (
        {str(number): f"{label} ({number})" for number, label in labels.items()}
        if value.field == "category_id"
        else {word: word for word in FIELD_BY_NAME[value.field].values} | {NOTHING: "no status"}
    )
    return _select(allowed, chosen, **data)


def _select(words: Mapping[str, str], chosen: str, **data: Any) -> Markup:
    options = [
        element("option", text, value=key, selected="" if key == chosen else None)
        for key, text in {"": NOT_MAPPED, **words}.items()
    ]
    return element("select", *options, **data)


def _held(seen: Seen) -> Markup:
    """Ask which records are sent although they look wrong."""
    if not seen.look.suspicious:
        return Markup("")
    ticks = [
        element(
            "label",
            element(
                "input",
                type="checkbox",
                data_accept=word,
                checked="" if word in seen.choices.reading.accept else None,
            ),
            f" send all the same: {_HELD[Suspicion(word)]} ({records:,})",
            style="display:block",
        )
        for word, records in seen.look.suspicious.items()
    ]
    return parts.titled("Held until you confirm", Markup("").join(ticks))


def sent_words(plan: Plan | None) -> str:
    """Return what the button that sends says."""
    return f"Send {pets_text(plan.to_send)}" if plan is not None and plan.to_send else "Send"


def fields_of(look: Look) -> dict[str, str | None]:
    """Return the column of each field that is sent, None where there is none."""
    return {each.name: look.mapping.get(each.name) for each in SENT_FIELDS}


def mapped_value(before: Mapping[str, Mapping[Any, Any]], meant: Meant) -> dict[str, Any]:
    """Return a value map with one value mapped, or, where nothing was chosen, left open again."""
    after = {field: dict(values) for field, values in before.items()}
    values = after.setdefault(meant["map"], {})
    chosen = meant.get("value", "")
    values.pop(meant["text"], None)
    if chosen:
        values[meant["text"]] = "" if chosen == NOTHING else whole(meant["map"], chosen)
    return {field: values for field, values in after.items() if values}


def whole(name: str, text: str) -> int | str:
    """Return what was chosen for a field as its value: a category is a number."""
    return int(text) if name == "category_id" else text
