"""``petstore-frame weekly``: all of Monday's files from one reading, or whether they were made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.exit_codes import finish, refuse
from petstore_frame.cli.options import AsJson


def weekly(
    settings: Annotated[Path, typer.Argument(help="What is done.")] = Path("weekly.toml"),
    *,
    init: Annotated[bool, Option("--init", help="Write a commented file to begin with.")] = False,
    check: Annotated[bool, Option("--check", help="Tell whether a run is recent.")] = False,
    max_age_days: Annotated[int, Option(help="How old it may be, with --check.", min=0)] = 8,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the plan; do nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Load the new files, read the store once, and write the day's folder.

    The exit code is that of the worst thing that came up; the page *Monday* lists them.

    Example: petstore-frame weekly weekly.toml
    """
    if init + check + dry_run > 1:
        refuse("--init, --check and --dry-run exclude one another")
    if init:
        typer.echo(f"wrote {pf.weekly.write_settings(settings)}: fill it in, then --dry-run")
        return
    if dry_run:
        typer.echo(pf.weekly.plan(settings))
        return
    if check:
        is_recent, sentence = pf.weekly.check(settings, max_age_days=max_age_days)
        finish({"is_recent": is_recent}, sentence, as_json=as_json, code=0 if is_recent else 1)
    run = pf.weekly.run(settings)
    facts = run.as_dict() | {"folder": str(run.folder)}
    finish(facts, str(run), as_json=as_json, code=run.exit_code)
