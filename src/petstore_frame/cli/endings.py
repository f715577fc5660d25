"""Ends a command: one line for a person, or one JSON object for a script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

import typer

import petstore_frame as pf
from petstore_frame.exit_codes import DONE


def explain(error: Exception) -> str:
    """Describe an error in one line, with the next step as a shell option.

    Only the question about possible duplicates has several lines.
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
    """Return the sentence of an error, with the shell option that solves it."""
    from petstore_frame.loader import to_add

    if error.add is None:
        return error.sentence
    return f"{error.sentence}; add {to_add(*error.add, 'shell')}"


def warn(message: object) -> None:
    """Print an error on stderr while the command continues."""
    typer.echo(f"error: {message}", err=True)


def refuse(message: str) -> NoReturn:
    """Reject the arguments of the command; nothing was sent."""
    raise pf.ArgumentError(f"{message}; nothing was sent")


def finish(facts: Mapping[str, Any], text: str, *, as_json: bool, code: int = DONE) -> NoReturn:
    """Print the result of a command for a script or for a person, and exit.

    The JSON is ASCII, which every terminal and log accepts.
    """
    if as_json:
        typer.echo(json.dumps({**facts, "exit_code": code}))
    elif text:
        typer.echo(text)
    raise typer.Exit(code)
