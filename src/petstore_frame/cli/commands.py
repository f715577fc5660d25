"""Which commands there are, how each is shown, and how it ends.

A command is imported only when it runs or shows its help, so that ``--version`` answers at once.
One table of numbers means the same for every command, so that a script needs only one; where a
command could not do its work, one line on stderr says why.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import fields, is_dataclass
from functools import wraps
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

import petstore_frame as pf

PARTLY, REFUSED, TOO_MANY, STORE, DISK, LOCKED, INTERRUPTED = 1, 2, 4, 5, 6, 7, 130
_OF_MONDAY = (8, 9, 10, 11)

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
_READING = (0, PARTLY, REFUSED, STORE, DISK, INTERRUPTED)
# The module of each command and what it may end with, in the order of a first day: look, get a
# store, fill it, read it, send it on, keep it.
COMMANDS: dict[str, tuple[str, tuple[int, ...]]] = {
    "demo": ("demo", (0, REFUSED, DISK, INTERRUPTED)),
    "serve": ("service", (0, REFUSED)),
    "sample": ("demo", (0, REFUSED, DISK)),
    "recipe": ("load", (0, REFUSED, DISK)),
    "load": ("load", tuple(code for code in EXIT_CODES if code not in _OF_MONDAY)),
    "compare": ("listing", _READING),
    "fetch": ("listing", _READING),
    "report": ("listing", _READING),
    "dashboard": ("dashboard", (0, REFUSED, DISK)),
    "snapshot": ("listing", (0, PARTLY, REFUSED, STORE, DISK, LOCKED, INTERRUPTED)),
    "trend": ("listing", (0, PARTLY, REFUSED)),
    "monday": ("monday", tuple(code for code in EXIT_CODES if code != TOO_MANY)),
    "keys": ("service", ()),
}


class _Plain:
    """Shows no type of a switch, which takes no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        options: list[Any] = super().get_params(ctx)  # type: ignore[misc] # that of a command
        for option in options:
            if getattr(option, "is_flag", False):
                option.metavar = ""
        return options


class PlainGroup(_Plain, TyperGroup):
    """A group of commands."""


class PlainCommand(_Plain, TyperCommand):
    """A command whose docstring is its help."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # The lines of each paragraph are joined.
        paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        self.help = "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as problem:  # of newer versions of Typer
            problem.message = problem.message.removeprefix("Value error, ")
            raise


# What a newcomer types, and the command that does it.
_OTHER_WORDS = {
    "import": "load", "upload": "load", "export": "fetch", "list": "fetch", "start": "serve",
}  # fmt: skip


class _Commands(Mapping[str, Any]):
    """The commands, each imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        module_name, codes = COMMANDS[name]
        module = import_module(f"petstore_frame.cli.{module_name}")
        if name == "keys":
            return get_command(module.app)
        alone = typer.Typer(add_completion=False)
        made = alone.command(name, cls=PlainCommand, epilog=exit_table(codes))
        made(flat(getattr(module, name)))
        return get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class AllCommands(PlainGroup):
    """All commands, which report a wrong name, key or disk without a trace."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = _Commands()

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
            end(_plain_message(problem), exit_code(problem))
        except KeyboardInterrupt:
            end("interrupted", INTERRUPTED)


def _plain_message(problem: Exception) -> str:
    """Return what went wrong, with options spelt as a shell wants them.

    An error of the system begins with the file's name and has no number.
    """
    if isinstance(problem, OSError) and problem.filename is not None and problem.strerror:
        return f"{problem.filename}: {problem.strerror}"
    if isinstance(problem, pf.errors.PetstoreError):
        from petstore_frame.loader.proposals import Reader, to_add

        if isinstance(problem, pf.errors.DuplicatesError):
            return problem.question.text(Reader.SHELL)
        if problem.add is None:
            return problem.sentence
        return f"{problem.sentence}; add {to_add(*problem.add, Reader.SHELL)}"
    return str(problem)


def exit_code(problem: Exception) -> int:
    """Return the exit code of an error; whatever a disk refused has the disk's code."""
    errors, cause = pf.errors, problem.__cause__
    is_of_disk = isinstance(cause, OSError) and not isinstance(cause, PermissionError)
    if is_of_disk and isinstance(problem, (errors.ReportError, errors.HistoryError)):
        return DISK
    if isinstance(problem, (errors.JournalLockedError, errors.HistoryLockedError)):
        return LOCKED
    if isinstance(problem, (errors.JournalError, OSError)):
        return DISK
    of_the_store = (
        errors.APIStatusError, errors.APIConnectionError, errors.ContractError,
        errors.CrossOriginError, errors.IncompleteInventoryError,
    )  # fmt: skip
    return STORE if isinstance(problem, of_the_store) else REFUSED


def end(message: str, code: int) -> NoReturn:
    """Print on stderr, in one line, why a command goes no further, and end it."""
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(code)


def finish(facts: Mapping[str, Any], text: str, *, as_json: bool, code: int = 0) -> NoReturn:
    """Print what a command has done, for a script or for a person, and end it."""
    if as_json:
        print_json({**facts, "exit_code": code})
    elif text:
        typer.echo(text)
    raise typer.Exit(code)


def print_json(facts: Mapping[str, Any]) -> None:
    """Print one line, in ASCII, which every terminal and log accepts."""
    typer.echo(json.dumps(facts))


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
