"""``petstore-frame serve`` and ``keys``: the bundled service, and the keys in its database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from petstore_frame.bundled.server import ask_keys, become_service, require_service
from petstore_frame.cli.commands import (
    DISK,
    REFUSED,
    PlainCommand,
    PlainGroup,
    end,
    exit_table,
    finish,
)
from petstore_frame.cli.options import AsJson, switch

Database = Annotated[str, Option(help="SQLAlchemy URL, or the path of a SQLite file.")]


def serve(
    port: Annotated[int, Option(help="Port to listen on; 0 picks a free one.")] = 8080,
    host: Annotated[str, Option(help="Address to listen on.")] = "127.0.0.1",
    database: Database = "petstore.sqlite3",
    api_key_file: Annotated[
        Path | None,
        Option(help="File with a key to accept; made, for its owner alone, when missing."),
    ] = None,
    sample: Annotated[int, Option(help="Made-up pets to put into an empty store.")] = 0,
    seed: Annotated[int, Option(help="Seed of the made-up pets.")] = 0,
    spec_only: Annotated[
        bool, switch("spec-only", "Leave out every extension of the interface.")
    ] = False,
    log_level: Annotated[str, Option(help="info, warning or error.")] = "info",
) -> None:
    """Run the bundled pet store until SIGTERM or Ctrl-C.

    One line of JSON on stdout has its address and process id once it answers; the log is on
    stderr. Without a key one is made and shown there, once.

    Example: petstore-frame serve --sample 500 --api-key-file store.key
    """
    settings = locals()
    require_service(database)
    become_service(settings)


app = typer.Typer(
    name="keys",
    cls=PlainGroup,
    help="The keys in a store's database: make a new one, list them, revoke one.",
    no_args_is_help=True,
)
_ENDS = exit_table((0, REFUSED, DISK))


@app.command("new", cls=PlainCommand, epilog=_ENDS)
def new(
    label: Annotated[str, typer.Argument(help="What the key is for.")] = "",
    database: Database = "petstore.sqlite3",
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, this once; the store keeps only its hash.

    Example: petstore-frame keys new till --database petstore.sqlite3
    """
    made = ask_keys(database, label=label)
    if not as_json:
        typer.echo(f"a new key in {made['database']}, shown this once", err=True)
    finish({"key": made["key"], "label": label}, made["key"], as_json=as_json)


@app.command("list", cls=PlainCommand, epilog=_ENDS)
def list_(database: Database = "petstore.sqlite3", as_json: AsJson = False) -> None:
    """List the keys in the database by their first characters.

    A store also accepts the key in its --api-key-file, which is not in the database.

    Example: petstore-frame keys list --database petstore.sqlite3
    """
    book = ask_keys(database)
    facts, lines = [], []
    for each in book["keys"]:
        made = datetime.fromtimestamp(each["created_at"], UTC).date().isoformat()
        state = "good" if each["revoked_at"] is None else "revoked"
        facts.append({"hint": each["hint"], "label": each["label"], "made": made, "state": state})
        lines.append(f"{each['hint']}...  {made}  {state:7}  {each['label']}")
    if not as_json:
        also = "a service also accepts the key in its --api-key-file, which is not listed"
        typer.echo(also, err=True)
    text = "\n".join(lines) or f"no keys in {book['database']}"
    finish({"keys": facts}, text, as_json=as_json)


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
    book = ask_keys(database, revoke=key.removesuffix("..."))
    if not book["revoked"]:
        end(
            f"{book['database']} holds no valid key that is listed like this; nothing was "
            "revoked; give the first characters exactly as `petstore-frame keys list` shows them",
            REFUSED,
        )
    finish({"revoked": book["revoked"]}, f"{book['revoked']} revoked", as_json=as_json)
