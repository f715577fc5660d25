"""What several commands share: their options, each in one wording, and their line of JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

BaseUrl = Annotated[str | None, typer.Option(help="The store's address; else PETSTORE_BASE_URL.")]
ApiKey = Annotated[
    str | None,
    typer.Option(help="The key. Prefer PETSTORE_API_KEY: arguments show in the process list."),
]
Timeout = Annotated[
    float | None,
    typer.Option(help="Seconds to wait for an answer; else PETSTORE_TIMEOUT, else 120.", min=0),
]
AllowInsecure = Annotated[
    bool,
    typer.Option(
        "--allow-insecure",
        help="Accept plain http to another machine, where the network is yours.",
    ),
]
CategoriesFile = Annotated[
    Path | None, typer.Option(help="CSV of category_id,label.", exists=True, dir_okay=False)
]
Database = Annotated[str, typer.Option(help="SQLAlchemy URL, or the path of a SQLite file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
RequireComplete = Annotated[
    bool, typer.Option("--require-complete", help="Write nothing unless all pets were read.")
]
ShowEvidence = Annotated[
    bool, typer.Option("--evidence", help="Show how it is known that the listing is complete.")
]


def print_json(facts: dict[str, Any]) -> None:
    """Print one line, in ASCII, which every terminal and log accepts."""
    typer.echo(json.dumps(facts))
