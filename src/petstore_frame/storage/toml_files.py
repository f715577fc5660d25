"""Reads and writes the TOML files of this package, and finds the line of what is wrong in one."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.storage.atomic_write import replacing
from petstore_frame.validation import suggest

_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)")
_HEAD = "How to read this kind of file (see the page on recipes of petstore-frame)."
# What no comment of a TOML file may hold.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]+")
Comments = Mapping[tuple[str, ...], str]


def read_toml(path: Path, what: str, hint: str = "") -> tuple[str, dict[str, Any]]:
    """Return the text of a TOML file and its values; an InputError has the line of a mistake.

    ``what`` names the file in an error, such as ``the recipe``.
    """
    line = None
    try:
        data = path.read_bytes()
        text = _decoded(data)
        values = tomllib.loads(text)
        json.dumps(values, default=str)  # which cannot write what nobody can read
    except OSError as problem:
        message = f"cannot open {what}: {problem.strerror}"
        raise InputError(message, path=str(path), hint=hint) from None
    except UnicodeError:
        message = f"{what} is not UTF-8 text"
        raise InputError(message, path=str(path), hint="save it with the encoding UTF-8") from None
    except RecursionError:
        signs = [sum(map(text.count, "[{.")) for text in text.splitlines()]
        line, wrong = signs.index(max(signs)) + 1, "this is nested too deeply"
    except ValueError as problem:
        match = _AT_LINE.search(str(problem))
        line = int(match[1]) if match else None
        wrong = f"this is not TOML: {_AT_LINE.sub('', str(problem))}"
    else:
        return text, values
    hint = "write plain tables, and put texts into quotes, words with spaces, too"
    raise InputError(wrong, path=str(path), line=line, hint=hint)


def _decoded(data: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with a mark, as some editors save it."""
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if is_utf16 else "utf-8-sig").replace("\r\n", "\n")


def unknown_option(
    name: str, options: Collection[str], text: str, path: Path, *, owner: str
) -> InputError:
    """Return the error for an unknown option, with its line and the nearest option."""
    message = f"{owner} has no option {name!r}{suggest(name, options)}"
    hint = "the API key comes from PETSTORE_API_KEY only" if name == "api_key" else ""
    return InputError(message, path=str(path), line=line_of(name, text), hint=hint)


def line_of(option: str, text: str) -> int | None:
    """Return the line of a file on which an option gets its value, or starts a table."""
    for number, line in enumerate(text.splitlines(), 1):
        start = line.strip().lstrip("[").split("=")[0].split("]")[0]
        if option in re.split(r"[\s.\"']+", start) or start.strip().strip("\"'") == option:
            return number
    return None


def clean_comment(text: str) -> str:
    """Return a text as a comment may hold it: on one line, without control characters."""
    return " ".join(_CONTROL.sub(" ", text).split())


def toml_of(values: Mapping[str, Any], comments: Comments) -> str:
    """Return values as TOML, tables last, each line with its comment."""
    import tomlkit  # takes a while to load, and only writing needs it

    document = tomlkit.document()
    document.add(tomlkit.comment(_HEAD))
    _fill(document, values, comments, ())
    return tomlkit.dumps(document)


def _fill(table: Any, values: Mapping[str, Any], comments: Comments, path: tuple[str, ...]) -> None:
    """Add values to a table, plain ones before tables."""
    import tomlkit

    tables = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    for name, value in values.items():
        if name not in tables:
            table.add(name, _commented(tomlkit.item(value), comments.get((*path, name))))
    for name, inner in tables.items():
        has_plain_values = not inner or any(
            not isinstance(inner_value, Mapping) for inner_value in inner.values()
        )
        child = tomlkit.table(is_super_table=not has_plain_values)
        _fill(child, inner, comments, (*path, name))
        table.add(name, _commented(child, comments.get((*path, name))))


def _commented(item: Any, comment: str | None) -> Any:
    from tomlkit.items import Table

    is_super_table = isinstance(item, Table) and item.is_super_table()
    if comment and not is_super_table:
        item.comment(clean_comment(comment))
    return item


def write_toml(path: str | PathLike[str], text: str) -> Path:
    """Write TOML into a file, whole or not at all, and return its path."""
    target = Path(fspath(path))
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise ArgumentError("the text holds half a character, which no file can hold") from None
    with replacing(target) as temporary:
        temporary.write_bytes(content)
    return target
