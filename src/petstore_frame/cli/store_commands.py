"""Defines ``petstore-frame serve`` and ``api-keys``: the bundled store and its keys."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from typer import Option

import petstore_frame as pf
from petstore_frame.cli.endings import finish, refuse
from petstore_frame.cli.options import AsJson

Database = Annotated[str, Option(help="Path of a SQLite file, or a SQLAlchemy URL.")]


def serve(
    port: Annotated[
        int, Option(help="Port to listen on; 0 picks a free one.", min=0, max=65_535)
    ] = 8080,
    host: Annotated[str, Option(help="Address to listen on.")] = "127.0.0.1",
    database: Database = "petstore.sqlite3",
    api_key_file: Annotated[
        Path | None,
        Option(
            help="File with an API key to accept; created if missing, readable only by you.",
            show_default="none",
        ),
    ] = None,
    sample: Annotated[
        int, Option(help="Number of sample pets to add to an empty store.", min=0)
    ] = 0,
    seed: Annotated[int, Option(help="Seed of the sample pets and of the faults.")] = 0,
    spec_only: Annotated[
        bool, Option("--spec-only", help="Turn off all extensions of the interface.")
    ] = False,
    faults: Annotated[
        str | None,
        Option(
            help="Faults to inject, with their rates: lost-reply=0.05,busy=0.02,cap=20.",
            show_default="none",
        ),
    ] = None,
    upstream: Annotated[
        str | None,
        Option(
            help="Address of the store that the faults are injected in front of.",
            show_default="the bundled store",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the bundled pet store until SIGTERM or Ctrl-C.

    When the store is ready, it prints one line of JSON with its address and process ID to stdout.
    The log goes to stderr. If the store has no key, it creates one and shows it once in the log.
    With --faults, it loses responses and refuses requests at random; when it stops, it prints what
    was applied.

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
        str | None,
        Option(metavar="LABEL", help="Create a key with this label; the key is shown only once."),
    ] = None,
    revoke: Annotated[
        str | None, Option(metavar="KEY", help="Revoke this key; the listed prefix is enough.")
    ] = None,
    database: Database = "petstore.sqlite3",
    as_json: AsJson = False,
) -> None:
    """List, create or revoke the API keys of your own store.

    The database has only a hash of each key. A revoked key is rejected from the next request on.
    The key in an --api-key-file is not in the database.

    Example: petstore-frame api-keys --new till --database petstore.sqlite3
    """
    from petstore_frame.server import manage_api_keys

    if new is not None and revoke is not None:
        refuse("pass only one of --new and --revoke")
    if new is not None:
        key = manage_api_keys(database, label=new)["key"]
        finish({"key": key, "label": new}, key, as_json=as_json)
    if revoke is not None:
        revoked = manage_api_keys(database, revoke=revoke.removesuffix("..."))["revoked"]
        if not revoked:
            raise pf.ArgumentError(
                "no valid key has this listed prefix; nothing was revoked; without options, "
                "petstore-frame api-keys lists the keys"
            )
        finish({"revoked": revoked}, f"{revoked} revoked", as_json=as_json)
    reply = manage_api_keys(database)
    keys, lines = [], []
    for key in reply["keys"]:
        created_on = datetime.fromtimestamp(key["created_at"], UTC).date().isoformat()
        state = "valid" if key["revoked_at"] is None else "revoked"
        keys.append(
            {"hint": key["hint"], "label": key["label"], "made": created_on, "state": state}
        )
        lines.append(f"{key['hint']}...  {created_on}  {state:7}  {key['label']}")
    text = "\n".join(lines) or f"no keys in {reply['database']}"
    finish({"keys": keys}, text, as_json=as_json)
