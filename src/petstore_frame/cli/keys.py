"""``petstore-frame keys``: the keys that a store accepts.

In: a database. Out: a new key (shown once), a list without keys, or a key that is good no longer.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

app = typer.Typer(help="Make, list and revoke the keys that a store accepts.", no_args_is_help=True)
_Database = Annotated[str, typer.Option(help="SQLAlchemy URL, or the path of a SQLite file.")]


@app.command("new")
def new(
    label: Annotated[str, typer.Argument(help="What the key is for.")] = "",
    database: _Database = "petstore.sqlite3",
) -> None:
    """Make a key and show it, this once; the store keeps only its hash."""
    from petstore_frame.service.keys import KeyBook

    typer.echo(KeyBook.open(database).new(label))


@app.command("list")
def list_(database: _Database = "petstore.sqlite3") -> None:
    """List the keys by their first characters."""
    from petstore_frame.service.keys import KeyBook

    for record in KeyBook.open(database).records():
        made = datetime.fromtimestamp(record.created_at, UTC).date().isoformat()
        state = "revoked" if record.revoked_at is not None else "good"
        typer.echo(f"{record.hint}...  {made}  {state:7}  {record.label}")


@app.command("revoke")
def revoke(
    hint: Annotated[str, typer.Argument(help="First characters of the key, as listed.")],
    database: _Database = "petstore.sqlite3",
) -> None:
    """Revoke a key; a running service refuses it within a second."""
    from petstore_frame.service.keys import KeyBook

    revoked = KeyBook.open(database).revoke(hint)
    typer.echo(f"{revoked} revoked")
    if not revoked:
        raise typer.Exit(1)
