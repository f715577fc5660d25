"""The same verbs from a shell.

A command is imported only when it runs or shows its help, so that ``--version`` answers at once.
Human tables on a terminal, ``--json`` for scripts, progress on stderr.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

import petstore_frame
from petstore_frame.cli.commands import (
    DISK,
    EXIT_CODES,
    INTERRUPTED,
    LOCKED,
    OF_MONDAY,
    PARTLY,
    REFUSED,
    STORE,
    TOO_MANY,
    PlainCommand,
    PlainlyFailing,
    exit_table,
    flat,
)

_READING = (0, PARTLY, REFUSED, STORE, DISK, INTERRUPTED)
# The module of each command and what it may end with, in the order of a first day: look, get a
# store, fill it, read it, send it on, keep it.
COMMANDS: dict[str, tuple[str, tuple[int, ...]]] = {
    "demo": ("demo", (0, REFUSED, DISK, INTERRUPTED)),
    "serve": ("service", (0, REFUSED)),
    "sample": ("demo", (0, REFUSED, DISK)),
    "recipe": ("recipe", (0, REFUSED, DISK)),
    "load": ("load", tuple(code for code in EXIT_CODES if code not in OF_MONDAY)),
    "compare": ("compare", _READING),
    "fetch": ("listing", _READING),
    "report": ("listing", _READING),
    "dashboard": ("dashboard", (0, REFUSED, DISK)),
    "snapshot": ("listing", (0, PARTLY, REFUSED, STORE, DISK, LOCKED, INTERRUPTED)),
    "trend": ("trend", (0, PARTLY, REFUSED)),
    "monday": ("monday", tuple(code for code in EXIT_CODES if code != TOO_MANY)),
    "keys": ("service", ()),
}


class _Commands(Mapping[str, Any]):
    """The commands, each imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        module_name, codes = COMMANDS[name]
        module = import_module(f"{__name__}.{module_name}")
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


class _Verbs(PlainlyFailing):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = _Commands()


app = typer.Typer(
    name="petstore-frame",
    cls=_Verbs,
    help=(
        "A store's animals: read the inventory, load new animals, report what is there.\n\n"
        "The store and its key come from PETSTORE_BASE_URL and PETSTORE_API_KEY. With --json a "
        "command prints one line of JSON on stdout, and nothing there where it fails.\n\n"
        "Example: petstore-frame demo"
    ),
    epilog=exit_table(EXIT_CODES),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"petstore-frame {petstore_frame.__version__}")
        raise typer.Exit


@app.callback()
def before_the_command(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Options that precede the command."""
