"""The same verbs from a shell: human tables on a terminal, ``--json`` for scripts."""

from __future__ import annotations

from typing import Annotated

import typer

import petstore_frame
from petstore_frame.cli.commands import EXIT_CODES, AllCommands, exit_table

app = typer.Typer(
    name="petstore-frame",
    cls=AllCommands,
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
