"""Ends a command: one table of exit codes, one line for a person, one for a script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

import typer

import petstore_frame as pf

PARTLY, REFUSED, STORE, DISK, LOCKED, FAULT, INTERRUPTED = 1, 2, 5, 6, 7, 11, 130
EXIT_CODES = {
    0: "done",
    PARTLY: "done, and something is left: rows to fix, differences, a listing not whole",
    REFUSED: "refused: a word, a setting or a file; nothing was sent",
    3: "unconfirmed rows",
    4: "too many errors",
    STORE: "the store refused, broke the interface or was not reached",
    DISK: "this machine's disk, or the journal on it",
    LOCKED: "another writer is at work",
    8: "the listing is not known to be complete",
    9: "a file may hold animals that are loaded already; none of it was sent",
    10: "more pets are gone than max_drop allows",
    FAULT: "a fault of petstore-frame itself",
    INTERRUPTED: "interrupted",
}


def exit_code(problem: Exception) -> int:
    """Return the exit code of an error; whatever a disk refused has the disk's code."""
    errors, cause = pf.errors, problem.__cause__
    is_of_disk = isinstance(cause, OSError) and not isinstance(cause, PermissionError)
    if is_of_disk and isinstance(problem, (errors.ReportError, errors.HistoryError)):
        return DISK
    if isinstance(problem, (errors.JournalLockedError, errors.HistoryLockedError)):
        return LOCKED
    if isinstance(problem, FileNotFoundError):
        return REFUSED  # a name that is not there
    if isinstance(problem, (errors.JournalError, OSError)):
        return DISK
    of_store = (errors.APIStatusError, errors.APIConnectionError, errors.ContractError)
    if isinstance(problem, (*of_store, errors.CrossOriginError, errors.IncompleteInventoryError)):
        return STORE
    is_refusal = isinstance(problem, (errors.PetstoreError, typer.TyperException))
    return REFUSED if is_refusal else FAULT


def explain(problem: Exception) -> str:
    """Return in one line what went wrong, with what to add as a shell has it.

    Only the question about known animals has more lines.
    """
    from petstore_frame.loader import to_add

    if isinstance(problem, pf.IncompleteInventoryError):
        return f"{problem.__cause__ or problem}; {problem.partial.completeness}"
    if isinstance(problem, typer.TyperException):
        return problem.format_message().replace("Value error, ", "")
    if isinstance(problem, pf.errors.DuplicatesError):
        return problem.question.text("shell")
    if isinstance(problem, pf.PetstoreError):
        more = "" if problem.add is None else f"; add {to_add(*problem.add, 'shell')}"
        return f"{problem.sentence}{more}"
    if isinstance(problem, OSError):
        is_of_file = problem.filename is not None
        return f"{problem.filename}: {problem.strerror}" if is_of_file else str(problem)
    return f"{type(problem).__name__}: {problem}; this is a fault of petstore-frame"


def warn(text: object) -> None:
    """Print on stderr what went wrong while a command goes on."""
    typer.echo(f"error: {text}", err=True)


def refuse(message: str) -> NoReturn:
    """Refuse what was typed; nothing was sent."""
    raise pf.ArgumentError(f"{message}; nothing was sent")


def finish(facts: Mapping[str, Any], text: str, *, as_json: bool, code: int = 0) -> NoReturn:
    """Print what a command has done, for a script or for a person, and end it.

    The line for a script is in ASCII, which every terminal and log accepts.
    """
    if as_json:
        typer.echo(json.dumps({**facts, "exit_code": code}))
    elif text:
        typer.echo(text)
    raise typer.Exit(code)
