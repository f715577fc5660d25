"""What a person sees of a file before anything is sent, to choose how it is read.

It reads as the real run does. Where that would stop, it takes the answer that the refusal proposes
and goes on: so a form can preset its choices and show the question that each of them answers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import nearest, read_cell, word_of
from petstore_frame.loader.reading.keys import Ranks, is_date
from petstore_frame.loader.reading.mapping import REQUIRED, likely_keys, sounds_like_a_key
from petstore_frame.loader.reading.opening import EncodingError
from petstore_frame.loader.reading.read import Input, Kind, Source, lay_out
from petstore_frame.loader.reading.tables import Table
from petstore_frame.loader.reading.words import RecipeFields
from petstore_frame.loader.record import Record, State, Suspicion
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import count_text

_MOST_QUESTIONS = 8
_MOST_FOR_KEYS = 100_000
_SUSPICIONS = frozenset(map(str, Suspicion))
TO_FILL_IN = "?"
# A column of more different words than this is no list of labels or states.
_MOST_WORDS = 60
_OF_ANIMALS = re.compile("animal|pet|tier|tag|chip", re.IGNORECASE)

Words = dict[str, Any]
Notes = dict[tuple[str, ...], str]


@dataclass(frozen=True)
class ValueToMap:
    """A text of ``count`` cells that the field does not allow, and a similar one that it does."""

    field: str
    column: str
    text: str
    count: int
    suggestion: str | None


@dataclass(frozen=True)
class Look:
    """A file or a frame as it would be read, as far as that is clear.

    Attributes:
        reading: How it was read: as asked, and by what was recognised where that is not enough.
        questions: Why it cannot be read as asked, in turn; each has the ``answer`` that ``reading``
            uses, if there is one. Empty where there is nothing to confirm.
        encodings: The likely ones of a text that is not UTF-8; empty if all is clear.
        facts, header_row, columns: As of a ``Table``; no columns where there is no header to read.
        key_columns: Columns that may identify an animal, the likeliest first.
        records: The first records, each with its problem; without a whole mapping none.
        rows: The cells of the first rows, also where the mapping is not known.
        values: Values to map, and those that were mapped, the commonest first.
        suspicious: How many records look wrong, sent all the same or not, by the word that
            ``accept`` takes.
        empty: How many records have an empty cell, or its default, by required field.
    """

    name: str
    kind: Kind
    reading: RecipeFields
    questions: tuple[InputError, ...] = ()
    encodings: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    header_row: int | None = None
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    key_columns: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    values: tuple[ValueToMap, ...] = ()
    suspicious: Mapping[str, int] = field(default_factory=dict)
    empty: Mapping[str, int] = field(default_factory=dict)
    is_returned: bool = False


def look(
    path_or_frame: Any,
    reading: RecipeFields = RecipeFields(),  # noqa: B008 # frozen
    *,
    rows: int = 50,
    most: int | None = None,
) -> Look:
    """Look at a file or a frame as it would be read; nothing is sent and nothing is kept.

    Of the ``most`` records that are looked at, None for all, the first ``rows`` are returned.

    Raises:
        InputError: There is no file that could be read at all.

    Example:
        >>> import pandas as pd
        >>> seen = look(pd.DataFrame({"Tiername": ["Rex", "Bo"], "Kategorie": [3, 4]}))
        >>> seen.mapping, len(seen.questions)
        ({'name': 'Tiername', 'category_id': 'Kategorie'}, 1)
    """
    with closing(Input(path_or_frame)) as opened, opened.naming():
        seen = Look(opened.name, opened.kind, reading)
        with suppress(InputError):  # it will be among the questions
            seen = replace(seen, sheets=opened.sheets)
        seen, source = _laid_out(opened, seen)
        # A value may be wrong in most records; that does not hide them here.
        if source is not None:
            return _with_records(seen, source, rows, most)
        with suppress(InputError):  # it is among the questions
            table, known = opened.tables(seen.reading)[0], seen.reading.mapping or {}
            mapping = {field: name for field, name in known.items() if name in table.columns}
            cells = tuple(tuple(row.cells) for row in islice(table.readable(), rows))
            keys = likely_keys(table.columns, cells, mapping.values())
            seen = replace(_with_table(seen, table, mapping), rows=cells, key_columns=keys)
        return seen


def _laid_out(opened: Input, seen: Look) -> tuple[Look, Source | None]:
    """Lay a file out, with the answer to each question that stops it."""
    while len(seen.questions) < _MOST_QUESTIONS:
        try:
            return seen, lay_out(opened, seen.reading)
        except InputError as problem:
            seen = replace(seen, questions=(*seen.questions, problem))
            if isinstance(problem, EncodingError):
                seen = replace(seen, encodings=seen.encodings or problem.likely)
            reading = seen.reading.with_words(**_confirmed(problem))
            if seen.reading == reading:
                break
            seen = replace(seen, reading=reading)
    return seen, None


def _confirmed(problem: InputError) -> dict[str, Any]:
    """Return the word that an error would add, unless that is a blank."""
    if problem.add is None or problem.add[1] == "?":
        return {}
    word, value = problem.add
    is_open = isinstance(value, Mapping) and "?" in value.values()
    return {} if is_open else {word: value}


def _with_table(seen: Look, table: Table, mapping: Mapping[str, str]) -> Look:
    columns, facts, header_row = table.columns, table.facts, table.header_row
    return replace(seen, columns=columns, facts=facts, header_row=header_row, mapping=mapping)


def _with_records(seen: Look, source: Source, rows: int, most: int | None) -> Look:
    first, cells = list[Record](), list[tuple[str, ...]]()
    suspicious, empty, questions = Counter[str](), Counter[str](), seen.questions
    # What the cells of each field hold; a name may be anything.
    fields = {name: source.columns.index(source.mapping[name]) for name in source.mapping}
    words = {name: Counter[str]() for name in fields if name != "name"}
    try:
        for record in islice(source, most):
            if len(first) < rows:
                first.append(record)
            if record.state is State.SKIPPED:
                continue
            if len(cells) < _MOST_FOR_KEYS:
                cells.append(record.cells)
            for name, counts in words.items():
                at = fields[name]
                counts["".join(record.cells[at : at + 1]).strip()] += 1
            if record.problem is not None and record.problem.accept is not None:
                suspicious[record.problem.accept] += 1
            suspicious.update(_SUSPICIONS.intersection(record.notes))
            code = "" if record.problem is None else record.problem.code
            for name in REQUIRED:
                empty[name] += f"default_{name}" in record.notes or code == f"missing_{name}"
    except InputError as problem_below:
        questions = (*questions, problem_below)
    return replace(
        _with_table(seen, source.table, source.mapping),
        questions=questions,
        key_columns=source.key or likely_keys(source.columns, cells, source.mapping.values()),
        records=tuple(first),
        rows=tuple(record.cells for record in first),
        values=tuple(_to_map(source, seen.reading, words)),
        suspicious=dict(suspicious),
        empty={name: count for name, count in empty.items() if count},
        is_returned=source.is_returned,
    )


def _to_map(
    source: Source, asked: RecipeFields, words: Mapping[str, Counter[str]]
) -> Iterator[ValueToMap]:
    """Yield the words of the columns that no field allows or that are mapped, commonest first."""
    mapped = {name: {*map(word_of, table)} for name, table in (asked.value_map or {}).items()}
    counts = [(n, name, word) for name, each in words.items() for word, n in each.items() if word]
    for count, name, word in sorted(counts, key=lambda each: -each[0]):
        column, likely = FIELD_BY_NAME[name], None
        if word_of(word) not in mapped.get(name, ()):
            problem = read_cell(column, word, source.rules).problem
            option = None if problem is None else problem.add
            if option is None or option[0] not in ("categories", "value_map"):
                continue
            likely = nearest(column, word, source.rules)
        yield ValueToMap(name, source.mapping[name], word, count, likely)


def drafted(seen: Look, words: Words) -> tuple[Words, Notes]:
    """Add what a look at the whole file shows to what is known of it; return notes, too."""
    words, notes = dict(words), Notes()
    words["mapping"] = {
        **dict.fromkeys(REQUIRED, TO_FILL_IN), **words.get("mapping", {}), **seen.mapping,
    }  # fmt: skip
    _add_key(words, notes, seen)
    _add_words(words, notes, seen)
    for name in REQUIRED:
        _add_default(words, notes, name, seen)
    return words, notes


def _add_key(words: Words, notes: Notes, seen: Look) -> None:
    """Add the likely key, and which row counts where several have it."""
    named = filter(sounds_like_a_key, seen.columns)
    # "Animal ID" rather than "ID", which may number the rows.
    keys = [*seen.key_columns, *sorted(named, key=lambda name: not _OF_ANIMALS.search(name))]
    different = {
        column: len({row[at] for row in seen.rows if at < len(row) and row[at].strip()})
        for at, column in enumerate(seen.columns)
        if column in keys
    }
    if not different:
        return
    if not seen.reading.key:
        words["key"] = keys[0]
        counts = "; ".join(f"{name}: {count:,} different" for name, count in different.items())
        notes["key",] = f"{counts}, in {count_text(len(seen.rows), 'row')}"
    key = words["key"]
    is_unique = not isinstance(key, str) or different.get(key, 0) == len(seen.rows)
    if is_unique or seen.reading.keep is not None:
        return
    # Numbers that grow with each row show the newest row as well as dates do.
    numbers = {*different} - {key}
    ties = {
        column: _count_ties(seen, key, at, column)
        for at, (column, cell) in enumerate(zip(seen.columns, seen.rows[0], strict=False))
        if is_date(cell) or (column in numbers and cell.isdecimal())
    }
    best = min(ties, key=lambda column: ties[column], default=None)
    words["keep"] = "last" if best is None else f"newest: {best}"
    shown = "; ".join(f"{name} leaves {count:,} open" for name, count in ties.items())
    notes["keep",] = f"of rows of one key; {shown or 'there is no column of dates or numbers'}"


def _count_ties(seen: Look, key: str, at: int, column: str) -> int:
    """Return how many keys have several rows that differ and are equally new by a column."""
    rows = [cells for cells in seen.rows if len(cells) == len(seen.columns)]
    key_at = seen.columns.index(key)
    used = [seen.columns.index(each) for each in seen.mapping.values()]
    try:
        ranks = Ranks(at, column, rows)
    except InputError:
        return len(rows)
    newest = dict[str, tuple[str, set[tuple[str, ...]]]]()
    for cells in rows:
        rank, sent = ranks.of(cells), tuple(cells[place] for place in used)
        best, known = newest.get(cells[key_at], ("", set()))
        if rank >= best:
            newest[cells[key_at]] = rank, {*known, sent} if rank == best else {sent}
    return sum(len(known) > 1 for _, known in newest.values())


def _add_words(words: Words, notes: Notes, seen: Look) -> None:
    """Add the words that mean nothing yet, each with the number of its rows."""
    has_labels = bool(seen.reading.rules().listed)
    for name in dict.fromkeys(value.field for value in seen.values):
        values = [value for value in seen.values if value.field == name]
        is_label = name == "category_id" and not has_labels
        place = ("categories",) if is_label else ("value_map", name)
        table = words.setdefault(place[0], {})
        if not is_label:
            table = table.setdefault(name, {})
        for value in values[:_MOST_WORDS]:
            table[value.text] = TO_FILL_IN
            likely = f"; {value.suggestion}?" if value.suggestion and not is_label else ""
            notes[*place, value.text] = f"{count_text(value.count, 'row')}{likely}"
        if more := values[_MOST_WORDS:]:
            words.setdefault("otherwise", {})[name] = TO_FILL_IN
            rows = sum(value.count for value in more)
            notes["otherwise", name] = f"{count_text(rows, 'row')} with {len(more):,} more words"


def _add_default(words: Words, notes: Notes, name: str, seen: Look) -> None:
    """Add a default for the empty cells of a field."""
    column, key = words["mapping"][name], words.get("key")
    if column not in seen.columns or name in words.get("defaults", {}):
        return
    at = seen.columns.index(column)
    empty = sum(not "".join(row[at : at + 1]).strip() for row in seen.rows if any(row))
    if empty:
        is_name = name == "name" and isinstance(key, str)
        default = f"Unnamed {{{key}}}" if is_name else TO_FILL_IN
        words.setdefault("defaults", {})[name] = default
        be = "is" if empty == 1 else "are"
        notes["defaults", name] = f"{empty:,} of {count_text(len(seen.rows), 'row')} {be} empty"
