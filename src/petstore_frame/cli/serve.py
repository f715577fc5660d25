"""``petstore-frame serve``: the bundled service from a shell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from petstore_frame.cli.bundled import service_errors
from petstore_frame.cli.failures import plain_message
from petstore_frame.cli.options import Database

if TYPE_CHECKING:
    from petstore_frame.service.options import Options


def serve(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 picks a free one.")] = 8080,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    database: Database = "petstore.sqlite3",
    api_key_file: Annotated[
        Path | None,
        typer.Option(help="File with a key to accept; made, for its owner alone, when missing."),
    ] = None,
    sample: Annotated[int, typer.Option(help="Made-up pets to put into an empty store.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the made-up pets.")] = 0,
    public_url: Annotated[
        str | None, typer.Option(help="Address that clients use, if it is not the server's own.")
    ] = None,
    spec_only: Annotated[
        bool, typer.Option("--spec-only", help="Leave out every extension of the interface.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse unknown fields and query parameters.")
    ] = False,
    after_sunset: Annotated[
        str, typer.Option(help="getPet after its removal date: serve, or gone.")
    ] = "serve",
    workers: Annotated[int, typer.Option(help="Processes; more than one needs PostgreSQL.")] = 1,
    log_level: Annotated[str, typer.Option(help="debug, info, warning, error or off.")] = "info",
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
