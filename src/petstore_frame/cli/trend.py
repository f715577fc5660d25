"""``petstore-frame trend``: the counts of each day, from the snapshots kept; no store is asked."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.commands import PARTLY
from petstore_frame.cli.options import AsJson, finish

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS_SHOWN = 8
_MARKS = {"exact": "{:,}", "at least": "≥ {:,}", "no snapshot": "-", "unreadable": "?"}


class By(StrEnum):
    """What a column of the table stands for."""

    STATUS = "status"
    CATEGORY = "category_id"


def trend(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    by: Annotated[list[By] | None, Option(help="Count by this; give it twice for both.")] = None,
    since: Annotated[str | None, Option(help="First day, like 2026-11-01.")] = None,
    until: Annotated[str | None, Option(help="Last day.")] = None,
    every_days: Annotated[
        int, Option(min=1, help="In how many days a snapshot is due; gaps are marked.")
    ] = 1,
    engine: Annotated[str, Option(help="duckdb, pandas, polars, dask or spark.")] = "duckdb",
    as_json: AsJson = False,
) -> None:
    """Show the counts of each day; a day without a snapshot shows a dash.

    A day whose file cannot be read is named on stderr and left out.

    Example: petstore-frame trend --history history --since 2026-11-01
    """
    groups = by or [By.STATUS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.errors.HistoryWarning)  # reported below, once
        kept = pf.History(history, engine=engine)
        counted = kept.trend(groups, since=since, until=until, every_days=every_days)
    left_out = kept.problems()
    for entry in left_out:
        typer.echo(f"left out: {entry}", err=True)
    lost = [entry for entry in left_out if entry.date is not None]
    plain = counted.assign(date=counted["date"].dt.date.astype("str"))
    plain["pets"] = plain["pets"].astype("object").where(plain["pets"].notna(), None)
    facts = {"trend": plain.to_dict("records"), "left_out": [str(entry.path) for entry in lost]}
    finish(facts, _as_text(counted), as_json=as_json, code=PARTLY if lost else 0)


def _as_text(counted: pd.DataFrame) -> str:
    """Lay the days under each other and the largest groups side by side."""
    groups = [name for name in counted.columns if name not in ("date", "pets", "count_is")]
    names = counted[groups].astype("str").agg(" ".join, axis=1)
    words = [
        _MARKS[exactness].format(pets)
        for pets, exactness in zip(counted["pets"], counted["count_is"], strict=True)
    ]
    largest = counted.groupby(names, sort=False)["pets"].max().nlargest(_COLUMNS_SHOWN).index
    shown = [name for name in dict.fromkeys(names) if name in set(largest)]
    table = counted.assign(group=names, words=words, day=counted["date"].dt.date)
    wide = table.pivot(index="day", columns="group", values="words")[shown]
    wide.index.name = wide.columns.name = None
    more = len(set(names)) - len(shown)
    note = f"\n… and {more} more groups: --json shows all" if more else ""
    return wide.to_string() + note
