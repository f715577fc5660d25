"""The same verbs from a shell.

A command imports the rest of the package only when it runs, so that ``--help`` answers at once.
Human tables on a terminal, ``--json`` for scripts, progress on stderr.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

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
    describe_exit_codes,
    flat,
)
from petstore_frame.cli.compare import compare
from petstore_frame.cli.dashboard import dashboard
from petstore_frame.cli.demo import demo, sample
from petstore_frame.cli.listing import fetch, report, snapshot
from petstore_frame.cli.load import load
from petstore_frame.cli.monday import monday
from petstore_frame.cli.recipe import recipe
from petstore_frame.cli.service import app as keys
from petstore_frame.cli.service import serve
from petstore_frame.cli.trend import trend

app = typer.Typer(
    name="petstore-frame",
    cls=PlainlyFailing,
    help=(
        "A store's animals: read the inventory, load new animals, report what is there.\n\n"
        "The store and its key come from PETSTORE_BASE_URL and PETSTORE_API_KEY. With --json a "
        "command prints one line of JSON on stdout, and nothing there where it fails.\n\n"
        "Example: petstore-frame demo"
    ),
    epilog=describe_exit_codes(EXIT_CODES),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        from petstore_frame import __version__

        typer.echo(f"petstore-frame {__version__}")
        raise typer.Exit


@app.callback()
def petstore_frame(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Options that precede the command."""


# In the order of a first day: look, get a store, fill it, read it, send it on, keep it.
_COMMANDS: tuple[tuple[Callable[..., None], tuple[int, ...]], ...] = (
    (demo, (0, REFUSED, DISK, INTERRUPTED)),
    (serve, (0, REFUSED)),
    (sample, (0, REFUSED, DISK)),
    (recipe, (0, REFUSED, DISK)),
    (load, tuple(code for code in EXIT_CODES if code not in OF_MONDAY)),
    (compare, (0, PARTLY, REFUSED, STORE, DISK, INTERRUPTED)),
    (fetch, (0, PARTLY, REFUSED, STORE, DISK, INTERRUPTED)),
    (report, (0, PARTLY, REFUSED, STORE, DISK, INTERRUPTED)),
    (dashboard, (0, REFUSED, DISK)),
    (snapshot, (0, PARTLY, REFUSED, STORE, DISK, LOCKED, INTERRUPTED)),
    (trend, (0, PARTLY, REFUSED)),
    (monday, tuple(code for code in EXIT_CODES if code != TOO_MANY)),
)
for _command, _codes in _COMMANDS:
    _epilog = describe_exit_codes(_codes)
    app.command(_command.__name__, cls=PlainCommand, epilog=_epilog)(flat(_command))
app.add_typer(keys, name="keys")
