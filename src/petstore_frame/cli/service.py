"""``petstore-frame serve`` and ``keys``: the bundled service, and the keys in its database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from petstore_frame.cli.commands import REFUSED, end, finish, refuse
from petstore_frame.cli.options import AsJson

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
        bool, Option("--spec-only", help="Leave out every extension of the interface.")
    ] = False,
    log_level: Annotated[str, Option(help="info, warning or error.")] = "info",
    faults: Annotated[
        str | None, Option(help="Misbehave, such as lost-reply=0.05,busy=0.02,cap=20.")
    ] = None,
    upstream: Annotated[
        str | None, Option(help="With --faults: stand before this store instead.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the bundled pet store until SIGTERM or Ctrl-C.

    One line of JSON on stdout has its address and process id once it answers; the log is on
    stderr. Without a key one is made and shown there, once. With --faults it loses answers and
    refuses requests, as the seed draws them, and at the end says what was applied, and how often.

    Example: petstore-frame serve --sample 500 --api-key-file store.key
    """
    from petstore_frame.bundled.server import become_service, misbehave, require_service

    settings = {
        "port": port,
        "host": host,
        "database": database,
        "api_key_file": api_key_file,
        "sample": sample,
        "seed": seed,
        "spec_only": spec_only,
        "log_level": log_level,
    }
    if upstream is not None and faults is None:
        refuse("--upstream needs --faults, such as --faults lost-reply=0.05")
    if upstream is None:
        require_service(database)
    if faults is None:
        become_service(settings)
    facts, text = misbehave(settings, faults, upstream)
    finish(facts, text, as_json=as_json)


app = typer.Typer(
    name="keys",
    help="The keys in a store's database: make a new one, list them, revoke one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("new")
def new(
    label: Annotated[str, typer.Argument(help="What the key is for.")] = "",
    database: Database = "petstore.sqlite3",
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, this once; the store keeps only its hash.

    Example: petstore-frame keys new till --database petstore.sqlite3
    """
    from petstore_frame.bundled.server import ask_keys

    made = ask_keys(database, label=label)
    if not as_json:
        typer.echo(f"a new key in {made['database']}, shown this once", err=True)
    finish({"key": made["key"], "label": label}, made["key"], as_json=as_json)


@app.command("list")
def list_(database: Database = "petstore.sqlite3", as_json: AsJson = False) -> None:
    """List the keys in the database by their first characters.

    A store also accepts the key in its --api-key-file, which is not in the database.

    Example: petstore-frame keys list --database petstore.sqlite3
    """
    from petstore_frame.bundled.server import ask_keys

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


@app.command("revoke")
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
    from petstore_frame.bundled.server import ask_keys

    book = ask_keys(database, revoke=key.removesuffix("..."))
    if not book["revoked"]:
        end(
            f"{book['database']} holds no valid key that is listed like this; nothing was "
            "revoked; give the first characters exactly as `petstore-frame keys list` shows them",
            REFUSED,
        )
    finish({"revoked": book["revoked"]}, f"{book['revoked']} revoked", as_json=as_json)
