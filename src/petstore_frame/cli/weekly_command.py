"""``petstore-frame weekly``: run the weekly job, or check whether it ran."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.endings import finish, refuse
from petstore_frame.cli.inventory_commands import keeping_pets
from petstore_frame.cli.options import AsJson


def weekly(
    path: Annotated[
        Path, typer.Argument(metavar="SETTINGS", help="Path of the settings file.")
    ] = Path("weekly.toml"),
    *,
    init: Annotated[
        bool, Option("--init", help="Write a settings file with comments, and exit.")
    ] = False,
    check: Annotated[
        bool, Option("--check", help="Check whether the latest complete run is recent, and exit.")
    ] = False,
    max_age_days: Annotated[
        int, Option(help="Maximum age in days of a recent run, with --check.", min=0)
    ] = 8,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would be loaded and written; do nothing else.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Load new files, read the store, and write the day's reports.

    What a run does is in its settings file, which --init writes. The store is read once. The exit
    code is that of the worst outcome. After Ctrl-C, the pets read so far are in pets.partial.csv in
    the output folder.

    Example: petstore-frame weekly weekly.toml
    """
    if init + check + dry_run > 1:
        refuse("pass only one of --init, --check and --dry-run")
    if init:
        written = pf.weekly.write_settings(path)
        typer.echo(f"Wrote {written}. Edit it, then run petstore-frame weekly {written} --dry-run")
        return
    settings = pf.weekly.WeeklySettings.read(path)
    if dry_run:
        typer.echo(pf.weekly.plan(settings))
        return
    if check:
        is_recent, sentence = pf.weekly.check(settings, max_age_days=max_age_days)
        finish({"is_recent": is_recent}, sentence, as_json=as_json, code=0 if is_recent else 1)
    with keeping_pets(settings.output / "pets.csv", _done_until):
        run = pf.weekly.run(settings)
    facts = run.as_dict() | {"folder": str(run.folder)}
    finish(facts, str(run), as_json=as_json, code=run.exit_code)


def _done_until(interrupt: KeyboardInterrupt) -> list[str]:
    """Return at which step Ctrl-C ended a run, and what the load of this step has sent."""
    from petstore_frame.loader import view_of

    notes = getattr(interrupt, "__notes__", ())
    details = [note for note in notes if note != pf.errors.PARTIAL_NOTE]
    result = pf.errors.result_of(interrupt)
    if result is not None:
        details.append(view_of(result).headline("shell"))
    return [*details, "no folder was written; the same command continues"]
