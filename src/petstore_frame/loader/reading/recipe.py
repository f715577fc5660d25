"""How a kind of file is read, as one value that can be kept: its TOML file, read and written."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self, TypedDict

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.files.whole import replacing
from petstore_frame.loader.reading.mapping import Mapped
from petstore_frame.loader.reading.options import ByColumn, ByField, RecipeOptions, ValueMap, merged
from petstore_frame.loader.reading.preview import TO_FILL_IN, drafted, look
from petstore_frame.schema.categories import Categories
from petstore_frame.schema.text import count_text, kind_text

# A draft looks at no more rows than these.
_MOST_ROWS = 2_000_000
# In the order in which they are written, those of a table last.
COMMENTS = {
    "key": "the column, or columns, that identify an animal",
    "keep": "of rows of one key: first, last, or newest: COLUMN",
    "count": "the column that says how many animals a row stands for",
    "encoding": "of a text file that is not UTF-8",
    "delimiter": "between the cells of a text file",
    "quoting": "none reads quotes as letters",
    "sheet": "of a workbook",
    "header_row": "1 is the first row of the file",
    "columns": "the names, where the file has no header",
    "thousands": "the separator in numbers",
    "keep_spaces": "leave the outer spaces of names",
    "accept": "suspicious records that are sent all the same",
    "duplicates": "records without a key that equal earlier ones: refuse, skip or send",
    "categories": "the number of each label",
    "mapping": "the column of each field",
    "value_map": "what the words of a column mean; an empty text is an empty cell",
    "otherwise": "what all other words become",
    "defaults": "what an empty cell becomes; braces name a column of the file",
    "leave_out": "rows that are not loaded, by the words of a column",
    "only": "the rows that are loaded, by the words of a column",
}
_ELSEWHERE = ("base_url", "api_key", "journal", "output", "path", "file")
_BARE = re.compile("[A-Za-z0-9_-]+")
_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)")


class RecipeWords(TypedDict, total=False):
    """The words of a recipe, as they may stand beside it in a call."""

    key: str | Sequence[str]
    keep: str
    mapping: Mapped
    value_map: ValueMap
    otherwise: ByField
    defaults: ByField
    categories: Categories
    leave_out: ByColumn
    only: ByColumn
    count: str
    accept: str | Collection[str]
    encoding: str
    delimiter: str
    quoting: str
    sheet: str
    header_row: int
    columns: Sequence[str]
    thousands: str
    keep_spaces: bool


class Recipe(RecipeOptions):
    """How a kind of file is read: those options of ``load`` that are about reading.

    Write it once, and give it with each file of the kind: ``load(path, client,
    recipe="arrivals.toml")``. It holds no address, no API key and no path of a journal.

    Raises:
        ArgumentError: One of the words cannot be used; it names the value and what is allowed.

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

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read a recipe from its file; a path in it is relative to it.

        Raises:
            InputError: The file cannot be read, or has a word that no recipe has; with its line.
        """
        place = Path(fspath(path))
        text, words = read_toml(place, "the recipe")
        for word in words:
            if word not in COMMENTS:
                raise unknown_word(word, COMMENTS, text, place)
        for word in _open_words(words):
            what = f"{word!r} is still to be filled in"
            hint = "replace the question mark, or take the line out"
            raise InputError(what, path=str(place), line=line_of(word, text), hint=hint)
        if isinstance(file := words.get("categories"), str):
            words["categories"] = str(place.parent / file)
        try:
            return cls(**words)
        except ArgumentError as problem:
            what = str(problem).removesuffix("; nothing was sent")
            named = next((word for word in words if what.startswith(word)), None)
            line = None if named is None else line_of(named, text)
            raise InputError(what, path=str(place), line=line) from None

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the recipe into a file, with a comment per line, and return its path.

        Raises:
            ArgumentError: Something in it cannot stand in a file.
        """
        place = Path(fspath(path))
        text = _toml(plain(self, place.parent), {})
        with replacing(place) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
        return place

    @classmethod
    def draft(cls, path: str | PathLike[str], **words: Any) -> str:
        """Return the text of a recipe for a file, to be filled in where it has question marks.

        It is made from the whole file: the columns that were recognised, the likely key, each
        label and word with the number of its rows, and the empty cells.

        Args:
            path: What ``load`` reads.
            words: What is known of the file, as of a ``Recipe``.

        Raises:
            InputError: The file cannot be read at all.
        """
        seen = look(path, cls(**words), rows=_MOST_ROWS)
        known, notes = drafted(seen, plain(seen.reading))
        head = [f"# {seen.name}: {count_text(len(seen.rows), 'row')}. Replace each question mark."]
        open_questions = (problem for problem in seen.questions if problem.add is None)
        head += [f"# {problem}".replace("\n", " ") for problem in open_questions]
        return "\n".join([*head, _toml(known, notes)])

    def to_dict(self) -> dict[str, Any]:
        """Return its words as values that JSON has; ``Recipe(**values)`` is the same recipe."""
        return plain(self)


def as_recipe(
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None, given: Mapping[str, Any]
) -> Recipe:
    """Return a recipe, or the one in a file, with the options given beside it, which win.

    Raises:
        ArgumentError: It is neither, or an option cannot be used.
        InputError: The file cannot be read as a recipe.
    """
    if isinstance(recipe, str | PathLike):
        recipe = Recipe.read(recipe)
    if isinstance(recipe, Mapping):
        recipe = Recipe(**recipe)
    if recipe is not None and not isinstance(recipe, Recipe):
        kind = kind_text(recipe)
        what = f"recipe= is a Recipe or the path of its file, got {kind}; nothing was sent"
        raise ArgumentError(what)
    found: Recipe = merged(recipe or Recipe(), given)
    return found


def plain(options: RecipeOptions, folder: Path | None = None) -> dict[str, Any]:
    """Return what options say as values that JSON and TOML have, paths relative to a folder."""
    found = options.given()
    categories = found.get("categories")
    if isinstance(categories, str | PathLike):
        path = Path(fspath(categories))
        found["categories"] = fspath(categories)
        if folder is not None:
            found["categories"] = path.resolve().as_posix()
            with suppress(ValueError):  # between drives
                relative = os.path.relpath(path.resolve(), folder.resolve())
                found["categories"] = Path(relative).as_posix()
    elif not isinstance(categories, Mapping | None):
        what = "these categories have labels and ids that stand several times; write them as a CSV"
        raise ArgumentError(what)
    if len(options.key) == 1:
        found["key"] = options.key[0]
    return {name: _plain(value) for name, value in found.items()}


def plain_if_possible(options: RecipeOptions) -> dict[str, Any] | None:
    """Return what options say as values that JSON has; None where categories need a table."""
    with suppress(ArgumentError):
        return plain(options)
    return None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(word): _plain(each) for word, each in value.items()}
    if isinstance(value, Collection) and not isinstance(value, str):
        return sorted(value) if isinstance(value, frozenset) else list(value)
    return "" if value is None else value


def _toml(given: Mapping[str, Any], notes: Mapping[tuple[str, ...], str]) -> str:
    """Return the words of a recipe, as of ``plain``, as TOML; ``notes`` are further comments."""
    head = "# How this kind of file is read; see the page on recipes of petstore-frame."
    words = {name: given[name] for name in COMMENTS if name in given}
    comments = {(name,): comment for name, comment in COMMENTS.items()}
    text = "\n".join([head, *_table((), words, comments | {**notes}), ""])
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ArgumentError("a recipe holds half a character, which no file can hold") from None
    return text


def _table(
    path: tuple[str, ...], table: Mapping[str, Any], notes: Mapping[tuple[str, ...], str]
) -> Iterator[str]:
    inner = {word: value for word, value in table.items() if isinstance(value, Mapping)}
    if path and (len(inner) < len(table) or not table):
        yield f"\n[{'.'.join(map(_key, path))}]  # {COMMENTS[path[0]]}"
    for word, value in table.items():
        if word not in inner:
            comment = notes.get((*path, word), "")
            line = f"{_key(word)} = {_value(value)}"
            yield f"{line}  # {comment}" if comment else line
    for word, value in inner.items():
        yield from _table((*path, word), value, notes)


def _key(word: str) -> str:
    return word if _BARE.fullmatch(word) else _value(word)


def _value(value: Any) -> str:
    # JSON's texts, lists, numbers and truth values are TOML's, but for this one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_toml(path: Path, what: str, hint: str = "") -> tuple[str, dict[str, Any]]:
    """Return the text of a file of ours, and what it says; an InputError has the line at fault."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"cannot open {what}: {reason}", path=str(path), hint=hint) from None
    except tomllib.TOMLDecodeError as problem:
        found = _AT_LINE.search(str(problem))
        line = int(found[1]) if found else None
        what = f"this is not TOML: {_AT_LINE.sub('', str(problem))}"
        hint = "put texts into quotes, and words with spaces, too"
        raise InputError(what, path=str(path), line=line, hint=hint) from None


def _open_words(value: Any, word: str = "") -> Iterator[str]:
    """Yield the words of tables that have a question mark for a person to replace."""
    for each, inner in value.items():
        if isinstance(inner, Mapping):
            yield from _open_words(inner, each)
        elif inner == TO_FILL_IN and word:
            yield each


def unknown_word(
    word: str, known: Collection[str], text: str, path: Path, *, owner: str = "a recipe"
) -> InputError:
    """Return the refusal of a word of a file of ours, with its line and the nearest known one."""
    near = get_close_matches(word, known, 1, 0.6)
    hint = f"did you mean {near[0]}?" if near else f"{owner} has {', '.join(known)}"
    if owner == "a recipe" and word in _ELSEWHERE:
        hint = "a recipe says how a file is read; where it goes stays with each call"
    elif word == "api_key":
        hint = "the API key comes from PETSTORE_API_KEY only"
    what = f"{owner} has no word {word!r}"
    return InputError(what, path=str(path), line=line_of(word, text), hint=hint)


def line_of(word: str, text: str) -> int | None:
    """Return the line of a file on which a word is given its value, or stands as a table."""
    for number, line in enumerate(text.splitlines(), 1):
        start = line.strip().lstrip("[").split("=")[0].split("]")[0]
        if word in re.split(r"[\s.\"']+", start) or start.strip().strip("\"'") == word:
            return number
    return None
