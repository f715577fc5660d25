"""Reads and writes the TOML files of this package, and finds the line of a mistake in one."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import Any

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.limits import TOML_DEPTH
from petstore_frame.storage.atomic_write import write_atomically
from petstore_frame.storage.own_files import refuse_overwriting
from petstore_frame.validation import checked_path, suggest

_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)")
_HEAD = "How to read this kind of file (see the page on recipes of petstore-frame)."
# Width from which a comment is written above its line.
_MAX_WIDTH = 100
# Characters that a comment of a TOML file cannot contain.
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
        _check_depth(text)
        values = tomllib.loads(text)
        json.dumps(values, default=str)  # raises RecursionError for deep nesting
    except InputError as problem:
        problem.path = str(path)
        raise
    except OSError as problem:
        message = f"cannot open {what}: {problem.strerror}"
        hint = hint or "name the file that has it"
        raise InputError(message, path=str(path), hint=hint) from None
    except UnicodeError:
        message, hint = "this is not UTF-8 text", "save it with the encoding UTF-8"
        raise InputError(message, path=str(path), hint=hint) from None
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


def _check_depth(text: str) -> None:
    """Refuse a key of very many parts, for which the time of the parser grows with the square."""
    for line, content in enumerate(text.splitlines(), 1):
        key = content.partition("=")[0]
        if not key.lstrip().startswith("#"):
            TOML_DEPTH.check(key.count("."), line=line, hint="write plain tables")


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
        if line.lstrip().startswith("#"):
            continue
        start = line.strip().lstrip("[").split("=")[0].split("]")[0]
        if option in re.split(r"[\s.\"']+", start) or start.strip().strip("\"'") == option:
            return number
    return None


def clean_comment(text: str) -> str:
    """Return a text for a comment: on one line, without control characters."""
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
            _add_value(table, name, value, comments.get((*path, name)))
    for name, inner in tables.items():
        has_plain_values = not inner or any(
            not isinstance(inner_value, Mapping) for inner_value in inner.values()
        )
        child = tomlkit.table(is_super_table=not has_plain_values)
        _add_heading(child, name, comments.get((*path, name)))
        _fill(child, inner, comments, (*path, name))
        table.add(name, child)


def _add_value(table: Any, name: str, value: Any, comment: str | None) -> None:
    """Add a value with its comment; a comment that makes the line too long goes above it."""
    import tomlkit

    item = tomlkit.item(value)
    text = clean_comment(comment or "")
    if len(f"{name} = {item.as_string()} # {text}") > _MAX_WIDTH:
        _add_comment_lines(table, text)
    elif text:
        item.comment(text)
    table.add(name, item)


def _add_heading(table: Any, name: str, comment: str | None) -> None:
    """Add a comment to the heading of a table, or below it if the line would be too long."""
    text = clean_comment(comment or "")
    if not text or table.is_super_table():
        return
    if len(f"[{name}] # {text}") > _MAX_WIDTH:
        _add_comment_lines(table, text)
    else:
        table.comment(text)


def _add_comment_lines(table: Any, text: str) -> None:
    import tomlkit

    for line in wrap(text, _MAX_WIDTH - len("# "), break_long_words=False, break_on_hyphens=False):
        table.add(tomlkit.comment(line))


def write_toml(
    path: str | PathLike[str],
    text: str,
    *,
    overwrite: bool = False,
    inputs: Iterable[object] = (),
) -> Path:
    """Write TOML to a file atomically, and return its path.

    Raises:
        ArgumentError: The text cannot be encoded.
        ReportError: The file exists with another content, and ``overwrite`` is False; or it is
            one of ``inputs``.
    """
    target = checked_path("path", path)
    try:
        content = text.encode()
    except UnicodeEncodeError:
        message = "the text contains half a character, which no file can store"
        raise ArgumentError(message) from None
    try:
        refuse_overwriting(target, overwrite=overwrite, inputs=inputs, content=content)
        with write_atomically(target) as draft:
            draft.write_bytes(content)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as problem:
        raise ArgumentError(f"cannot write {target}: {problem.strerror}") from None
    return target
