"""Writes the calls that load a file, compare a list or settle rows."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from petstore_frame.loader.source import LikelyKey
from petstore_frame.questions import PLACEHOLDER, Call, Step, command_line, to_add


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
    path = _path_from_here(path)
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
        path: The path of the file; None for a frame.
        base_url: The address of the store.
        options: The recipe options that the load read the file with.
    """
    path = None if path is None else _path_from_here(path)
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


def _path_from_here(path: str) -> str:
    """Return the path of a file in the working folder without that folder."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def _command(name: str, argument: str, base_url: str, *options: str) -> str:
    """Return a command, with the address of the store unless the environment has it."""
    arguments = ["petstore-frame", name, argument, *options]
    if os.environ.get("PETSTORE_BASE_URL", "").rstrip("/") != base_url:
        arguments += ["--base-url", base_url]
    return command_line(arguments)


def likely_key_step(likely: Sequence[LikelyKey]) -> Step:
    """Return the step that names the key; a placeholder, unless the only column is proven."""
    first, *others = likely
    text = "One column may identify the animals: {}"
    if first.is_proven and not others:
        return Step(text.format(first), {"key": first.column})
    facts = "; ".join(map(str, likely))
    text = f"{text.format(facts)}; replace ? with its name, or with nothing if there is none"
    return Step(text, {"key": PLACEHOLDER})
