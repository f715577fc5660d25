"""``petstore-frame serve`` and ``api-keys``: the bundled store, and the keys in its database."""

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
        Path | None, Option(help="File of a key to accept; made, for its owner, when missing.")
    ] = None,
    sample: Annotated[int, Option(help="Made-up pets to put into an empty store.")] = 0,
    seed: Annotated[int, Option(help="Seed of the made-up pets and of the faults.")] = 0,
    spec_only: Annotated[bool, Option("--spec-only", help="Without extensions.")] = False,
    faults: Annotated[
        str | None, Option(help="Misbehave, such as lost-reply=0.05,busy=0.02,cap=20.")
    ] = None,
    upstream: Annotated[str | None, Option(help="Misbehave before this store.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run the bundled pet store until SIGTERM or Ctrl-C.

    One line of JSON on stdout has its address and process id once it answers; the log is on
    stderr. Without a key one is made and shown there, once. With --faults it loses answers and
    refuses requests, as the seed draws them, and at the end says what was applied, and how often.

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
        facts, text = run_with_faults(settings, faults, upstream)
        finish(facts, text, as_json=as_json)
    if upstream is not None:
        refuse("--upstream needs --faults, such as --faults lost-reply=0.05")
    run_service(settings)


def api_keys(
    new: Annotated[str | None, Option(metavar="LABEL", help="Make a key; shown once.")] = None,
    revoke: Annotated[str | None, Option(metavar="KEY", help="A key, or as it is listed.")] = None,
    database: Database = "petstore.sqlite3",
    as_json: AsJson = False,
) -> None:
    """List the keys in a store's database, make a new one, or revoke one.

    The store keeps only the hash of a key, and refuses a revoked one from the next request on. It
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
            raise pf.ArgumentError("no valid key is listed like this; nothing was revoked")
        finish({"revoked": revoked}, f"{revoked} revoked", as_json=as_json)
    book, facts, lines = manage_api_keys(database), [], []
    for each in book["keys"]:
        made = datetime.fromtimestamp(each["created_at"], UTC).date().isoformat()
        state = "good" if each["revoked_at"] is None else "revoked"
        facts.append({"hint": each["hint"], "label": each["label"], "made": made, "state": state})
        lines.append(f"{each['hint']}...  {made}  {state:7}  {each['label']}")
    finish({"keys": facts}, "\n".join(lines) or f"no keys in {book['database']}", as_json=as_json)
