"""The arguments of ``petstore-frame load``, checked and read before anything is done."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import typer

from petstore_frame.loader.reading.kinds import is_workbook


def check_reconcile(
    reconcile: bool, *, dry_run: bool, grace: float | None, resends: bool, is_sole: bool
) -> None:
    """Refuse options that would have no effect."""
    if reconcile and dry_run:
        raise typer.BadParameter("--dry-run and --reconcile exclude each other")
    if grace is not None and not reconcile:
        raise typer.BadParameter("--grace needs --reconcile")
    if grace is not None and not math.isfinite(grace):
        raise typer.BadParameter("--grace is a finite number of seconds")
    if is_sole and not reconcile:
        raise typer.BadParameter("--sole-writer needs --reconcile")
    if resends and not reconcile:
        raise typer.BadParameter("--resend-absent needs --reconcile")


def check_output(folder: Path | None) -> None:
    """Refuse a folder that is a file, or that cannot be made, before anything is sent."""
    if folder is None:
        return
    there = next(
        place for place in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(place)
    )
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        what = "cannot be written to" if there.is_dir() else "is not a folder"
        raise typer.BadParameter(f"--output {folder}: {there} {what}; nothing was sent")


def resolutions(pairs: list[str] | None, *, dry_run: bool) -> dict[int, int | None]:
    """Read ``RECORD=PET_ID`` and ``RECORD=none``: the pet by record, None for not created."""
    if pairs and dry_run:
        raise typer.BadParameter("--dry-run and --resolve exclude each other")
    try:
        split = (pair.split("=") for pair in pairs or ())
        return {int(row): None if pet == "none" else int(pet) for row, pet in split}
    except ValueError:
        raise typer.BadParameter("--resolve is RECORD=PET_ID, or RECORD=none") from None


def options_of_kind(
    path: Path, for_text: dict[str, str | None], for_workbook: dict[str, str | None]
) -> dict[str, Any]:
    """Return the options given for the file's kind; refuse those of the other kind."""
    used, useless, kind = (
        (for_workbook, for_text, "a text file")
        if is_workbook(path)
        else (for_text, for_workbook, "a workbook")
    )
    for name, value in useless.items():
        if value is not None:
            raise typer.BadParameter(f"--{name} is for {kind}, which {path} is not")
    return {name: value for name, value in used.items() if value is not None}


def read_mapping(columns: list[str] | None) -> dict[str, str | None] | None:
    """Read ``field=column`` pairs; ``field=`` says that there is none."""
    pairs = dict(pair.split("=", 1) for pair in columns or () if "=" in pair)
    if len(pairs) != len(columns or ()):
        raise typer.BadParameter("--column is field=column, each field once")
    return {field: column or None for field, column in pairs.items()} or None


def read_values(values: list[str] | None) -> dict[str, dict[str, str]] | None:
    """Read ``field:text=value`` pairs, as ``status:reserved=pending``."""
    table: dict[str, dict[str, str]] = {}
    for pair in values or ():
        field, colon, rest = pair.partition(":")
        text, equals, value = rest.rpartition("=")
        if not colon or not equals:
            raise typer.BadParameter("--value is field:text=value, as status:reserved=pending")
        table.setdefault(field, {})[text] = value
    return table or None
