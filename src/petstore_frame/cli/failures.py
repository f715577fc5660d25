"""How a command ends: one table of numbers, and one line on stderr where it could not do its work.

In: an error that a command let out. Out: its words without a trace, in the names of the command's
own options, and the exit code that a script reads. A number means the same whatever the command, so
that a script needs one table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from petstore_frame.errors import (
    APIConnectionError,
    APIStatusError,
    ContractError,
    CrossOriginError,
    HistoryLockedError,
    IncompleteInventoryError,
    InputError,
    JournalError,
    JournalLockedError,
    PetstoreError,
)
from petstore_frame.voice import SHELL

PARTLY, REFUSED, STORE, DISK, LOCKED, INTERRUPTED = 1, 2, 5, 6, 7, 130

EXIT_CODES = {
    0: "done",
    PARTLY: "done in part: records to mend, a listing not whole, a day left out",
    REFUSED: "refused: an option, a setting or a file; nothing was sent",
    3: "records in doubt",
    4: "too many errors",
    STORE: "the store refused, broke the interface or was not reached",
    DISK: "this machine's disk or journal",
    LOCKED: "another writer is at work",
    INTERRUPTED: "interrupted",
}

# The first line that fits an error decides; what fits none was refused before anything was sent.
_CODES: tuple[tuple[tuple[type[Exception], ...], int], ...] = (
    ((JournalLockedError, HistoryLockedError), LOCKED),
    ((JournalError,), DISK),
    ((APIStatusError, APIConnectionError, ContractError), STORE),
    ((CrossOriginError, IncompleteInventoryError), STORE),
    ((PetstoreError, ValueError), REFUSED),
    ((OSError,), DISK),
)


class PlainlyFailing(TyperGroup):
    """Commands none of which ends in a trace over a wrong name, key or disk."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # a reader such as head has enough; typer ends quietly
        except (PetstoreError, OSError) as problem:
            command = self.commands.get(ctx.invoked_subcommand)
            end(in_shell_words(in_words(problem), command), exit_code(problem))
        except KeyboardInterrupt:
            end("interrupted", INTERRUPTED)


def end(words: str, code: int) -> NoReturn:
    """Say in one line on stderr why a command goes no further, and end it."""
    typer.echo(f"error: {words}", err=True)
    raise typer.Exit(code)


def in_words(problem: Exception) -> str:
    """Return what went wrong, a file's name first and without the system's number."""
    if isinstance(problem, OSError) and problem.filename is not None and problem.strerror:
        return f"{problem.filename}: {problem.strerror}"
    return problem.told(SHELL) if isinstance(problem, InputError) else str(problem)


def in_shell_words(text: str, command: Any) -> str:
    """Name arguments as the options of a command: ``base_url=`` is ``--base-url`` there.

    An argument that is no option of the command keeps its name: it can be had in Python alone.
    """
    flags = {flag for option in getattr(command, "params", ()) for flag in option.opts}

    def named(found: re.Match[str]) -> str:
        flag = SHELL.option(found["name"])
        return flag if flag in flags else found[0]

    return re.sub(r"\b(?P<name>[a-z_]+)=(?:True\b)?(?![\w'\"{(])", named, text)


def exit_code(problem: Exception) -> int:
    """Return the number that tells a script why a command ended."""
    return next(code for kinds, code in _CODES if isinstance(problem, kinds))


def exit_codes_in_words(codes: Iterable[int]) -> str:
    """Return the lines of the table that a command may end with, for its ``--help``."""
    return "Exit codes: " + "; ".join(f"{code} {EXIT_CODES[code]}" for code in codes)
