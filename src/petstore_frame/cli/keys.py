"""``petstore-frame keys``: the keys that a store accepts.

In: a database. Out: a new key (shown once), a list without keys, or a key that is good no longer.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from petstore_frame.service.keys import KeyBook

app = typer.Typer(help="Make, list and revoke the keys that a store accepts.", no_args_is_help=True)
_Database = Annotated[str, typer.Option(help="SQLAlchemy URL, or the path of a SQLite file.")]


@app.command("new")
def new(
    label: Annotated[str, typer.Argument(help="What the key is for.")] = "",
    database: _Database = "petstore.sqlite3",
) -> None:
    """Make a key and show it, this once; the store keeps only its hash.

    Example: petstore-frame keys new till --database petstore.sqlite3
    """
    from petstore_frame.service.tables import shown_url

    key = _open(database).new(label)
    typer.echo(f"a new key in {shown_url(database)}, shown this once", err=True)
    typer.echo(key)


@app.command("list")
def list_(database: _Database = "petstore.sqlite3") -> None:
    """List the keys by their first characters.

    Example: petstore-frame keys list --database petstore.sqlite3
    """
    from petstore_frame.service.tables import shown_url

    path = Path(database)
    is_missing = "://" not in database and path.parent.is_dir() and not path.exists()
    records = [] if is_missing else _open(database).records()
    if not records:
        typer.echo(f"no keys in {shown_url(database)}")
    for record in records:
        made = datetime.fromtimestamp(record.created_at, UTC).date().isoformat()
        state = "revoked" if record.revoked_at is not None else "good"
        typer.echo(f"{record.hint}...  {made}  {state:7}  {record.label}")


@app.command("revoke")
def revoke(
    hint: Annotated[str, typer.Argument(help="First characters of the key, as listed.")],
    database: _Database = "petstore.sqlite3",
) -> None:
    """Revoke a key; a running service refuses it within a second.

    Example: petstore-frame keys revoke psk_a1b2c3
    """
    revoked = _open(database).revoke(hint)
    typer.echo(f"{revoked} revoked")
    if not revoked:
        raise typer.Exit(1)


def _open(database: str) -> KeyBook:
    from petstore_frame.service.keys import KeyBook
    from petstore_frame.service.tables import StartError

    try:
        return KeyBook.open(database)
    except StartError as problem:
        typer.echo(f"petstore-frame keys: {problem}", err=True)
        raise typer.Exit(1) from None
