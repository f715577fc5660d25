"""``petstore-frame keys``: the keys that a store's database holds.

The key in a file of ``serve --api-key-file`` is in no database, so it is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from petstore_frame.cli.bundled import service_errors
from petstore_frame.cli.failures import DISK, REFUSED, describe_exit_codes, end
from petstore_frame.cli.options import AsJson, Database, print_json
from petstore_frame.cli.screens import PlainCommand, PlainGroup

if TYPE_CHECKING:
    from petstore_frame.service.keys import KeyBook, KeyRecord

app = typer.Typer(
    cls=PlainGroup,
    help="The keys in a store's database: make a new one, list them, revoke one.",
    no_args_is_help=True,
)
_ENDS = describe_exit_codes((0, REFUSED, DISK))


@app.command("new", cls=PlainCommand, epilog=_ENDS)
def new(
    label: Annotated[str, typer.Argument(help="What the key is for.")] = "",
    database: Database = "petstore.sqlite3",
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, this once; the store keeps only its hash.

    Example: petstore-frame keys new till --database petstore.sqlite3
    """
    with _open(database) as book:
        key = book.new(label)
    if as_json:
        print_json({"key": key, "label": label, "exit_code": 0})
        return
    typer.echo(f"a new key in {_shown(database)}, shown this once", err=True)
    typer.echo(key)


@app.command("list", cls=PlainCommand, epilog=_ENDS)
def list_(database: Database = "petstore.sqlite3", as_json: AsJson = False) -> None:
    """List the keys in the database by their first characters.

    A store also accepts the key in its --api-key-file, which is not in the database.

    Example: petstore-frame keys list --database petstore.sqlite3
    """
    records: list[KeyRecord] = []
    if not _is_missing(database):
        with _open(database) as book:
            records = book.records()
    if as_json:
        print_json({"keys": [_facts(record) for record in records], "exit_code": 0})
        return
    if not records:
        typer.echo(f"no keys in {_shown(database)}")
    for record in records:
        facts = _facts(record)
        typer.echo(f"{facts['hint']}...  {facts['made']}  {facts['state']:7}  {facts['label']}")
    typer.echo(
        "a service also accepts the key in its --api-key-file, which is not listed", err=True
    )


@app.command("revoke", cls=PlainCommand, epilog=_ENDS)
def revoke(
    key: Annotated[
        str, typer.Argument(help="The first characters, exactly as listed, or the whole key.")
    ],
    database: Database = "petstore.sqlite3",
    as_json: AsJson = False,
) -> None:
    """Revoke a key; a running service refuses it from its next request on.

    Example: petstore-frame keys revoke psk_a1b2c3 --database petstore.sqlite3
    """
    revoked = 0
    if not _is_missing(database):
        with _open(database) as book:
            revoked = book.revoke(key.removesuffix("..."))
    if not revoked:
        end(
            f"{_shown(database)} holds no valid key that is listed like this; nothing was "
            "revoked; give the first characters exactly as `petstore-frame keys list` shows them",
            REFUSED,
        )
    if as_json:
        print_json({"revoked": revoked, "exit_code": 0})
    else:
        typer.echo(f"{revoked} revoked")


def _facts(record: KeyRecord) -> dict[str, Any]:
    return {
        "hint": record.hint,
        "label": record.label,
        "made": datetime.fromtimestamp(record.created_at, UTC).date().isoformat(),
        "state": "good" if record.revoked_at is None else "revoked",
    }


def _is_missing(database: str) -> bool:
    """Tell whether opening a database would make it, which only a new key is reason for."""
    path = Path(database)
    return "://" not in database and path.parent.is_dir() and not path.exists()


@contextmanager
def _open(database: str) -> Iterator[KeyBook]:
    with service_errors():
        from petstore_frame.service.keys import KeyBook

        with KeyBook.open(database) as book:
            yield book


def _shown(database: str) -> str:
    with service_errors():
        from petstore_frame.service.database import shown_url

        return shown_url(database)
