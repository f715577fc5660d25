"""The draft of a recipe, made from all rows of a file."""

from __future__ import annotations

import re
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.look import Look, ValueToMap, look
from petstore_frame.loader.reading.mapping import sounds_like_a_key
from petstore_frame.loader.reading.options import Options
from petstore_frame.loader.reading.ranks import Ranks, is_date
from petstore_frame.loader.reading.recipe_text import TO_FILL_IN, plain, to_text
from petstore_frame.loader.reading.tables import Row
from petstore_frame.schema.models import FIELD_BY_NAME

# A column of more different words than this is no list of labels or states.
_MOST_WORDS = 60
_MOST_ROWS = 2_000_000
_OF_ANIMALS = re.compile("animal|pet|tier|tag|chip", re.IGNORECASE)


def draft_text(path: Any, options: Options) -> str:
    """Return a recipe for a file as TOML, with question marks where a person decides.

    Raises:
        InputError: The file cannot be read at all.
    """
    seen = look(path, options, rows=_MOST_ROWS)
    notes: dict[tuple[str, ...], str] = {}
    words = plain(seen.reading)
    if seen.mapping:
        words["mapping"] = {**words.get("mapping", {}), **seen.mapping}
    for field in FIELD_BY_NAME.values():
        if field.is_sent and field.is_required and field.name not in words.get("mapping", {}):
            words.setdefault("mapping", {})[field.name] = TO_FILL_IN
    _add_key(words, notes, seen)
    _add_words(words, notes, seen)
    for field in FIELD_BY_NAME.values():
        if field.is_sent and field.is_required:
            _add_default(words, notes, field.name, seen)
    head = [f"# {seen.name}: {len(seen.rows):,} rows. Replace each question mark."]
    head += [f"# {problem}".replace("\n", " ") for problem in seen.questions if not problem.answer]
    return "\n".join([*head, to_text(words, notes)])


def _add_key(words: dict[str, Any], notes: dict[tuple[str, ...], str], seen: Look) -> None:
    """Add the likely key, and what keeps one row where several have it."""
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
        words["key"] = next(iter(keys))
        counts = "; ".join(f"{name}: {count:,} different" for name, count in different.items())
        notes["key",] = f"{counts}, in {len(seen.rows):,} rows"
    key = words["key"]
    repeats = isinstance(key, str) and different.get(key, 0) < len(seen.rows)
    if repeats and seen.reading.keep is None:
        # Numbers that grow with each row say it as well as a column of dates.
        columns = [
            at
            for at, cell in enumerate(seen.rows[0])
            if is_date(cell) or (seen.columns[at] in {*different} - {key} and cell.isdecimal())
        ]
        ties = {seen.columns[at]: _count_ties(seen, key, at) for at in columns}
        best = min(ties, key=lambda column: ties[column], default=None)
        words["keep"] = "last" if best is None else f"newest: {best}"
        told = "; ".join(f"{name} leaves {count:,} open" for name, count in ties.items())
        notes["keep",] = f"of rows of one key; {told or 'there is no column of dates or numbers'}"


def _count_ties(seen: Look, key: str, at: int) -> int:
    """Return how many keys have several rows that differ and are equally new by a column."""
    key_at, newest = seen.columns.index(key), dict[str, tuple[str, set[tuple[str, ...]]]]()
    ranks = Ranks(seen.columns, f"newest: {seen.columns[at]}")
    used = [seen.columns.index(column) for column in seen.mapping.values()]
    try:
        ranks.learn(Row(line, cells) for line, cells in enumerate(seen.rows))
    except InputError:
        return len(seen.rows)
    for cells in seen.rows:
        if len(cells) == len(seen.columns):
            rank, sent = ranks.of(cells) or "", tuple(cells[place] for place in used)
            best, rows = newest.get(cells[key_at], ("", set()))
            if rank >= best:
                newest[cells[key_at]] = rank, {*rows, sent} if rank == best else {sent}
    return sum(len(rows) > 1 for _, rows in newest.values())


def _add_words(words: dict[str, Any], notes: dict[tuple[str, ...], str], seen: Look) -> None:
    """Add the words that mean nothing yet, each with the number of its rows."""
    rules = seen.reading.rules()
    by_field: dict[str, list[ValueToMap]] = {}
    for value in seen.values:
        by_field.setdefault(value.field, []).append(value)
    for name, values in by_field.items():
        is_label = name == "category_id" and not rules.listed
        place = ("categories",) if is_label else ("value_map", name)
        table = words.setdefault(place[0], {})
        if not is_label:
            table = table.setdefault(name, {})
        for value in values[:_MOST_WORDS]:
            table[value.text] = TO_FILL_IN
            likely = f"; {value.suggestion}?" if value.suggestion and not is_label else ""
            notes[*place, value.text] = f"{value.count:,} rows{likely}"
        if more := values[_MOST_WORDS:]:
            words.setdefault("otherwise", {})[name] = TO_FILL_IN
            rows = sum(value.count for value in more)
            notes["otherwise", name] = f"{rows:,} rows with {len(more):,} more words"


def _add_default(
    words: dict[str, Any], notes: dict[tuple[str, ...], str], name: str, seen: Look
) -> None:
    """Add a default for the empty cells of a field, or for the column that is not there."""
    column = words.get("mapping", {}).get(name)
    if column not in seen.columns or name in words.get("defaults", {}):
        return
    at = seen.columns.index(column)
    empty = sum(not "".join(row[at : at + 1]).strip() for row in seen.rows if any(row))
    if empty:
        is_name = name == "name" and isinstance(words.get("key"), str)
        text = f"Unnamed {{{words['key']}}}" if is_name else TO_FILL_IN
        words.setdefault("defaults", {})[name] = text
        notes["defaults", name] = f"{empty:,} of {len(seen.rows):,} rows are empty"
