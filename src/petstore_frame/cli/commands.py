"""How a command ends: one table of exit codes, one line for what went wrong, one for a script."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import typer

import petstore_frame as pf

PARTLY, REFUSED, TOO_MANY, STORE, DISK, LOCKED, FAULT, INTERRUPTED = 1, 2, 4, 5, 6, 7, 11, 130
EXIT_CODES = {
    0: "done",
    PARTLY: "done, and something is left: rows to fix, differences, a listing not whole",
    REFUSED: "refused: a word, a setting or a file; nothing was sent",
    3: "rows in doubt",
    TOO_MANY: "too many errors",
    STORE: "the store refused, broke the interface or was not reached",
    DISK: "this machine's disk, or the journal on it",
    LOCKED: "another writer is at work",
    8: "the listing is not known to be complete",
    9: "a file may hold animals that are loaded already; none of it was sent",
    10: "more pets are gone than max_drop allows",
    FAULT: "a fault of petstore-frame itself",
    INTERRUPTED: "interrupted",
}
_ALWAYS = (0, REFUSED, DISK, FAULT, INTERRUPTED)
_READING = (*_ALWAYS, PARTLY, STORE)
_OF_MONDAY = {8, 9, 10}
# What each may end with, in the order of a first day: look, get a store, fill it, read it, keep it.
COMMANDS: dict[str, tuple[int, ...]] = {
    "demo": _ALWAYS,
    "serve": _ALWAYS,
    "sample": _ALWAYS,
    "recipe": _ALWAYS,
    "load": tuple(code for code in EXIT_CODES if code not in _OF_MONDAY),
    "compare": _READING,
    "fetch": _READING,
    "report": _READING,
    "dashboard": _ALWAYS,
    "snapshot": (*_READING, LOCKED),
    "trend": (*_ALWAYS, PARTLY),
    "monday": tuple(code for code in EXIT_CODES if code != TOO_MANY),
    "keys": _ALWAYS,
}


def exit_table(codes: Iterable[int]) -> str:
    """Return the lines of a command's ``--help`` about its exit codes, which stay as they are."""
    lines = (f"{code:>3}  {EXIT_CODES[code]}" for code in sorted(codes))
    return "\b\n" + "\n".join(["Exit codes:", *lines])


def exit_code(problem: BaseException) -> int:
    """Return the exit code of an error; whatever a disk refused has the disk's code."""
    errors, cause = pf.errors, problem.__cause__
    is_of_disk = isinstance(cause, OSError) and not isinstance(cause, PermissionError)
    if is_of_disk and isinstance(problem, (errors.ReportError, errors.HistoryError)):
        return DISK
    if isinstance(problem, (errors.JournalLockedError, errors.HistoryLockedError)):
        return LOCKED
    if isinstance(problem, (errors.JournalError, OSError)):
        return DISK
    of_store = (errors.APIStatusError, errors.APIConnectionError, errors.ContractError)
    if isinstance(problem, (*of_store, errors.CrossOriginError, errors.IncompleteInventoryError)):
        return STORE
    if isinstance(problem, (errors.PetstoreError, typer.TyperException)):
        return REFUSED
    return INTERRUPTED if isinstance(problem, (KeyboardInterrupt, typer.Abort)) else FAULT


def explain(problem: BaseException) -> str:
    """Return in one line what went wrong, with what to add as a shell has it.

    The question about known animals has its lines. An error of the system begins with the file's
    name and has no number.
    """
    from petstore_frame.loader.proposals import to_add

    if isinstance(problem, (KeyboardInterrupt, typer.Abort)):
        return "interrupted"
    if isinstance(problem, typer.TyperException):
        return problem.format_message().replace("Value error, ", "")
    if isinstance(problem, OSError) and problem.filename is not None and problem.strerror:
        return f"{problem.filename}: {problem.strerror}"
    if isinstance(problem, pf.errors.DuplicatesError):
        return problem.question.text("shell")
    if isinstance(problem, pf.PetstoreError):
        more = "" if problem.add is None else f"; add {to_add(*problem.add, 'shell')}"
        return f"{problem.sentence}{more}"
    if isinstance(problem, OSError):
        return str(problem)
    return f"{type(problem).__name__}: {problem}; this is a fault of petstore-frame"


def end(message: str, code: int) -> NoReturn:
    """Print on stderr why a command goes no further, and end it."""
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(code)


def refuse(message: str) -> NoReturn:
    """Refuse what was typed; nothing was sent."""
    end(f"{message}; nothing was sent", REFUSED)


def finish(facts: Mapping[str, Any], text: str, *, as_json: bool, code: int = 0) -> NoReturn:
    """Print what a command has done, for a script or for a person, and end it.

    The line for a script is in ASCII, which every terminal and log accepts.
    """
    if as_json:
        typer.echo(json.dumps({**facts, "exit_code": code}))
    elif text:
        typer.echo(text)
    raise typer.Exit(code)
