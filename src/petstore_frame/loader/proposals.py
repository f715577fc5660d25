"""Phrases a next step as the one who types it does: what to add, or another call."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from json import dumps
from os import fspath
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.database import place_of

# Words that a shell has as flags of their own; all others that a recipe has go by --set.
_FLAGS = (
    "key", "categories", "recipe", "journal", "duplicates", "send_lines", "leave_lines", "again",
    "dry_run", "check_store", "max_errors", "workers", "base_url", "allow_insecure", "output",
    "reconcile", "resolve", "replace",
)  # fmt: skip
_LISTS = ("key", "columns", "accept", "leave_out", "only")
_PLAIN = re.compile(r"[^\s.=\"']+(?: [^\s.=\"']+)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|([^.="]+)')


class Reader(StrEnum):
    """Who reads a next step, and so how it is typed."""

    PYTHON = "python"
    SHELL = "shell"
    RECIPE = "recipe"


class Call(NamedTuple):
    """What to type where adding a word to the same call does not do."""

    python: str
    shell: str


class Step(NamedTuple):
    """Something to do next, or a possible answer to a question.

    Attributes:
        text: What, or when it is right, in words that do without any call.
        add: Words to add to the same call, with their values.
        calls: The other calls that do it.
    """

    text: str
    add: Mapping[str, Any] = MappingProxyType({})
    calls: tuple[Call, ...] = ()

    def typed(self, reader: Reader = Reader.PYTHON) -> list[str]:
        """Return what to type for it, line by line."""
        is_shell = reader is Reader.SHELL
        words = (to_add(word, value, reader) for word, value in self.add.items())
        lines = [f"add {(' ' if is_shell else ', ').join(words)}"] if self.add else []
        return [*lines, *(call.shell if is_shell else call.python for call in self.calls)]


def to_add(word: str, value: Any, reader: Reader = Reader.PYTHON) -> str:
    """Return what to add to a call, a command or a recipe, so that a word has a value.

    Example:
        >>> for reader in Reader:
        ...     print(to_add("keep", "newest: Seen", reader))
        keep='newest: Seen'
        --set 'keep=newest: Seen'
        keep = "newest: Seen"
        >>> print(to_add("value_map", {"status": {"in care": "?"}}, Reader.SHELL))
        --set 'value_map.status.in care=?'
    """
    if reader is Reader.PYTHON:
        return f"{word}={value!r}"
    if reader is Reader.RECIPE:
        lines = (
            f"{'.'.join(map(_toml_key, path))} = {_toml(each)}"
            for path, each in _leaves((word,), value, lists_too=False)
        )
        return "\n".join(lines)
    return _in_shell(_flags(word, value))


def read_set(texts: Iterable[str]) -> dict[str, Any]:
    """Return the words of ``--set WORD=VALUE``; of a word that takes several, all of them.

    Raises:
        ArgumentError: One has no ``=``, or gives a value to a table.

    Example:
        >>> read_set(["keep=first", "mapping.name=Pet name", 'value_map.status."a.b"=sold'])
        {'keep': 'first', 'mapping': {'name': 'Pet name'}, 'value_map': {'status': {'a.b': 'sold'}}}
    """
    found: dict[str, Any] = {}
    for text in texts:
        path, value = _split(text)
        table = found
        for part in path[:-1]:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise ArgumentError(f"--set {text}: {part} has a value already")
        before = table.get(path[-1])
        if isinstance(before, dict):
            raise ArgumentError(f"--set {text}: {path[-1]} has words already")
        if path[0] in _LISTS and before is not None:
            table[path[-1]] = [*([before] if isinstance(before, str) else before), value]
        else:  # the last one wins
            table[path[-1]] = value
    return found


def _split(text: str) -> tuple[list[str], str]:
    """Return the parts of the word before the first ``=``, and what is behind it."""
    path, at = list[str](), 0
    while found := _PART.match(text, at):
        path.append(re.sub(r"\\(.)", r"\1", found[1]) if found[2] is None else found[2])
        at = found.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    if not path or text[at : at + 1] != "=":
        raise ArgumentError(f"--set is WORD=VALUE, such as encoding=cp1252, got {text!r}")
    return path, text[at + 1 :]


def load_call(file: str | None, journal: Path | None, base_url: str) -> Call:
    """Return the call that loads a fix file, which knows its import and so needs no option.

    Without a file it finishes what is unfinished in a journal.
    """
    folder = _unusual(journal)
    where = "" if folder is None else f", journal={folder!r}"
    python = f"pf.resume_loads(client{where})"
    if file is not None:
        python = f"pf.load({file!r}, client{where})"
    return Call(python, _command("load", file or "--resume", journal, base_url))


def compare_call(source: str | None, base_url: str) -> Call:
    """Return the call that compares a source with the store by name and category."""
    what = "frame" if source is None else repr(source)
    on = "--on name --on category_id"
    return Call(
        f"pf.compare({what}, pf.fetch_inventory(client), on=['name', 'category_id'])",
        _command("compare", source or "FILE", None, base_url, on),
    )


def resolve_call(found: Mapping[int, int | None]) -> Call:
    """Return how to say which pets records are; None is a record that has none."""
    pairs = (f"{record}={'none' if pet is None else pet}" for record, pet in found.items())
    shell = " ".join(f"--resolve {pair}" for pair in pairs)
    return Call(f"result.resolve({dict(found)!r})", f"add {shell}")


def _command(name: str, what: str, journal: Path | None, base_url: str, options: str = "") -> str:
    """Return a command, with the store and the journal where those are not the usual ones."""
    is_like_a_flag = what.startswith("-") and what != "--resume"
    words = ["petstore-frame", name, f".{os.sep}{what}" if is_like_a_flag else what]
    words += options.split()
    if os.environ.get("PETSTORE_BASE_URL", "").rstrip("/") != base_url:
        words += ["--base-url", base_url]
    if (folder := _unusual(journal)) is not None:
        words += ["--journal", folder]
    return _in_shell(words)


def _unusual(journal: Path | None) -> str | None:
    """Return the folder of a journal, where it is not the one that is used without a word."""
    if journal is None or journal.parent == place_of(None, "").parent:
        return None
    with_here = os.path.relpath(journal.parent)
    return fspath(journal.parent) if with_here.startswith("..") else with_here


def _flags(word: str, value: Any) -> Iterator[str]:
    """Yield the words of a command line that give a word its value."""
    flag = f"--{word.replace('_', '-')}"
    if isinstance(value, bool) and word in _FLAGS:
        yield flag if value else f"--no-{flag.removeprefix('--')}"
        return
    for path, each in _leaves((word,), value, lists_too=True):
        shown = str(each).lower() if isinstance(each, bool) else "" if each is None else str(each)
        if word in _FLAGS and len(path) == 1:
            yield from (flag, shown)
        elif word == "duplicates":
            yield from (flag, f"{path[1]}={shown}")
        else:
            yield from ("--set", f"{'.'.join(map(_shell_key, path))}={shown}")


def _leaves(
    path: tuple[str, ...], value: Any, *, lists_too: bool
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value of a table with the words that lead to it, and perhaps those of lists."""
    if isinstance(value, Mapping):
        for word, inner in value.items():
            yield from _leaves((*path, str(word)), inner, lists_too=lists_too)
    elif lists_too and isinstance(value, Collection) and not isinstance(value, str):
        yield from ((path, each) for each in value)
    else:
        is_list = isinstance(value, Collection) and not isinstance(value, str)
        yield path, list(value) if is_list else "" if value is None else value


def _toml_key(word: str) -> str:
    return word if _BARE.fullmatch(word) else _toml(word)


def _toml(value: Any) -> str:
    # JSON's texts, lists and numbers are TOML's, but for this one character.
    return dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _shell_key(word: str) -> str:
    quoted = word.replace("\\", "\\\\").replace('"', '\\"')
    return word if _PLAIN.fullmatch(word) else f'"{quoted}"'


def _in_shell(words: Iterable[str]) -> str:
    """Return words as the command line of this machine takes them."""
    listed = list(words)
    return subprocess.list2cmdline(listed) if os.name == "nt" else shlex.join(listed)
