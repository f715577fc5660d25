"""What ``petstore-frame load`` prints, writes, and asks on a terminal."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import typer

from petstore_frame.cli.commands import REFUSED, end
from petstore_frame.cli.options import print_json
from petstore_frame.errors.advice import ShellAudience

if TYPE_CHECKING:
    from petstore_frame.loader.results.question import Question
    from petstore_frame.loader.results.results import LoadResult


def wait_announced(seconds: float, *, grace_s: float) -> None:
    """Say until when nothing happens, and why."""
    from petstore_frame.loader.sending.pool import announcement

    if words := announcement(seconds):
        typer.echo(f"{words} (--grace {grace_s:.0f})", err=True)
    sleep(seconds)


def write_files(result: LoadResult, folder: Path) -> list[Path]:
    """Write the files of a result, and say so where they cannot go to the folder asked for."""
    from petstore_frame.loader.results.folders import find_place

    place = find_place(folder, result.run)
    if place.note:
        typer.echo(f"note: {place.note}", err=True)
    return result.write(place.folder)


def tell(result: LoadResult, output: Path | None, *, as_json: bool) -> None:
    """Write the files, then print what became of the records, also where no file could be written.

    Raises:
        OSError: The files could not be written.
    """
    files, problem = list[Path](), None
    try:
        files = [] if output is None else write_files(result, output)
    except OSError as unwritten:
        problem = unwritten
    folder = str(files[0].parent) if files else None
    result.voice = ShellAudience(folder)
    if as_json:
        print_json(result.summary | {"output": folder, "files": [str(file) for file in files]})
    else:
        typer.echo(str(result))
        for file in files:
            typer.echo(f"wrote {file}")
    if problem is not None:
        raise problem


def is_attended() -> bool:
    """Tell whether a person can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


_LETTERS = {"skip": "s", "send": "a"}


def ask(question: Question) -> tuple[str, Any]:
    """Ask which of the ways on is right; Enter stops, and nothing was sent."""
    ways = {
        "k" if option == "key" else _LETTERS[value]: (reason, option, value)
        for reason, option, value in question.ways()
        if value != "COLUMN"
    }
    typer.echo("\n".join(question.facts()), err=True)
    for letter, (reason, option, value) in ways.items():
        typer.echo(f"  {letter}      {reason.rstrip(':')}  (--{option} {value})", err=True)
    typer.echo("  Enter  stop; nothing was sent", err=True)
    typer.echo("Which is it: ", err=True, nl=False)
    answer = sys.stdin.readline().strip().lower()
    if answer not in ways:
        end("stopped; nothing was sent", REFUSED)
    _, option, value = ways[answer]
    return option, value


def command_with(option: str, value: Any) -> str:
    """Return the command that was typed, with one more option."""
    typed = shlex.join(["petstore-frame", *sys.argv[1:]])
    return f"{typed} --{option} {shlex.quote(str(value))}"
