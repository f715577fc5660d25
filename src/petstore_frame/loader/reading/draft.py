"""Drafts the recipe of a file: what is proven is filled in, the rest is a question mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import BLANK, has_no_meaning, word_of
from petstore_frame.loader.reading.keys import Ranks, is_date
from petstore_frame.loader.reading.likely import LikelyKey, likely_keys, proven_key
from petstore_frame.loader.reading.mapping import FIELDS, REQUIRED, listed, recognise
from petstore_frame.loader.reading.preview import laid_out
from petstore_frame.loader.reading.read import Input
from petstore_frame.loader.reading.toml import toml_of, write_toml
from petstore_frame.loader.reading.words import RecipeFields
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import count_text, short_text

# A draft looks at no more rows than these.
_MOST_ROWS = 2_000_000
# A column of more different words than this is no list of labels or states.
_MOST_WORDS = 60


@dataclass(frozen=True)
class Draft:
    """A recipe to be filled in by a person, as a value and as a text with the facts beside it."""

    text: str
    recipe: RecipeFields

    def __str__(self) -> str:
        return self.text

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the text into a file, and return its path."""
        return write_toml(path, self.text)


def draft(source: Any, known: RecipeFields) -> Draft:
    """Return a recipe for a file, as ``Recipe.draft`` says."""
    opened = Input(source)
    with opened.naming():
        reading, questions, _ = laid_out(opened, known)
        reading = reading.replace(mapping=known.mapping)
        table = opened.table(reading)
        drafting = _Drafting(
            reading,
            table.columns,
            [row.cells for row in islice(table.readable(), _MOST_ROWS) if any(row.cells)],
        )
        drafting.mapping()
        drafting.key()
        drafting.words("category_id")
        drafting.words("status")
        drafting.defaults()
    questions_of = {each.add[0]: each for each in questions if each.add}
    for word in ("encoding", "delimiter", "header_row", "sheet"):
        if word in questions_of and word in reading.given():
            drafting.notes[word,] = questions_of[word].hint
    rows = count_text(len(drafting.rows), "row")
    open_questions = [str(each) for each in questions if each.add is None]
    head = [f"{opened.name}: {rows}. Replace each question mark.", *open_questions]
    recipe = type(known)(**drafting.known)
    body = toml_of(recipe.to_dict(), {**recipe.comments(), **drafting.notes})
    comments = [f"# {' '.join(each.split())}" for each in [*head, *drafting.remarks]]
    text = "\n".join([*comments, body, *drafting.tail])
    return Draft(text, recipe)


@dataclass
class _Drafting:
    """What is known of a file's recipe, with the facts beside each word."""

    reading: RecipeFields
    columns: Sequence[str]
    rows: list[Sequence[str]]
    notes: dict[tuple[str, ...], str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known: dict[str, Any] = self.reading.to_dict()
        self.column_of: dict[str, str] = {}  # by field: certain, or the likeliest

    def _cells(self, column: str) -> list[str]:
        at = self.columns.index(column)
        return [cells[at].strip() if at < len(cells) else "" for cells in self.rows]

    def mapping(self) -> None:
        """Fill in the columns whose names are a field's own; ask for the others."""
        found = recognise(self.columns, self.reading.mapping, self.reading.defaults)
        mapping = {name: column or "" for name, column in self.reading.mapping.items()}
        if not found.mapping and not found.likely and any(map(_is_datum, self.columns)):
            shown = listed(self.columns)
            names = ", ".join(f'"{each}"' for each in ("name", "category_id", "status"))
            self.remarks.append(f"The first row looks like an animal: {shown}. If the file has no "
                                f"header, say so: columns = [{names}]")  # fmt: skip
        for name in FIELDS:
            column, likely = found.mapping.get(name), found.likely.get(name, [])
            if column is not None:
                self.column_of[name] = column
                if name in mapping or name != "status" or self._has_statuses(column):
                    mapping[name] = column
                likely = [column]
            is_needed = name in REQUIRED and name not in self.reading.defaults
            if name in mapping or not (likely or is_needed):
                continue
            mapping[name] = BLANK
            asked = " or ".join(f'"{each}"' for each in likely[:3])
            note = f"{asked}?" if asked else f"which column? {listed(self.columns)}"
            if likely:
                self.column_of[name] = likely[0]
            elif name in REQUIRED:
                note += "; without one, take this line out and say it under [defaults]"
            if name not in REQUIRED:
                note += ' "" leaves it out'
            if name == "status":
                words = Counter(filter(None, self._cells(likely[0]))).most_common(3)
                note += f"; its words: {', '.join(short_text(word) for word, _ in words)}"
            self.notes["mapping", name] = note
        self.known["mapping"] = mapping

    def _has_statuses(self, column: str) -> bool:
        """Return whether a column is empty, or has a word that is a status."""
        words = {word.casefold() for word in self._cells(column)} - {""}
        return not words or bool(words & {*FIELD_BY_NAME["status"].values})

    def key(self) -> None:
        """State the key where it is proven, else ask, with the facts of each likely column."""
        keys = likely_keys(self.columns, self.rows, self.column_of)
        if self.reading.key is None:
            proven = proven_key(keys)
            self.known["key"] = BLANK if proven is None else proven.column
            self.notes["key",] = "; ".join(map(str, keys)) + '; "" if none identifies an animal'
            if not keys:
                del self.known["key"]
                self.remarks.append(
                    'No column is called like an animal\'s number. If one is: key = "COLUMN"'
                )
        chosen = self.reading.key
        repeating = [
            each for each in keys if each.repeated
            and (not each.is_of_others if chosen is None else each.column in chosen)
        ]  # fmt: skip
        if repeating and self.reading.keep is None and chosen != ():
            self.known["keep"] = BLANK
            self.notes["keep",] = self._ties(repeating[0])

    def _ties(self, key: LikelyKey) -> str:
        """Return which columns of dates say what row is newest, and what each leaves open."""
        key_at = self.columns.index(key.column)
        used = [self.columns.index(each) for each in self.column_of.values()]
        facts = []
        for at, column in enumerate(self.columns):
            first = next((cells[at] for cells in self.rows if at < len(cells) and cells[at]), "")
            if not is_date(first):
                continue
            try:
                ranks = Ranks(at, column, self.rows)
            except InputError as problem:
                facts.append(f"{column}: {problem.args[0]}")
                continue
            newest = dict[str, tuple[str, set[tuple[str, ...]]]]()
            for cells in self.rows:
                if len(cells) == len(self.columns):
                    rank, sent = ranks.of(cells), tuple(cells[place] for place in used)
                    best, others = newest.get(cells[key_at], ("", set()))
                    if rank >= best:
                        newest[cells[key_at]] = rank, {*others, sent} if rank == best else {sent}
            ties = sum(len(rows) > 1 for _, rows in newest.values())
            facts.append(f'"newest: {column}" leaves {ties:,} open')
        rows = f"{key.repeated:,} of {key.column} stand in several rows"
        return f"{rows}: first, last, {'; '.join(facts) or 'no column has dates'}"

    def words(self, name: str) -> None:
        """Ask for the meaning of each word that the field does not allow, with its count."""
        column = self.column_of.get(name)
        if column is None:
            return
        rules, kept = self.reading.rules(), dict[str, str]()  # as spelled most, by the word
        is_label = name == "category_id" and not rules.listed
        place = ("categories",) if is_label else ("value_map", name)
        for word, count in Counter(filter(None, self._cells(column))).most_common():
            if word_of(word) not in kept and has_no_meaning(FIELD_BY_NAME[name], word, rules):
                kept[word_of(word)] = word
                self.notes[*place, word] = count_text(count, "row")
        table = self.known
        for part in place if kept else ():
            table = table.setdefault(part, {})
        table.update(dict.fromkeys(islice(kept.values(), _MOST_WORDS), BLANK))
        if len(kept) > _MOST_WORDS:
            self.known.setdefault("otherwise", {})[name] = BLANK
            more = f"{column} has {len(kept) - _MOST_WORDS:,} more words"
            self.notes["otherwise", name] = more

    def defaults(self) -> None:
        """Say in a comment what could stand for the empty cells of a required field."""
        for name in REQUIRED:
            column = self.column_of.get(name)
            if column is None or name in self.reading.defaults:
                continue
            empty = sum(not cell for cell in self._cells(column))
            if empty:
                key = self.known.get("key")
                is_named = isinstance(key, str) and key not in ("", BLANK)
                example = f"Unnamed {{{key if is_named else 'COLUMN'}}}" if name == "name" else "?"
                rows = count_text(len(self.rows), "row")
                self.tail += [] if self.tail else ["# [defaults]  # what an empty cell becomes"]
                self.tail.append(f'# {name} = "{example}"  # empty in {empty:,} of {rows}')


def _is_datum(name: str) -> bool:
    """Tell whether the name of a column looks like a value: a number, a date, or a status."""
    text = name.strip().casefold()
    return text.isdecimal() or is_date(text) or text in FIELD_BY_NAME["status"].values
