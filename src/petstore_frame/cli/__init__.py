"""The command line: tables for people, and one JSON object with ``--json``."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

import petstore_frame
from petstore_frame.cli import (
    dashboard_command,
    demo_commands,
    inventory_commands,
    load_commands,
    store_commands,
    weekly_command,
)
from petstore_frame.cli.endings import CommandInterrupted, explain, interruptible, warn
from petstore_frame.errors import exit_code_of
from petstore_frame.exit_codes import ExitCode

_EXIT_TABLE = "\n".join(f"{code:>3}  {code.meaning}" for code in sorted(ExitCode))

app = typer.Typer(
    name="petstore-frame",
    help=(
        "Read a pet store's inventory, load new animals from files, and write reports.\n\n"
        "Set the store's address in PETSTORE_BASE_URL and its key in PETSTORE_API_KEY. With "
        "--json, a command prints one JSON object; if it fails, the object has the questions to "
        "answer, or stdout is empty.\n\n"
        "Example: petstore-frame demo"
    ),
    epilog=f"\b\nExit codes of all commands:\n{_EXIT_TABLE}",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"petstore-frame {petstore_frame.__version__}")
        raise typer.Exit


@app.callback()
def show_version_option(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Options that come before the command."""


# In the order of first use: try it, start a store, load animals, read the store, keep history.
for _command in (
    demo_commands.demo,
    store_commands.serve,
    store_commands.api_keys,
    demo_commands.sample,
    load_commands.recipe,
    load_commands.load,
    inventory_commands.compare,
    inventory_commands.fetch,
    inventory_commands.report,
    dashboard_command.dashboard,
    inventory_commands.snapshot,
    inventory_commands.trend,
    weekly_command.weekly,
):
    _class = load_commands.LoadCommand if _command is load_commands.load else None
    app.command(cls=_class)(interruptible(_command))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its code; an error is one line on stderr."""
    warnings.showwarning = lambda message, *_, **__: typer.echo(f"note: {message}", err=True)
    try:
        typed = sys.argv[1:] if arguments is None else [*arguments]
        code = app(typed, standalone_mode=False, prog_name="petstore-frame")
    except CommandInterrupted as interrupt:
        code = ExitCode.INTERRUPTED
        warn(interrupt)
    except Exception as error:  # noqa: BLE001 # each error has its exit code
        is_usage = isinstance(error, typer.TyperException)
        code = ExitCode.INVALID if is_usage else exit_code_of(error)
        if code is ExitCode.INTERNAL:
            traceback.print_exception(error)
        warn(explain(error))
    sys.exit(code or 0)
