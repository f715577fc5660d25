"""Asks on a terminal what a file's repeated records are."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import typer

from petstore_frame.cli.failures import REFUSED, end

if TYPE_CHECKING:
    from petstore_frame.loader.results.question import Question


def is_attended() -> bool:
    """Tell whether a person can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


_LETTERS = {"skip": "s", "send": "a"}


def ask(question: Question) -> dict[str, Any]:
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
    answer = typer.prompt("Which is it", default="", show_default=False, err=True).strip().lower()
    if answer not in ways:
        end("stopped; nothing was sent", REFUSED)
    _, option, value = ways[answer]
    return {option: value}


def command_with(option: str, value: Any) -> str:
    """Return the command that was typed, with one more option."""
    typed = shlex.join(["petstore-frame", *sys.argv[1:]])
    return f"{typed} --{option} {shlex.quote(str(value))}"
