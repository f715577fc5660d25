"""Writes what to type next, in Python, in a shell or in a recipe."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from petstore_frame.loader.source import RecipeOptions
from petstore_frame.storage import toml_files as toml

# Recipe options that a shell passes with --set: all except these two.
_SET = RecipeOptions.__annotations__.keys() - {"key", "categories"}
# Where the user types the next step.
Reader = Literal["python", "shell", "recipe"]


class Call(NamedTuple):
    """Another call to type, if adding an option to the same call is not enough."""

    python: str
    shell: str


class Step(NamedTuple):
    """A next step or a possible answer: options to add to the same call, or other calls."""

    text: str
    add: Mapping[str, Any] = MappingProxyType({})
    calls: tuple[Call, ...] = ()
    shell_text: str = ""  # the text for a shell, if it differs

    def sentence(self, reader: Reader = "python") -> str:
        """Return the text for the place where the user types the next step."""
        return self.shell_text if self.shell_text and reader == "shell" else self.text

    def typed(self, reader: Reader = "python") -> list[str]:
        """Return what to type, line by line."""
        is_shell = reader == "shell"
        options = [to_add(option, value, reader) for option, value in self.add.items()]
        separator = " " if is_shell else ", "
        lines = [f"add {separator.join(options)}"] if options else []
        return [*lines, *(call.shell if is_shell else call.python for call in self.calls)]


def to_add(option: str, value: Any, reader: Reader = "python") -> str:
    """Return an option with its value, in the syntax of a call, command or recipe.

    Example:
        >>> for reader in ("python", "shell", "recipe"):
        ...     print(to_add("order_by", "Last seen", reader))
        order_by='Last seen'
        --set 'order_by=Last seen'
        order_by = "Last seen"
    """
    if reader == "python":
        return f"{option}={value!r}"
    if reader == "recipe":
        _, _, lines = toml.toml_of({option: value}, {}).partition("\n")
        return lines.strip()
    flag = f"--{option.replace('_', '-')}"
    if option in ("as_new", "exclude_lines") and not isinstance(value, bool):
        return command_line([flag, ",".join(map(str, value))])
    is_set = option in _SET or (isinstance(value, Mapping) and option == "categories")
    arguments = list[str]()
    for path, leaf in _leaves(value):
        if is_set:
            arguments += ["--set", f"{'.'.join((option, *path))}={leaf}"]
        elif isinstance(leaf, bool):
            arguments += [flag if leaf else flag.replace("--", "--no-")]
        else:
            arguments += [flag, "=".join((*path, str(leaf)))]
    return command_line(arguments)


def _leaves(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value of nested tables or of a list, with the keys that lead to it."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (((str(key), *path), leaf) for path, leaf in _leaves(inner))
    elif isinstance(value, Collection) and not isinstance(value, str):
        yield from (((), item) for item in value)
    else:
        yield (), value


def load_call(file: str | None, folder: str | None, base_url: str) -> Call:
    """Return the call that loads a fix file; with None, the call that finishes all loads.

    ``folder`` is the folder of the journal; None is the user's state folder.
    """
    journal = "" if folder is None else f", journal={folder!r}"
    python = f"pf.resume_loads(client{journal})"
    if file is not None:
        python = f"pf.load({file!r}, client{journal})"
    flags = [] if folder is None else ["--journal", folder]
    return Call(python, _command("load", file or "--resume", base_url, *flags))


def file_call(path: str, folder: str | None, base_url: str, options: Mapping[str, Any]) -> Call:
    """Return the call that loads a file.

    Args:
        path: The path of the file.
        folder: The folder of the journal; None is the user's state folder.
        base_url: The address of the store.
        options: The options to add.
    """
    arguments = [repr(path), "client"]
    flags = [] if folder is None else ["--journal", folder]
    if folder is not None:
        arguments.append(f"journal={folder!r}")
    for option, value in options.items():
        arguments.append(to_add(option, value))
        flags += shlex.split(to_add(option, value, "shell"))
    return Call(f"pf.load({', '.join(arguments)})", _command("load", path, base_url, *flags))


def compare_call(path: str | None, base_url: str, options: Mapping[str, Any]) -> Call:
    """Return the call that compares a list with the store by name and category.

    Args:
        path: The path that the user passed; None for a frame.
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
    """Return the call that states the pet of each line; the user replaces each ``?``."""
    answers = ", ".join(f'{line}: "?"' for line in lines)
    shell = command_line(text for line in lines for text in ("--resolve", f"{line}=?"))
    return Call(f"result.resolve({{{answers}}})", f"add {shell}")


def _command(name: str, argument: str, base_url: str, *options: str) -> str:
    """Return a command, with the address of the store unless the environment has it."""
    arguments = ["petstore-frame", name, argument, *options]
    if os.environ.get("PETSTORE_BASE_URL", "").rstrip("/") != base_url:
        arguments += ["--base-url", base_url]
    return command_line(arguments)


def command_line(arguments: Iterable[str]) -> str:
    """Return a command line, quoted for the shell of this operating system."""
    parts = list(arguments)
    return subprocess.list2cmdline(parts) if os.name == "nt" else shlex.join(parts)
