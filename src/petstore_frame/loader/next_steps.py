"""Phrases a next step as the one who types it does: what to add, or another call."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from petstore_frame.loader.source import RecipeOptions
from petstore_frame.storage import toml_files as toml

# Words of a recipe go by --set in a shell, but for these two.
_SET = RecipeOptions.__annotations__.keys() - {"key", "categories"}
# Who reads a next step, and so how it is typed.
Reader = Literal["python", "shell", "recipe"]


class Call(NamedTuple):
    """What to type where adding a word to the same call is not enough."""

    python: str
    shell: str


class Step(NamedTuple):
    """Something to do next, or a possible answer: words to add to the same call, or other calls."""

    text: str
    add: Mapping[str, Any] = MappingProxyType({})
    calls: tuple[Call, ...] = ()

    def typed(self, reader: Reader = "python") -> list[str]:
        """Return what to type for it, line by line."""
        is_shell = reader == "shell"
        options = [to_add(option, value, reader) for option, value in self.add.items()]
        separator = " " if is_shell else ", "
        lines = [f"add {separator.join(options)}"] if options else []
        return [*lines, *(call.shell if is_shell else call.python for call in self.calls)]


def to_add(word: str, value: Any, reader: Reader = "python") -> str:
    """Return what to add to a call, a command or a recipe, so that a word has a value.

    Example:
        >>> for reader in ("python", "shell", "recipe"):
        ...     print(to_add("order_by", "Last seen", reader))
        order_by='Last seen'
        --set 'order_by=Last seen'
        order_by = "Last seen"
    """
    if reader == "python":
        return f"{word}={value!r}"
    if reader == "recipe":
        _, _, lines = toml.toml_of({word: value}, {}).partition("\n")
        return lines.strip()
    flag = f"--{word.replace('_', '-')}"
    if word in ("as_new", "exclude_lines") and not isinstance(value, bool):
        return _in_shell([flag, ",".join(map(str, value))])
    is_set = word in _SET or (isinstance(value, Mapping) and word == "categories")
    words = list[str]()
    for path, each in _leaves(value):
        if is_set:
            words += ["--set", f"{'.'.join((word, *path))}={each}"]
        elif isinstance(each, bool):
            words += [flag if each else flag.replace("--", "--no-")]
        else:
            words += [flag, "=".join((*path, str(each)))]
    return _in_shell(words)


def _leaves(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value of a table or a list, with the words of the tables that lead to it."""
    if isinstance(value, Mapping):
        for word, inner in value.items():
            yield from (((str(word), *path), each) for path, each in _leaves(inner))
    elif isinstance(value, Collection) and not isinstance(value, str):
        yield from (((), each) for each in value)
    else:
        yield (), value


def load_call(file: str | None, folder: str | None, base_url: str) -> Call:
    """Return the call that loads a fix file, or finishes all that is unfinished in a journal.

    ``folder`` is the folder of the journal; None for the usual one.
    """
    journal = "" if folder is None else f", journal={folder!r}"
    python = f"pf.resume_loads(client{journal})"
    if file is not None:
        python = f"pf.load({file!r}, client{journal})"
    flags = [] if folder is None else ["--journal", folder]
    return Call(python, _command("load", file or "--resume", base_url, *flags))


def compare_call(path: str | None, base_url: str, options: Mapping[str, Any]) -> Call:
    """Return the call that compares a list with the store by name and category.

    Args:
        path: The file as the user named it; None for a frame.
        base_url: The address of the store.
        options: The recipe options that the load read the file with.
    """
    source = "frame" if path is None else repr(path)
    arguments = [source, "pf.fetch_inventory(client)", "on=['name', 'category_id']"]
    arguments += [to_add(option, value) for option, value in options.items()]
    flags = ["--on", "name", "--on", "category_id"]
    for option, value in options.items():
        flags += shlex.split(to_add(option, value, "shell"))
    return Call(
        f"pf.compare({', '.join(arguments)})", _command("compare", path or "FILE", base_url, *flags)
    )


def resolve_call(lines: Sequence[int]) -> Call:
    """Return how to say which pets some lines are; the user has to replace each ``?``."""
    answers = ", ".join(f'{line}: "?"' for line in lines)
    shell = _in_shell(word for line in lines for word in ("--resolve", f"{line}=?"))
    return Call(f"result.resolve({{{answers}}})", f"add {shell}")


def _command(name: str, what: str, base_url: str, *options: str) -> str:
    """Return a command, with the store where that is not the usual one."""
    words = ["petstore-frame", name, what, *options]
    if os.environ.get("PETSTORE_BASE_URL", "").rstrip("/") != base_url:
        words += ["--base-url", base_url]
    return _in_shell(words)


def _in_shell(words: Iterable[str]) -> str:
    """Return words as the command line of this machine takes them."""
    listed = list(words)
    return subprocess.list2cmdline(listed) if os.name == "nt" else shlex.join(listed)
