"""How a command is shown, and how it ends.

One table of numbers means the same for every command, so that a script needs only one; where a
command could not do its work, one line on stderr says why.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

import petstore_frame as pf

PARTLY, REFUSED, TOO_MANY, STORE, DISK, LOCKED, INTERRUPTED = 1, 2, 4, 5, 6, 7, 130
OF_MONDAY = (8, 9, 10, 11)

EXIT_CODES = {
    0: "done",
    PARTLY: "done in part: records to fix, a listing not whole, a day left out",
    REFUSED: "refused: an option, a setting or a file; nothing was sent",
    3: "records in doubt",
    TOO_MANY: "too many errors",
    STORE: "the store refused, broke the interface or was not reached",
    DISK: "this machine's disk or journal",
    LOCKED: "another writer is at work",
    8: "the listing is not known to be complete",
    9: "a file may hold animals that are loaded already; none of it was sent",
    10: "more pets are gone than max_drop allows",
    11: "an error that is a fault of petstore-frame ended it",
    INTERRUPTED: "interrupted",
}


class PlainCommand(TyperCommand):
    """A command whose docstring is its help."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # The lines of each paragraph are joined.
        paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        self.help = "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as problem:  # of newer versions of Typer
            problem.message = problem.message.removeprefix("Value error, ")
            raise


class PlainGroup(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))


def _without_types(options: list[Any]) -> list[Any]:
    """Show no type of a switch, which takes no value."""
    for option in options:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    return options


# What a newcomer types, and the command that does it.
_OTHER_WORDS = {
    **dict.fromkeys(("import", "upload"), "load"),
    **dict.fromkeys(("export", "list"), "fetch"),
    "start": "serve",
}


class PlainlyFailing(PlainGroup):
    """Commands that report a wrong name, key or disk without a trace."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = _OTHER_WORDS.get(args[0]) if args else None
        if name is not None:
            ctx.fail(f"there is no command {args[0]!r}; petstore-frame {name} does that")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # a reader such as head has enough; typer ends quietly
        except (pf.errors.PetstoreError, OSError) as problem:
            end(plain_message(problem), exit_code(problem))
        except KeyboardInterrupt:
            end("interrupted", INTERRUPTED)


def end(message: str, code: int) -> NoReturn:
    """Print on stderr, in one line, why a command goes no further, and end it."""
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(code)


def plain_message(problem: Exception) -> str:
    """Return what went wrong, with options spelt as a shell wants them.

    An error of the system begins with the file's name and has no number.
    """
    if isinstance(problem, OSError) and problem.filename is not None and problem.strerror:
        return f"{problem.filename}: {problem.strerror}"
    if isinstance(problem, pf.errors.PetstoreError):
        from petstore_frame.loader.call import SHELL

        return problem.phrased_by(problem.call or SHELL)
    return str(problem)


def exit_code(problem: Exception) -> int:
    """Return the exit code of an error; whatever a disk refused has the disk's code."""
    cause = problem.__cause__
    is_of_disk = isinstance(cause, OSError) and not isinstance(cause, PermissionError)
    if is_of_disk and isinstance(problem, (pf.errors.ReportError, pf.errors.HistoryError)):
        return DISK
    if isinstance(problem, (pf.errors.JournalLockedError, pf.errors.HistoryLockedError)):
        return LOCKED
    if isinstance(problem, (pf.errors.JournalError, OSError)):
        return DISK
    store = (pf.errors.APIStatusError, pf.errors.APIConnectionError, pf.errors.ContractError)
    if isinstance(
        problem, (*store, pf.errors.CrossOriginError, pf.errors.IncompleteInventoryError)
    ):
        return STORE
    return REFUSED


def exit_table(codes: Iterable[int]) -> str:
    """Return the lines of the table that a command may end with, for its ``--help``."""
    return "\n".join(["Exit codes:", *(f"{code:>3}  {EXIT_CODES[code]}" for code in codes)])


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Let a parameter whose type is a dataclass of options stand for each of them, in its panel."""
    shown, groups = list[inspect.Parameter](), dict[str, Any]()
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        if not is_dataclass(parameter.annotation):
            shown.append(parameter)
            continue
        kind: Any = parameter.annotation
        groups[parameter.name] = kind
        for each in inspect.signature(kind, eval_str=True).parameters.values():
            option = copy(each.annotation.__metadata__[0])
            option.rich_help_panel = option.rich_help_panel or kind.PANEL
            annotated: Any = Annotated  # no type that a checker reads
            hint = annotated[each.annotation.__origin__, option]
            shown.append(each.replace(annotation=hint))

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        command(**given)

    only = inspect.Parameter.KEYWORD_ONLY
    run.__signature__ = inspect.Signature([each.replace(kind=only) for each in shown])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in shown}
    return run
