"""``petstore-frame serve`` and ``keys``: the bundled service, and the keys in its database.

The service shares no code with the package, so its own error is translated here. The key in a file
of ``serve --api-key-file`` is in no database, so ``keys`` does not know it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from petstore_frame.cli.commands import (
    DISK,
    REFUSED,
    PlainCommand,
    PlainGroup,
    describe_exit_codes,
    end,
    plain_message,
)
from petstore_frame.cli.options import AsJson, finish, switch
from petstore_frame.errors import MissingExtraError, ServiceStartError

if TYPE_CHECKING:
    from petstore_frame.service.keys import KeyBook, KeyRecord
    from petstore_frame.service.options import Options

Database = Annotated[str, Option(help="SQLAlchemy URL, or the path of a SQLite file.")]
_LIBRARIES = ("fastapi", "uvicorn", "sqlalchemy")


@contextmanager
def service_errors() -> Iterator[None]:
    """Translate the service's own error, and that of a missing library.

    Raises:
        MissingExtraError: The block imports a library of the service that is not installed.
        ServiceStartError: The database or the port cannot be opened.
    """
    from petstore_frame.service import StartError

    try:
        yield
    except StartError as problem:
        raise ServiceStartError(str(problem)) from None
    except ModuleNotFoundError as problem:
        if problem.name == "psycopg":
            raise MissingExtraError("the bundled service on PostgreSQL", "postgres") from None
        if problem.name not in _LIBRARIES:
            raise
        raise MissingExtraError("the bundled service", "service") from None


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
    public_url: Annotated[
        str | None, Option(help="Address that clients use, if it is not the server's own.")
    ] = None,
    spec_only: Annotated[
        bool, switch("spec-only", "Leave out every extension of the interface.")
    ] = False,
    strict: Annotated[
        bool, switch("strict", "Refuse unknown fields and query parameters.")
    ] = False,
    after_sunset: Annotated[
        str, Option(help="getPet after its removal date: serve, or gone.")
    ] = "serve",
    workers: Annotated[int, Option(help="Processes; more than one needs PostgreSQL.")] = 1,
    log_level: Annotated[str, Option(help="debug, info, warning, error or off.")] = "info",
) -> None:
    """Run the bundled pet store until SIGTERM or Ctrl-C.

    One line of JSON on stdout has its address and process id once it answers; the log is on
    stderr. Without a key one is made and shown there, once.

    Example: petstore-frame serve --sample 500 --api-key-file store.key
    """
    settings = {
        "host": host, "port": port, "database": database, "sample": sample, "seed": seed,
        "public_url": public_url, "spec_only": spec_only, "strict": strict,
        "after_sunset": after_sunset, "workers": workers, "log_level": log_level,
    }  # fmt: skip
    with service_errors():
        from petstore_frame.service.run import run

        run(_options(settings, api_key_file))


def _options(settings: dict[str, Any], api_key_file: Path | None) -> Options:
    from pydantic import ValidationError

    from petstore_frame.service.keys import key_from_file
    from petstore_frame.service.options import Options, explain

    try:
        key = None if api_key_file is None else key_from_file(api_key_file)
        return Options.model_validate({**settings, "api_key": key})
    except ValidationError as problem:
        raise typer.BadParameter(explain(problem)) from None
    except (OSError, ValueError) as problem:
        raise typer.BadParameter(plain_message(problem)) from None


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
    if not as_json:
        typer.echo(f"a new key in {_shown(database)}, shown this once", err=True)
    finish({"key": key, "label": label}, key, as_json=as_json)


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
    facts = [_facts(record) for record in records]
    text = "\n".join(
        f"{each['hint']}...  {each['made']}  {each['state']:7}  {each['label']}" for each in facts
    )
    shown = text or f"no keys in {_shown(database)}"
    if not as_json:
        also = "a service also accepts the key in its --api-key-file, which is not listed"
        typer.echo(also, err=True)
    finish({"keys": facts}, shown, as_json=as_json)


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
    finish({"revoked": revoked}, f"{revoked} revoked", as_json=as_json)


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
