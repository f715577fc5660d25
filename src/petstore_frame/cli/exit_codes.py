"""Ends a command: its exit code, and one line for a person or one JSON object for a script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

import typer

import petstore_frame as pf

DONE, WITH_FINDINGS, INVALID, UNCONFIRMED, TOO_MANY_ERRORS, STORE = 0, 1, 2, 3, 4, 5
DISK, LOCKED, NOT_COMPLETE, QUESTION, MAX_DROP, INTERNAL, INTERRUPTED = 6, 7, 8, 9, 10, 11, 130
EXIT_CODES = {
    DONE: "done",
    WITH_FINDINGS: "done, with rows to fix, differences, or rows still to send",
    INVALID: "invalid option, setting or file; nothing was sent",
    UNCONFIRMED: "some rows are unconfirmed",
    TOO_MANY_ERRORS: "too many errors, or most rows fail for one reason",
    STORE: "the store rejected a request, broke the interface, or could not be reached",
    DISK: "the disk or the import journal cannot be used",
    LOCKED: "another process is using the same files",
    NOT_COMPLETE: "the listing is not known to be complete",
    QUESTION: "a question is open; nothing was sent",
    MAX_DROP: "more pets are gone than max_drop allows",
    INTERNAL: "internal error",
    INTERRUPTED: "interrupted",
}


def exit_code(error: Exception) -> int:
    """Return the exit code of an error."""
    if isinstance(error, (pf.errors.JournalLockedError, pf.errors.HistoryLockedError)):
        return LOCKED
    if _is_disk_error(error):
        return DISK
    if isinstance(error, _STORE_ERRORS):
        return STORE
    if isinstance(error, pf.DuplicatesError):
        return QUESTION
    if isinstance(error, (FileNotFoundError, pf.PetstoreError, typer.TyperException)):
        return INVALID
    return INTERNAL


_STORE_ERRORS = (
    pf.errors.APIConnectionError,
    pf.errors.APIStatusError,
    pf.errors.ContractError,
    pf.errors.CrossOriginError,
    pf.errors.IncompleteInventoryError,
)


def _is_disk_error(error: Exception) -> bool:
    if isinstance(error, (pf.errors.ReportError, pf.errors.HistoryError)):
        cause = error.__cause__
        return isinstance(cause, OSError) and not isinstance(cause, PermissionError)
    if isinstance(error, FileNotFoundError):
        return False  # a name that does not exist, so an invalid argument
    return isinstance(error, (pf.errors.JournalError, OSError))


def explain(error: Exception) -> str:
    """Return what went wrong in one line, with the next step as a shell option.

    Only the question about possible duplicates has more lines.
    """
    if isinstance(error, pf.IncompleteInventoryError):
        return f"{error.__cause__ or error}; {error.partial.completeness}"
    if isinstance(error, pf.errors.DuplicatesError):
        return error.question.text("shell")
    if isinstance(error, pf.PetstoreError):
        return _with_option(error)
    if isinstance(error, typer.TyperException):
        return error.format_message().replace("Value error, ", "")
    if isinstance(error, OSError):
        return str(error) if error.filename is None else f"{error.filename}: {error.strerror}"
    return f"{type(error).__name__}: {error}; internal error, please report it"


def _with_option(error: pf.PetstoreError) -> str:
    """Return an error's sentence with the option that helps, as a shell has it."""
    from petstore_frame.loader import to_add

    if error.add is None:
        return error.sentence
    return f"{error.sentence}; add {to_add(*error.add, 'shell')}"


def warn(message: object) -> None:
    """Print an error on stderr while the command continues."""
    typer.echo(f"error: {message}", err=True)


def refuse(message: str) -> NoReturn:
    """Reject what was typed; nothing was sent."""
    raise pf.ArgumentError(f"{message}; nothing was sent")


def finish(facts: Mapping[str, Any], text: str, *, as_json: bool, code: int = DONE) -> NoReturn:
    """Print the result of a command, for a script or for a person, and end it.

    The JSON is in ASCII, which every terminal and log accepts.
    """
    if as_json:
        typer.echo(json.dumps({**facts, "exit_code": code}))
    elif text:
        typer.echo(text)
    raise typer.Exit(code)
