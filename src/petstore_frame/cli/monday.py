"""``petstore-frame monday``: all of Monday's files from one reading, or whether they were made."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Annotated

import typer
from typer import BadParameter, Option

import petstore_frame as pf
from petstore_frame.cli.commands import finish, print_json
from petstore_frame.cli.options import AsJson, switch


def monday(
    settings: Annotated[Path, typer.Argument(help="The file that says what is done.")] = Path(
        "monday.toml"
    ),
    *,
    init: Annotated[bool, switch("init", "Write a commented file to begin with.")] = False,
    check: Annotated[
        bool, switch("check", "Tell whether the newest complete run is recent enough; ask nobody.")
    ] = False,
    max_age_days: Annotated[
        int, Option(help="With --check: how old the newest complete run may be.", min=0)
    ] = 8,
    dry_run: Annotated[
        bool, switch("dry-run", "Show what would be loaded and written; do nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Load the new files, read the store once, and write the day's folder.

    The exit code is that of the worst thing that came up; the page *Monday* lists them.

    Example: petstore-frame monday monday.toml
    """
    if init + check + dry_run > 1:
        raise BadParameter("--init, --check and --dry-run exclude one another")
    if init:
        typer.echo(f"wrote {pf.monday.write_settings(settings)}: fill it in, then --dry-run")
        return
    if dry_run:
        typer.echo(pf.monday.plan(settings))
        return
    if check:
        is_recent, sentence = pf.monday.check(settings, max_age_days=max_age_days)
        finish({"is_recent": is_recent}, sentence, as_json=as_json, code=0 if is_recent else 1)
    try:
        run = pf.monday.run(settings)
    except (pf.PetstoreError, OSError):
        raise  # these end as everywhere
    except Exception:  # noqa: BLE001 # Python would end with 1, which means rows to fix
        traceback.print_exc()
        raise typer.Exit(pf.monday.MondayOutcome.FAILED.exit_code) from None
    if as_json:
        print_json(run.as_dict() | {"folder": str(run.folder)})
    else:
        typer.echo(str(run))
    raise typer.Exit(run.exit_code)
