"""Ends a command: one line for a person, or one JSON object for a script."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NoReturn

import typer

import petstore_frame as pf
from petstore_frame.errors import exit_code_of
from petstore_frame.exit_codes import ExitCode

NOTHING_SENT = "nothing was sent"

# What an option may be, by the kind of its problem, which pydantic finds for typer.
_ALLOWED = {
    "int_parsing": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
}


class CommandInterrupted(Exception):  # noqa: N818 # Ctrl-C, and no error
    """Ctrl-C ended a command; its arguments say what was done until then."""

    def __str__(self) -> str:
        return "; ".join(["interrupted", *map(str, self.args)])


def interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that raises ``CommandInterrupted`` after Ctrl-C; typer would end it mutely.

    A command that knows what was done until then raises it itself. If the program that reads the
    output ends first, such as ``head``, the command ends without a message.
    """

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt as interrupt:
            raise CommandInterrupted from interrupt
        except BrokenPipeError as error:
            # Otherwise Python complains about stdout when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(exit_code_of(error)) from None

    return run


def explain(error: Exception) -> str:
    """Describe an error in one line, with the next step as a shell option.

    Only questions have several lines.
    """
    if isinstance(error, pf.IncompleteInventoryError):
        return f"{error.__cause__ or error}; {error.partial.completeness}"
    if isinstance(error, pf.QuestionError):
        return error.text("shell")
    if isinstance(error, pf.PetstoreError):
        return _with_option(error)
    if isinstance(error, typer.TyperException):
        return _usage_error(error)
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return reason if error.filename is None else f"{error.filename}: {reason}"
    return f"{type(error).__name__}: {error}; internal error, please report it"


def _usage_error(error: typer.TyperException) -> str:
    """Return which option or argument is wrong, and what is allowed."""
    if isinstance(error, typer.BadParameter) and error.param is not None:
        return f"{_bad_value(error, error.param)}; {NOTHING_SENT}"
    context = getattr(error, "ctx", None)
    command = "petstore-frame" if context is None else context.command_path
    return f"{error.format_message().rstrip('.')}; {command} --help shows what it takes"


def _bad_value(error: typer.BadParameter, param: Any) -> str:
    from pydantic import ValidationError

    cause = error.__cause__
    name = param.opts[0]
    if not name.startswith("-"):
        name = param.metavar or name.upper()
    if not error.message:  # it is missing
        command = error.ctx.command_path if error.ctx else "petstore-frame"
        return f"{name} is missing; {command} --help shows an example"
    if isinstance(cause, ValidationError):
        problem = cause.errors(include_url=False)[0]
        allowed = _ALLOWED.get(problem["type"])
        if allowed is not None:
            must_be = allowed.format(**problem.get("ctx", {}))
            return f"{name} must be {must_be}, got {shlex.quote(str(problem['input']))}"
    return f"{name}: {error.message.removeprefix('Value error, ').rstrip('.')}"


def _with_option(error: pf.PetstoreError) -> str:
    """Return the sentence of an error, with the shell option that solves it."""
    from petstore_frame.questions import to_add

    if error.add is None:
        return error.sentence
    return f"{error.sentence}; add {to_add(*error.add, 'shell')}"


def warn(message: object) -> None:
    """Print an error on stderr while the command continues."""
    typer.echo(f"error: {message}", err=True)


def refuse(message: str) -> NoReturn:
    """Reject the arguments of the command; nothing was sent."""
    raise pf.ArgumentError(f"{message}; {NOTHING_SENT}")


def finish(
    facts: Mapping[str, Any], text: str, *, as_json: bool, code: int = ExitCode.DONE
) -> NoReturn:
    """Print the result of a command for a script or for a person, and exit.

    The JSON is ASCII, which every terminal and log accepts.
    """
    if as_json:
        typer.echo(json.dumps({**facts, "exit_code": code}))
    elif text:
        typer.echo(text)
    raise typer.Exit(code)
