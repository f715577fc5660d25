"""What a recipe for a file would say, made from all of its rows."""

from __future__ import annotations

import re
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.keys import Ranks, is_date
from petstore_frame.loader.reading.mapping import REQUIRED, sounds_like_a_key
from petstore_frame.loader.reading.preview import Look
from petstore_frame.schema.text import rows_text

TO_FILL_IN = "?"
# A column of more different words than this is no list of labels or states.
_MOST_WORDS = 60
_OF_ANIMALS = re.compile("animal|pet|tier|tag|chip", re.IGNORECASE)

Words = dict[str, Any]
Notes = dict[tuple[str, ...], str]


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
        notes["key",] = f"{counts}, in {rows_text(len(seen.rows))}"
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
    key_at, ranks = seen.columns.index(key), Ranks(at, column)
    used = [seen.columns.index(each) for each in seen.mapping.values()]
    rows = [cells for cells in seen.rows if len(cells) == len(seen.columns)]
    for cells in rows:
        ranks.see(cells)
    try:
        ranks.learn()
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
            notes[*place, value.text] = f"{rows_text(value.count)}{likely}"
        if more := values[_MOST_WORDS:]:
            words.setdefault("otherwise", {})[name] = TO_FILL_IN
            rows = sum(value.count for value in more)
            notes["otherwise", name] = f"{rows_text(rows)} with {len(more):,} more words"


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
        notes["defaults", name] = f"{empty:,} of {rows_text(len(seen.rows))} {be} empty"
