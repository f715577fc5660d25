"""Defines ``petstore-frame serve`` and ``api-keys``: the bundled store and its keys."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from typer import Option

import petstore_frame as pf
from petstore_frame.cli.exit_codes import finish, refuse
from petstore_frame.cli.options import AsJson

Database = Annotated[str, Option(help="SQLAlchemy URL, or the path of a SQLite file.")]


def serve(
    port: Annotated[int, Option(help="Port to listen on; 0 picks a free one.")] = 8080,
    host: Annotated[str, Option(help="Address to listen on.")] = "127.0.0.1",
    database: Database = "petstore.sqlite3",
    api_key_file: Annotated[
        Path | None,
        Option(help="File of a key to accept; made if it is missing, readable by you only."),
    ] = None,
    sample: Annotated[int, Option(help="Number of sample pets to put into an empty store.")] = 0,
    seed: Annotated[int, Option(help="Seed of the sample pets and of the faults.")] = 0,
    spec_only: Annotated[
        bool, Option("--spec-only", help="Leave out every extension of the interface.")
    ] = False,
    faults: Annotated[
        str | None, Option(help="Rates of faults, such as lost-reply=0.05,busy=0.02,cap=20.")
    ] = None,
    upstream: Annotated[
        str | None, Option(help="Address of another store to put the faults in front of.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the bundled pet store until SIGTERM or Ctrl-C.

    Once the store answers, one line of JSON on stdout has its address and process id. The log is on
    stderr. If the store has no key, one is made and shown there, once. With --faults it loses
    responses and refuses requests, chosen by the seed, and at the end it prints what was applied.

    Example: petstore-frame serve --sample 500 --api-key-file store.key
    """
    from petstore_frame.server import run_service, run_with_faults

    settings = {
        "port": port,
        "host": host,
        "database": database,
        "api_key_file": api_key_file,
        "sample": sample,
        "seed": seed,
        "spec_only": spec_only,
    }
    if faults is not None:
        totals, text = run_with_faults(settings, faults, upstream)
        finish(totals, text, as_json=as_json)
    if upstream is not None:
        refuse("--upstream needs --faults, such as --faults lost-reply=0.05")
    run_service(settings)


def api_keys(
    new: Annotated[
        str | None, Option(metavar="LABEL", help="Make a key with this label; it is shown once.")
    ] = None,
    revoke: Annotated[
        str | None, Option(metavar="KEY", help="Revoke a key, or the listed beginning of one.")
    ] = None,
    database: Database = "petstore.sqlite3",
    as_json: AsJson = False,
) -> None:
    """List the keys in the database of a store, make a new one, or revoke one.

    The store stores only the hash of a key, and rejects a revoked key from the next request on. It
    also accepts the key in its --api-key-file, which is not in the database.

    Example: petstore-frame api-keys --new till --database petstore.sqlite3
    """
    from petstore_frame.server import manage_api_keys

    if new is not None:
        key = manage_api_keys(database, label=new)["key"]
        finish({"key": key, "label": new}, key, as_json=as_json)
    if revoke is not None:
        revoked = manage_api_keys(database, revoke=revoke.removesuffix("..."))["revoked"]
        if not revoked:
            raise pf.ArgumentError(
                "no valid key is listed with this beginning; nothing was revoked"
            )
        finish({"revoked": revoked}, f"{revoked} revoked", as_json=as_json)
    reply = manage_api_keys(database)
    keys, lines = [], []
    for key in reply["keys"]:
        made = datetime.fromtimestamp(key["created_at"], UTC).date().isoformat()
        state = "valid" if key["revoked_at"] is None else "revoked"
        keys.append({"hint": key["hint"], "label": key["label"], "made": made, "state": state})
        lines.append(f"{key['hint']}...  {made}  {state:7}  {key['label']}")
    text = "\n".join(lines) or f"no keys in {reply['database']}"
    finish({"keys": keys}, text, as_json=as_json)
