"""How a command ends that cannot do what it was asked: one line on stderr, and a number.

In: an error that a command let out. Out: its words without a trace, and the exit code that a
script reads: 2 refused, 5 the store refused or was not reached, 7 another writer is at work.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from petstore_frame.errors import (
    APIConnectionError,
    APIStatusError,
    HistoryLockedError,
    PetstoreError,
)


class PlainlyFailing(TyperGroup):
    """Commands none of which ends in a trace over a wrong name, key or disk."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # a reader such as head has enough; typer ends quietly
        except (PetstoreError, OSError) as problem:
            typer.echo(f"error: {in_words(problem)}", err=True)
            raise typer.Exit(exit_code(problem)) from None


def in_words(problem: Exception) -> str:
    """Return what went wrong, a file's name first and without the system's number."""
    if isinstance(problem, OSError) and problem.filename is not None and problem.strerror:
        return f"{problem.filename}: {problem.strerror}"
    return str(problem)


def exit_code(problem: Exception) -> int:
    """Return the number that tells a script why a command ended."""
    if isinstance(problem, HistoryLockedError):
        return 7
    return 5 if isinstance(problem, (APIStatusError, APIConnectionError)) else 2
