"""A recipe as a TOML file: written in a fixed order with a comment per line, and read back."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.reading.options import Options
from petstore_frame.schema.numeric import whole_from_text

TO_FILL_IN = "?"
_WORDS = tuple(field.name for field in fields(Options))
_TABLES = (
    "mapping", "value_map", "otherwise", "defaults", "leave_out", "only", "categories",
)  # fmt: skip
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


def to_text(given: Mapping[str, Any], notes: Mapping[tuple[str, ...], str]) -> str:
    """Return the words of a recipe, as of ``plain``, as TOML; ``notes`` are further comments.

    Raises:
        ArgumentError: A text in it cannot stand in a file.
    """
    lines = ["# How this kind of file is read; see the page on recipes of petstore-frame."]
    for name, comment in COMMENTS.items():
        if name in given and not isinstance(given[name], Mapping):
            lines.append(_line(name, given[name], notes.get((name,), comment)))
    for name in COMMENTS:
        if isinstance(given.get(name), Mapping):
            lines += _table((name,), given[name], notes)
    text = "\n".join(lines) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ArgumentError("a recipe holds half a character, which no file can hold") from None
    return text


def _table(
    path: tuple[str, ...], table: Mapping[Any, Any], notes: Mapping[tuple[str, ...], str]
) -> Iterator[str]:
    inner = {str(word): value for word, value in table.items() if isinstance(value, Mapping)}
    if len(inner) < len(table):
        yield f"\n[{'.'.join(map(_key, path))}]  # {notes.get(path, COMMENTS[path[0]])}"
    for word, value in table.items():
        if not isinstance(value, Mapping):
            yield _line(str(word), value, notes.get((*path, str(word)), ""))
    for word, value in inner.items():
        yield f"\n[{'.'.join(map(_key, (*path, word)))}]  # {COMMENTS[path[0]]}"
        for each, meant in value.items():
            yield _line(str(each), meant, notes.get((*path, word, str(each)), ""))


def _line(word: str, value: Any, comment: str) -> str:
    line = f"{_key(word)} = {_value(value)}"
    return f"{line}  # {comment}" if comment else line


def _key(word: str) -> str:
    return word if _BARE.fullmatch(word) else _value(word)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # JSON's texts, numbers and truth values are TOML's, but for this one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def plain(options: Options, folder: Path | None = None) -> dict[str, Any]:
    """Return what options say as values that JSON and TOML have, paths relative to a folder."""
    found = dict[str, Any]()
    for name, value in options.given().items():
        if name == "categories" and isinstance(value, str | PathLike):
            found[name] = fspath(value) if folder is None else _relative(Path(value), folder)
        elif name == "categories":
            found[name] = _by_label(value)
        elif isinstance(value, Mapping):
            found[name] = {str(word): _plain(each) for word, each in value.items()}
        else:
            found[name] = _plain(value)
        if name == "key" and len(found[name]) == 1:
            found[name] = found[name][0]
    return found


def plain_if_possible(options: Options) -> dict[str, Any] | None:
    """Return what options say as values that JSON has; None where categories need a table."""
    try:
        return plain(options)
    except ArgumentError:
        return None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(word): _plain(each) for word, each in value.items()}
    if isinstance(value, Collection) and not isinstance(value, str):
        return sorted(value) if isinstance(value, frozenset) else list(value)
    return "" if value is None else value


def _by_label(categories: Any) -> dict[str, Any]:
    """Return categories as ids by label, unless two have one, or a label looks like an id."""
    if not isinstance(categories, Mapping):
        what = "these categories have labels and ids that stand several times; write them as a CSV"
        raise ArgumentError(what)
    numbers = {str(label): number for number, label in categories.items()}
    is_by_id = all(isinstance(number, int) for number in categories)
    is_clear = not all(whole_from_text(label) is not None for label in numbers)
    if is_by_id and is_clear and len(numbers) == len(categories):
        return numbers
    return {str(word): value for word, value in categories.items()}


def _relative(path: Path, folder: Path) -> str:
    """Return a path as seen from a folder, or whole where it is on another drive."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # between drives
        return path.resolve().as_posix()


def parsed(text: str, path: Path) -> dict[str, Any]:
    """Return what a file of ours says.

    Raises:
        InputError: It is not TOML; with its line.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = _AT_LINE.search(str(problem))
        line = int(found[1]) if found else None
        what = f"this is not TOML: {_AT_LINE.sub('', str(problem))}"
        hint = "put texts into quotes, and words with spaces, too"
        raise InputError(what, path=str(path), line=line, hint=hint) from None


def from_text(text: str, path: Path) -> dict[str, Any]:
    """Return the words of a recipe file, its paths as they are.

    Raises:
        InputError: It is not TOML, or holds a word that no recipe has; with its line.
    """
    words = parsed(text, path)
    for word in words:
        if word not in _WORDS:
            raise unknown_word(word, COMMENTS, text, path)
    for place, value in _leaves(words, ()):
        if value == TO_FILL_IN and place[0] in _TABLES:
            what = f"{place[-1]!r} is still to be filled in"
            hint = "replace the question mark, or take the line out"
            raise InputError(what, path=str(path), line=line_of(place[-1], text), hint=hint)
    return words


def _leaves(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for word, each in value.items():
            yield from _leaves(each, (*place, word))
    else:
        yield place, value


def unknown_word(
    word: str, known: Collection[str], text: str, path: Path, *, owner: str = "a recipe"
) -> InputError:
    """Return the refusal of a word that a file of ours cannot say, with its line and the nearest.

    Args:
        word: What it says.
        known: What it could say.
        text: The file's text.
        path: The file.
        owner: Whose words they are.
    """
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
