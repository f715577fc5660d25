"""Reads and writes the TOML files of this package, and names the line of what is wrong in one."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.storage.atomic_write import replacing
from petstore_frame.validation import nearest

_BARE = re.compile("[A-Za-z0-9_-]+")
_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)")
_HEAD = "# How this kind of file is read; see the page on recipes of petstore-frame."
Comments = Mapping[tuple[str, ...], str]


def read_toml(path: Path, what: str, hint: str = "") -> tuple[str, dict[str, Any]]:
    """Return the text of a TOML file, and what it says; what is wrong is named with its line."""
    line = None
    try:
        text = path.read_text(encoding="utf-8-sig")
        words = tomllib.loads(text)
        json.dumps(words, default=str)  # which cannot write what nobody can read
    except OSError as problem:
        what = f"cannot open {what}: {problem.strerror}"
        raise InputError(what, path=str(path), hint=hint) from None
    except RecursionError:
        signs = [sum(map(text.count, "[{.")) for text in text.splitlines()]
        line, wrong = signs.index(max(signs)) + 1, "this is nested too deeply"
    except ValueError as problem:  # also of a text that is not UTF-8
        found = _AT_LINE.search(str(problem))
        line = int(found[1]) if found else None
        wrong = f"this is not TOML: {_AT_LINE.sub('', str(problem))}"
    else:
        return text, words
    hint = "write plain tables, and put texts into quotes, words with spaces, too"
    raise InputError(wrong, path=str(path), line=line, hint=hint)


def unknown_word(
    word: str, words: Collection[str], text: str, path: Path, *, owner: str
) -> InputError:
    """Return the refusal of a word of a file of ours, with its line and the nearest right one."""
    what = f"{owner} has no word {word!r}{nearest(word, words)}"
    hint = "the API key comes from PETSTORE_API_KEY only" if word == "api_key" else ""
    return InputError(what, path=str(path), line=line_of(word, text), hint=hint)


def line_of(word: str, text: str) -> int | None:
    """Return the line of a file on which a word is given its value, or stands as a table."""
    for number, line in enumerate(text.splitlines(), 1):
        start = line.strip().lstrip("[").split("=")[0].split("]")[0]
        if word in re.split(r"[\s.\"']+", start) or start.strip().strip("\"'") == word:
            return number
    return None


def toml_of(words: Mapping[str, Any], comments: Comments) -> str:
    """Return words as TOML, tables last, each line with its comment."""
    return "\n".join([_HEAD, *_table((), words, comments), ""])


def write_toml(path: str | PathLike[str], text: str) -> Path:
    """Write TOML into a file, whole or not at all, and return its path."""
    place = Path(fspath(path))
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise ArgumentError("the text holds half a character, which no file can hold") from None
    with replacing(place) as temporary:
        temporary.write_bytes(content)
    return place


def _table(path: tuple[str, ...], table: Mapping[str, Any], comments: Comments) -> Iterator[str]:
    inner = {word: value for word, value in table.items() if isinstance(value, Mapping)}
    if path and (len(inner) < len(table) or not table):
        yield _with_comment(f"\n[{'.'.join(map(_key, path))}]", comments.get(path))
    for word, value in table.items():
        if word not in inner:
            yield _with_comment(f"{_key(word)} = {_value(value)}", comments.get((*path, word)))
    for word, value in inner.items():
        yield from _table((*path, word), value, comments)


def _with_comment(line: str, comment: str | None) -> str:
    return line if not comment else f"{line}  # {' '.join(comment.split())}"


def _key(word: str) -> str:
    return word if _BARE.fullmatch(word) else _value(word)


def _value(value: Any) -> str:
    # JSON's texts, lists, numbers and truth values are TOML's, but for this one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
