"""A recipe: how one kind of file is read, with its draft for a file that a person fills in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.reading.fields import BLANK, word_of
from petstore_frame.loader.reading.keys import (
    LikelyKey,
    Ranks,
    cell_at,
    is_date,
    likely_keys,
    proven_key,
)
from petstore_frame.loader.reading.mapping import FIELDS, REQUIRED, listed, recognise
from petstore_frame.loader.reading.opening import Input
from petstore_frame.loader.reading.preview import laid_out
from petstore_frame.loader.reading.toml import toml_of, write_toml
from petstore_frame.loader.reading.words import RecipeFields, RecipeWords, readers_of
from petstore_frame.schema.arguments import before_sending
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import count_text, kind_text, short_text

# A draft looks at no more rows than these.
_MOST_ROWS = 2_000_000
# A column of more different words than this is no list of labels or states.
_MOST_WORDS = 60


class Recipe(RecipeFields):
    """How a kind of file is read: write it once, and give it with each file of the kind.

    A ``"?"`` is a blank: in ``key``, ``keep`` or ``mapping`` the load is refused, and a word whose
    meaning is a blank leaves its rows to fix. It holds no address, no API key and no folder.

    Raises:
        ArgumentError: A word is unknown, or its value cannot be used; it names both.

    Example:
        >>> from pathlib import Path
        >>> import tempfile
        >>> import petstore_frame as pf
        >>> recipe = pf.Recipe(key="Tag no", mapping={"name": "Pet name"}, categories={"Dog": 1})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = recipe.write(Path(folder, "arrivals.toml"))
        ...     pf.Recipe.read(path) == recipe
        True

    Interface: Resources, NewPet (the layout of a file is ours).
    """

    if TYPE_CHECKING:  # they would require each field, and by its checked type

        def __init__(self, **words: Unpack[RecipeWords]) -> None: ...

    @classmethod
    def draft(cls, source: Any, **words: Unpack[RecipeWords]) -> Draft:
        """Return a recipe for a file, with what is proven, and a question mark for the rest.

        The whole file is read. Each question mark has the facts beside it.

        Args:
            source: What ``load`` reads.
            words: What is known of the file.

        Raises:
            InputError: The file cannot be read at all.
        """
        opened = Input(source)
        with opened.naming():
            return _Drafting(opened, cls(**words)).draft()


@before_sending()
def as_recipe(
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None, words: Mapping[str, Any]
) -> Recipe:
    """Return a recipe, given as such, as a dict or as a file, with words that win over its own.

    Raises:
        ArgumentError: It is none of these, or a word cannot be used.
        InputError: The file cannot be read as a recipe, or leaves open what nobody says.
    """
    path = Path(fspath(recipe)) if isinstance(recipe, str | PathLike) else None
    if path is not None:
        recipe = Recipe.read(path)
    elif isinstance(recipe, Mapping):
        recipe = Recipe(**recipe)
    elif not isinstance(recipe, Recipe | None):
        kind = kind_text(recipe)
        raise ArgumentError(f"recipe= is a Recipe, a dict or the path of its file, got {kind}")
    found = (recipe or Recipe()).with_words(**words)
    found.refuse_blanks(path)
    return found


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


class _Drafting:
    """What is known of a file's recipe, with the facts beside each word."""

    def __init__(self, opened: Input, known: Recipe) -> None:
        self._name, self._said = opened.name, known
        reading, self._questions, _ = laid_out(opened, known)
        self._reading = reading.replace(mapping=known.mapping)
        table = opened.table(self._reading)
        self._columns = table.columns
        self._rows = [cells for cells in islice(table.cells(), _MOST_ROWS) if any(cells)]
        self._words: dict[str, Any] = self._reading.to_dict()
        self._notes, self._remarks = self._said.comments(), list[str]()
        self._column_of = dict[str, str]()  # by field: certain, or the likeliest

    def draft(self) -> Draft:
        """Return what is proven, and ask for the rest."""
        asked = {each.add[0]: each.hint for each in self._questions if each.add}
        for word in ("encoding", "delimiter", "header_row", "sheet"):
            if word in asked and word in self._words:
                self._notes[word,] = asked[word]
        self._add_mapping()
        self._add_key()
        self._add_words("category_id")
        self._add_words("status")
        rows = count_text(len(self._rows), "row")
        head = [f"{self._name}: {rows}. Replace each question mark."]
        head += [str(each) for each in self._questions if each.add is None]
        comments = [f"# {' '.join(each.split())}" for each in [*head, *self._remarks]]
        recipe = type(self._said)(**self._words)
        body = toml_of(recipe.to_dict(), self._notes)
        return Draft("\n".join([*comments, body, *self._defaults()]), recipe)

    def _cells(self, column: str) -> list[str]:
        at = self._columns.index(column)
        return [cell_at(cells, at) for cells in self._rows]

    def _add_mapping(self) -> None:
        """Fill in the columns whose names are a field's own; ask for the others."""
        known = self._said
        found = recognise(self._columns, known.mapping, known.defaults)
        mapping = {name: column or "" for name, column in known.mapping.items()}
        if not found.mapping and not found.likely and any(map(_is_datum, self._columns)):
            names = ", ".join(f'"{each}"' for each in FIELDS)
            self._remarks.append(
                f"The first row looks like an animal: {listed(self._columns)}. If the file has no "
                f"header, say so: columns = [{names}]"
            )
        for name in FIELDS:
            column, likely = found.mapping.get(name), found.likely.get(name, [])
            if column is not None:
                self._column_of[name], likely = column, [column]
                if name in mapping or name != "status" or self._has_statuses(column):
                    mapping[name] = column
            is_needed = name in REQUIRED and name not in known.defaults
            if name in mapping or not (likely or is_needed):
                continue
            mapping[name] = BLANK
            asked = " or ".join(f'"{each}"' for each in likely[:3])
            note = f"{asked}?" if asked else f"which column? {listed(self._columns)}"
            if likely:
                self._column_of[name] = likely[0]
            else:
                note += "; without one, take this line out and say it under [defaults]"
            if name not in REQUIRED:
                note += ' "" leaves it out'
            if name == "status":
                words = Counter(filter(None, self._cells(likely[0]))).most_common(3)
                note += f"; its words: {', '.join(short_text(word) for word, _ in words)}"
            self._notes["mapping", name] = note
        self._words["mapping"] = mapping

    def _has_statuses(self, column: str) -> bool:
        """Return whether a column is empty, or has a word that is a status."""
        words = {word.casefold() for word in self._cells(column)} - {""}
        return not words or bool(words & {*FIELD_BY_NAME["status"].values})

    def _add_key(self) -> None:
        """State the key where it is proven, else ask, with the facts of each likely column."""
        keys, chosen = likely_keys(self._columns, self._rows, self._column_of), self._said.key
        if chosen is None and keys:
            proven = proven_key(keys)
            self._words["key"] = BLANK if proven is None else proven.column
            self._notes["key",] = "; ".join(map(str, keys)) + '; "" if none identifies an animal'
        elif chosen is None:
            remark = 'No column is called like an animal\'s number. If one is: key = "COLUMN"'
            self._remarks.append(remark)
        repeating = [
            each for each in keys if each.repeated
            and (not each.is_of_others if chosen is None else each.column in chosen)
        ]  # fmt: skip
        if repeating and self._said.keep is None:
            self._words["keep"] = BLANK
            self._notes["keep",] = self._ties(repeating[0])

    def _ties(self, key: LikelyKey) -> str:
        """Return which columns of dates say what row is newest, and what each leaves open."""
        import pandas as pd

        used = [self._columns.index(each) for each in self._column_of.values()]
        sent = ["\x1f".join(cell_at(cells, at) for at in used) for cells in self._rows]
        facts = []
        for at, column in enumerate(self._columns):
            if not is_date(next(filter(None, self._cells(column)), "")):
                continue
            try:
                ranks = [*map(Ranks(at, column, self._rows).of, self._rows)]
            except InputError as problem:
                facts.append(f"{column}: {problem.message}")
                continue
            table = pd.DataFrame({"key": self._cells(key.column), "rank": ranks, "sent": sent})
            newest = table[table["rank"] == table.groupby("key")["rank"].transform("max")]
            ties = int((newest.groupby("key")["sent"].nunique() > 1).sum())
            facts.append(f'"newest: {column}" leaves {ties:,} open')
        rows = f"{key.repeated:,} of {key.column} stand in several rows"
        return f"{rows}: first, last, {'; '.join(facts) or 'no column has dates'}"

    def _add_words(self, name: str) -> None:
        """Ask for the meaning of each word that the field does not allow, with its count."""
        column = self._column_of.get(name)
        if column is None:
            return
        reader, asked = readers_of(self._reading)[name], dict[str, str]()
        is_label = name == "category_id" and not reader.listed
        place = ("categories",) if is_label else ("value_map", name)
        for word, count in Counter(filter(None, self._cells(column))).most_common():
            if word_of(word) not in asked and reader.asks(word):  # as spelled most
                asked[word_of(word)] = word
                self._notes[*place, word] = count_text(count, "row")
        table = self._words
        for part in place if asked else ():
            table = table.setdefault(part, {})
        table.update(dict.fromkeys(islice(asked.values(), _MOST_WORDS), BLANK))
        if len(asked) > _MOST_WORDS:
            self._words.setdefault("otherwise", {})[name] = BLANK
            more = f"{column} has {len(asked) - _MOST_WORDS:,} more words"
            self._notes["otherwise", name] = more

    def _defaults(self) -> list[str]:
        """Return in comments what could stand for the empty cells of a required field."""
        lines = list[str]()
        for name in REQUIRED:
            column = self._column_of.get(name)
            if column is None or name in self._said.defaults:
                continue
            if empty := self._cells(column).count(""):
                key = self._words.get("key")
                is_named = isinstance(key, str) and key not in ("", BLANK)
                example = f"Unnamed {{{key if is_named else 'COLUMN'}}}" if name == "name" else "?"
                rows = count_text(len(self._rows), "row")
                lines += [] if lines else ["# [defaults]  # what an empty cell becomes"]
                lines.append(f'# {name} = "{example}"  # empty in {empty:,} of {rows}')
        return lines


def _is_datum(name: str) -> bool:
    """Tell whether the name of a column looks like a value: a number, a date, or a status."""
    text = name.strip().casefold()
    return text.isdecimal() or is_date(text) or text in FIELD_BY_NAME["status"].values
