"""The same verbs from a shell.

One module a command; each imports the rest of the package only when it runs, so that ``--help``
answers at once. Human tables on a terminal, ``--json`` for scripts, progress on stderr.
"""

from __future__ import annotations

from typing import Annotated

import typer

from petstore_frame.cli import keys
from petstore_frame.cli.dashboard import dashboard
from petstore_frame.cli.demo import demo
from petstore_frame.cli.failures import PlainlyFailing
from petstore_frame.cli.fetch import fetch
from petstore_frame.cli.load import load
from petstore_frame.cli.report import report
from petstore_frame.cli.sample import sample
from petstore_frame.cli.serve import serve
from petstore_frame.cli.snapshot import snapshot
from petstore_frame.cli.trend import trend

app = typer.Typer(
    name="petstore-frame",
    cls=PlainlyFailing,
    help="A store's animals: read the inventory, load new animals, report what is there.",
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
    """Take what goes before the command."""


app.command("demo")(demo)
app.command("fetch")(fetch)
app.command("load")(load)
app.command("dashboard")(dashboard)
app.command("report")(report)
app.command("sample")(sample)
app.command("serve")(serve)
app.command("snapshot")(snapshot)
app.command("trend")(trend)
app.add_typer(keys.app, name="keys")
