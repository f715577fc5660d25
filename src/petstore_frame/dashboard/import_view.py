"""What the Import tab shows: how a file is read, what sending would do, and what to decide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from zlib import crc32

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.import_choices import Plan, Seen
from petstore_frame.dashboard.import_preview import ROWS, label_of, preview
from petstore_frame.errors import InputError
from petstore_frame.errors.classes import phrase
from petstore_frame.html import PAGE, Card, Markup
from petstore_frame.html.palette import shorten
from petstore_frame.loader.call import FORM
from petstore_frame.loader.journal.keyed import KEY_REPEATED
from petstore_frame.loader.reading.mapping import REQUIRED
from petstore_frame.loader.reading.options import RecipeOptions
from petstore_frame.loader.reading.preview import Look, ValueToMap
from petstore_frame.loader.record import DOUBT_STATES, State, Suspicion
from petstore_frame.loader.results.question_text import CASE_ANSWERS, answers, facts_of
from petstore_frame.loader.results.summary import CHANGED, KNOWN
from petstore_frame.schema.categories import category_labels
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS
from petstore_frame.schema.text import day_text, pets_text

NOT_MAPPED, NOT_IN_FILE, NO_KEY = "choose …", "(not in the file)", "(none)"
NOTHING = "none"  # a value that means no status
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ENCODINGS = ("utf-8", "cp1252", "cp1250", "mac_roman", "utf-16")
SHOWN_LINES = 40  # a header further below the top is given in Python
_LABELLED = re.compile(r"(.+?)\s*\((-?\d+)\)")
_HELD = {
    Suspicion.TOTAL_ROW: "rows of totals",
    Suspicion.UNLISTED_CATEGORY: "categories that your labels do not list",
    Suspicion.LOW_CATEGORY_ID: "category ids of zero or less",
    Suspicion.SWALLOWED_ROWS: "names of several lines, where a quote may never be closed",
    Suspicion.HIDDEN_ROW: "rows that are hidden in the sheet, by a filter or by a person",
    Suspicion.LARGE_COUNT: "rows that stand for more than a thousand animals",
}


def choices(look: Look) -> Markup:
    """Draw the choices of how a file is read, each preset with what was recognised."""
    layout = parts.row(*_layout(look))
    names = [column for column in look.columns if column.strip()]
    columns = [
        parts.choice(
            f"{label_of(field.name)} is", {"": NOT_IN_FILE, **_same(names)},
            look.mapping.get(field.name, ""), data_field=field.name,
        )
        for field in SENT_FIELDS
    ]  # fmt: skip
    keys = {"": NO_KEY, **_same((*look.key_columns, *look.reading.key, *names))}
    key = parts.choice("Key", keys, next(iter(look.reading.key), ""), data_read="key")
    tip = "a recipe: give it with a file of the same kind, here or in Python"
    save = parts.step("save", "Save these choices", tip)
    return layout + parts.row(*columns, key, save)


def _layout(look: Look) -> Iterator[Markup]:
    """Yield the lists that say how the file is laid out."""
    facts = look.facts
    encoding, sign = facts.get("encoding", ""), facts.get("delimiter", "")
    likely = [decoded.encoding for decoded in look.encodings]
    if look.kind == "csv":
        encodings = _same(filter(None, (encoding, *likely, *ENCODINGS)))
        yield parts.choice("Encoding", encodings, encoding, data_read="encoding")
        signs = {sign: repr(sign)} | DELIMITERS if sign else DELIMITERS
        yield parts.choice("Delimiter", signs, sign, data_read="delimiter")
    if len(look.sheets) > 1:
        yield parts.choice("Sheet", _same(look.sheets), facts.get("sheet"), data_read="sheet")
    lines = range(1, max(SHOWN_LINES, look.header_row or 1) + 1)
    shown = _same(map(str, lines))
    yield parts.choice("Header in line", shown, look.header_row, data_read="header_row")


def _same(texts: Iterable[str]) -> dict[str, str]:
    """Return texts that are shown as they are."""
    return {text: text for text in texts}


def chosen_columns(look: Look, field: str, column: str) -> dict[str, str | None]:
    """Return the column of each field after one was chosen; "" is none."""
    columns = {each.name: look.mapping.get(each.name) for each in SENT_FIELDS}
    columns[field] = column or None
    # An open choice of a required field is a question; of another field it means: leave it out.
    return {name: each for name, each in columns.items()
            if each is not None or not FIELD_BY_NAME[name].is_required}  # fmt: skip


def view(seen: Seen) -> Markup:
    """Draw all that is known of a file before it is sent."""
    return Markup("").join(
        [
            _recalled(seen),
            _questions(seen.look),
            _consequence(seen),
            asked(seen),
            _values(seen),
            _held(seen),
            preview(seen),
        ]
    )


def _recalled(seen: Seen) -> Markup:
    """Say that a file is read as the last one with its header was."""
    if seen.recalled is None:
        return Markup("")
    words = f"Read as on {day_text(seen.recalled)}, for it has the same header. "
    return element("p", words, parts.mark("fresh:yes", "read it anew"), class_="pf-gap pf-grid")


def _questions(look: Look) -> Markup:
    """Show what was recognised, to be checked in the lists, and what only the user can answer."""
    drawn = Markup("")
    known = [_problem(each) for each in look.questions if each.answer]
    if len(look.sheets) > 1 and "sheet" in look.facts:
        known.append(f"Read the sheet {look.facts['sheet']!r}, one of {len(look.sheets)}.")
    if known:
        drawn += parts.warning("Recognised, as the lists above say; please check", known)
    asked = [each.phrased_by(FORM) for each in look.questions if not each.answer]
    if asked:
        drawn += parts.warning("This needs your answer", asked)
    return element("div", drawn, class_="pf-gap")


def _problem(question: InputError) -> str:
    """Return what is odd in a file; the choice that answers it is preset."""
    text = phrase(question.args[0], FORM)
    return f"Line {question.line}: {text}" if question.line else text[:1].upper() + text[1:]


def _consequence(seen: Seen) -> Markup:
    """State what sending would do, before it does it."""
    plan, unsent = seen.plan, _unsent(seen.look)
    note = element("p", f"Columns that are not sent: {', '.join(unsent)}.") if unsent else ""
    if plan is None or plan.question is not None:  # numbers before the answer mislead
        check = parts.mark("check:yes", "check all records") if seen.is_unchecked else ""
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
    """List the known animals with other values now: which, and both values."""
    frame, run = plan.result.changed, plan.result.facts.run
    columns = (*run.key, run.mapping["name"])
    rows = [
        [str(row["line"]), *map(_text, map(row.get, columns)), row["changed"]]
        for row in frame.head(ROWS).to_dict("records")
    ]
    head = ("Line", *run.key, label_of("name"), "Was → is")
    more = f", the first {ROWS}" if len(frame) > ROWS else ""
    table = PAGE.table(rows, head, caption=f"Known animals with other values now{more}")
    summary = element("summary", f"Show the {len(frame):,} that changed")
    return element("details", summary, table)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _sent_before(plan: Plan, known: int) -> Markup | str:
    """Say that a file was sent before, where nothing of it is left to send."""
    if plan.to_send or not known or known + plan.count(State.INVALID) < len(plan.result):
        return ""
    words = (
        f"{known:,} of its {len(plan.result):,} records are in the store already, so there is "
        "nothing to send. "
    )
    again = parts.mark("again:yes", "they are other animals: send all of them once more")
    return element("p", words, again)


def _key(look: Look) -> Markup:
    """Offer a key: with it, an animal is never sent twice, whatever file it comes back in."""
    if look.reading.key or not look.key_columns or look.is_returned:
        return Markup("")
    column = look.key_columns[0]
    words = f"{column!r} is different in each record. If it names the animal, none is sent twice: "
    return element("p", words, parts.mark(f"key:{column}", f"use {column} as the key"))


def _unsent(look: Look) -> list[str]:
    used = {*look.mapping.values(), *look.reading.key}
    return [shorten(column, 40) for column in look.columns if column.strip() and column not in used]


def asked(seen: Seen) -> Markup:
    """Ask which animals the records are, with a button for each answer."""
    question = None if seen.plan is None else seen.plan.question
    if question is None:
        return Markup("")
    buttons = []
    for answer in answers(question):
        for option, value in answer.options.items() if answer.letter else ():
            does = f"{answer.does}: " if answer.does else ""
            buttons.append(parts.mark(f"{option}:{value}", f"{does}{answer.when}"))
    for case in question.cases if len(question.cases) > 1 else ():
        for word, when in CASE_ANSWERS[case.name].items():
            buttons.append(parts.mark(f"{case.name}:{word}", f"{case.records:,}: {when}"))
    lines = [line for line in facts_of(question) if line]
    asked = parts.warning("Are these animals in the store already?", lines)
    ways = (element("p", each) for each in buttons)
    return element("div", asked, *ways, class_="pf-gap pf-grid")


def _values(seen: Seen) -> Markup:
    """List each value that is not allowed once, with a choice of what it means."""
    reading, look = seen.choices.reading, seen.look
    labels = category_labels(reading.categories)
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
    options = (element("option", value=_labelled(number, labels)) for number in labels)
    return parts.titled(title, table + element("datalist", *options, id=_list_of(labels)))


def _chosen(meanings: Mapping[Any, Any], text: str) -> str:
    """Return the user's meaning of a value, "" if there is none yet."""
    if text not in meanings:
        return ""
    return str(meanings[text]) if meanings[text] != "" else NOTHING


def _has_repeated_keys(seen: Seen) -> bool:
    causes = () if seen.plan is None else seen.plan.result.causes
    return bool(seen.choices.reading.keep) or any(each.code == KEY_REPEATED for each in causes)


def _kept(look: Look, chosen: str | None) -> Markup:
    """Ask once which of the rows of one key counts."""
    newest = {f"newest: {column}": f"the newest by {shorten(column, 40)}" for column in look.columns
              if column.strip() and column not in look.mapping.values()}  # fmt: skip
    words = {"first": "the first stands", "last": "the last stands", **newest}
    words = {"": NOT_MAPPED} | words
    return parts.select(words, chosen, data_keep="yes", aria_label="which row of a key stands")


def _meaning(way: str, value: ValueToMap, chosen: str, labels: Mapping[int, str]) -> Markup:
    """Return the control that says what a value, or an empty cell, means."""
    name = f"what {value.text or f'an empty {label_of(value.field)}'} means"
    data = {f"data_{way}": value.field, "data_text": value.text, "aria_label": name}
    if value.field == "name":
        example = "a name, or Unnamed {column}"
        return element("input", value=chosen, placeholder=example, size=34, **data)
    if value.field == "category_id":
        known = chosen.removeprefix("-").isdecimal() and int(chosen) in labels
        shown = _labelled(int(chosen), labels) if known else chosen
        hint = "a category, or a new one: Ferret (9)" if labels else "the number of a category"
        return element(
            "input", value=shown, placeholder=hint, size=34, list=_list_of(labels), **data
        )
    words = {"": NOT_MAPPED} | _same(FIELD_BY_NAME[value.field].values) | {NOTHING: "no status"}
    return parts.select(words, chosen, **data)


def _list_of(labels: Mapping[int, str]) -> str:
    """Return the name of the list of these categories, which all boxes of a page share."""
    return f"pf-categories-{crc32(repr(labels).encode()):08x}"


def _labelled(number: int, labels: Mapping[int, str]) -> str:
    return f"{labels[number]} ({number})"


def meaning_of(
    reading: RecipeOptions, field: str, text: str
) -> tuple[int | str, Mapping[int, str] | None]:
    """Return what was chosen or written for a field, and the categories, a new one among them.

    Raises:
        InputError: A category is neither known by its label nor has a number.
    """
    labels = category_labels(reading.categories)
    if field != "category_id" or not text:
        return text, labels or None
    if found := _LABELLED.fullmatch(text):
        # Without a list of categories no category is new; a list of one would make all others odd.
        return int(found[2]), labels | {int(found[2]): found[1]} if labels else None
    if text.removeprefix("-").isdecimal():
        return int(text), labels or None
    for number, label in labels.items():
        if label.casefold() == text.casefold():
            return number, labels
    raise InputError(
        f"no category is called {text!r}",
        hint="choose one of the list, or write a new one with its number: Ferret (9)",
    )


def _held(seen: Seen) -> Markup:
    """Ask which records are sent although they look wrong."""
    if not seen.look.suspicious:
        return Markup("")
    accepted = seen.choices.reading.accept
    ticks = [
        tick(f"send all the same: {_HELD[Suspicion(word)]} ({records:,})", word in accepted,
             data_accept=word)
        for word, records in seen.look.suspicious.items()
    ]  # fmt: skip
    return parts.titled("Not sent until you confirm", Markup("").join(ticks))


def tick(text: str, is_ticked: bool, **data: object) -> Markup:
    """Draw a box to tick, with what it says behind it."""
    ticked = "" if is_ticked else None
    drawn = element("input", type="checkbox", checked=ticked, **data)
    return element("label", drawn, f" {text}", style="display:block")


def sent_words(plan: Plan | None) -> str:
    """Return what the button that sends says."""
    return f"Send {pets_text(plan.to_send)}" if plan is not None and plan.to_send else "Send"


def mapped_value(
    before: Mapping[str, Mapping[Any, Any]], field: str, text: str, chosen: int | str
) -> dict[str, Any]:
    """Return a value map with one value mapped, or, where nothing was chosen, left open again."""
    after = {name: dict(values) for name, values in before.items()}
    values = after.setdefault(field, {})
    values.pop(text, None)
    if chosen != "":
        values[text] = "" if chosen == NOTHING else chosen
    return {name: values for name, values in after.items() if values}
