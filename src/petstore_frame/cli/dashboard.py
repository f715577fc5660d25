"""``petstore-frame dashboard``: the dashboard as a page of its own.

In: the store's address and key, from options or the environment. Out: a Voila server on loopback
whose page only a random token opens. The key reaches it by the environment, never by an argument.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from petstore_frame.cli.options import (
    ApiKey,
    AsJson,
    BaseUrl,
    CategoriesFile,
    Timeout,
    print_json,
)

# Uploads travel through a websocket whose usual limit is 10 MiB.
_MESSAGE_BYTES = 64 * 1024 * 1024
_PING_MS = 30_000
_NAME = "petstore"  # of the page's frame and of its kernel
# Voila's own page asks a CDN for icons that nothing here uses; ours asks nobody.
_PAGE = """{%- extends 'voila/templates/lab/index.html.j2' -%}
{%- block notebook_css -%}
{{ super() | replace("https://cdn.jsdelivr.net/", "data:text/css,") }}
{%- endblock notebook_css -%}
"""


def dashboard(
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = None,
    categories: CategoriesFile = None,
    history: Annotated[
        Path | None, typer.Option(help="Folder of snapshots.", exists=True, file_okay=False)
    ] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="Show a bundled store of so many made-up pets instead.")
    ] = 0,
    port: Annotated[int, typer.Option(help="Port on loopback; 0 picks a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    as_json: AsJson = False,
) -> None:
    """Open the dashboard as a page on this machine, until Ctrl-C.

    Only the address printed, with its random token, opens it.
    Example: petstore-frame dashboard --sample 500
    """
    from petstore_frame.errors import ConfigurationError, MissingExtraError
    from petstore_frame.server import serve
    from petstore_frame.settings import read_settings

    with ExitStack() as stack:
        if find_spec("voila") is None:
            raise MissingExtraError("the dashboard as a page", "lab")
        if port and is_open(port):
            raise ConfigurationError(f"port {port} is in use; leave out --port")
        if sample:
            server = stack.enter_context(serve(sample=sample))
            base_url, api_key = server.base_url, server.api_key.get_secret_value()
        # What is missing is refused here, before a page is made.
        settings = read_settings(base_url, api_key, timeout_s=timeout)
        environ = {
            **os.environ,
            "PETSTORE_BASE_URL": settings.base_url,
            "PETSTORE_API_KEY": settings.key().get_secret_value(),
            "PETSTORE_TIMEOUT": str(settings.timeout_s),
        }
        token, chosen = secrets.token_urlsafe(24), port or free_port()
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="petstore-dashboard-")))
        notebook = write_page(folder, categories, history)
        write_config(folder, token, chosen)
        environ["JUPYTER_PATH"] = with_own_parts(folder, os.environ.get("JUPYTER_PATH"))
        code = run(
            voila_command(notebook, has_browser=browser),
            environ,
            chosen,
            lambda: _announce(f"http://127.0.0.1:{chosen}/?token={token}", as_json=as_json),
        )
    if code:
        raise typer.Exit(code)


def _announce(url: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"url": url, "pid": os.getpid()})
    else:
        typer.echo(f"{url}\nCtrl-C ends it.")


def write_page(folder: Path, categories: Path | None, history: Path | None) -> Path:
    """Write the notebook that Voila shows: two lines, and no key in them."""
    arguments = "pf.Client()"
    if categories is not None:
        arguments += f", categories={str(categories.resolve())!r}"
    if history is not None:
        arguments += f", history=pf.History({str(history.resolve())!r})"
    working = f"import os; os.chdir({str(Path.cwd())!r})"
    source = f"import petstore_frame as pf\n{working}\npf.Dashboard({arguments})"
    cell: dict[str, Any] = {
        "cell_type": "code", "id": "dashboard", "metadata": {}, "execution_count": None,
        "outputs": [], "source": source,
    }  # fmt: skip
    kernel = {"name": _NAME, "display_name": "Python 3", "language": "python"}
    book = {
        "nbformat": 4, "nbformat_minor": 5, "cells": [cell],
        "metadata": {"kernelspec": kernel, "title": "Pet store inventory"},
    }  # fmt: skip
    path = folder / "dashboard.ipynb"
    path.write_text(json.dumps(book), encoding="utf-8")
    return path


def write_config(folder: Path, token: str, port: int) -> Path:
    """Write the server's settings to a file that only its owner can read."""
    voila: dict[str, Any] = {
        "ip": "127.0.0.1",
        "port": port,
        "port_retries": 0,
        "token": token,
        "tornado_settings": {
            "websocket_max_message_size": _MESSAGE_BYTES,
            "ws_ping_timeout": _PING_MS,  # tornado complains of more than the pause between two
        },
    }
    path = folder / "voila.json"
    path.touch(mode=0o600)
    looks = {"template": _NAME}
    settings = {"Voila": voila, "VoilaConfiguration": looks}
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path


def with_own_parts(folder: Path, before: str | None) -> str:
    """Write the page's frame and its kernel, and return the search path that finds them."""
    frame = folder / "voila" / "templates" / _NAME
    frame.mkdir(parents=True)
    (frame / "conf.json").write_text('{"base_template": "lab"}', encoding="utf-8")
    (frame / "index.html.j2").write_text(_PAGE, encoding="utf-8")
    # A kernel called python3 may be of another environment, without this package.
    launch = [
        sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}",
        "--IPKernelApp.log_level=ERROR",
    ]  # fmt: skip
    kernel = folder / "kernels" / _NAME
    kernel.mkdir(parents=True)
    spec = {"argv": launch, "display_name": "Pet store dashboard", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return str(folder) if not before else f"{folder}{os.pathsep}{before}"


def voila_command(notebook: Path, *, has_browser: bool) -> list[str]:
    """Return the command of the server; token and key are not in it."""
    command = [
        sys.executable, "-m", "petstore_frame.cli.page_server", str(notebook),
        "--Voila.log_level=ERROR", f"--Voila.config_file_paths={notebook.parent}",
    ]  # fmt: skip
    return command if has_browser else [*command, "--no-browser"]


def run(
    command: Sequence[str], environ: Mapping[str, str], port: int, announce: Callable[[], None]
) -> int:
    """Run the server until it ends, Ctrl-C or SIGTERM; its kernels end with it.

    Args:
        command: The server's command line.
        environ: Its environment.
        port: Where it listens on loopback.
        announce: Called once it answers there: an address told earlier would be refused.

    Returns:
        The server's exit code; 0 where Ctrl-C or SIGTERM ended it.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        # The pipe is the child's line to our life: it ends when nobody holds this end any more.
        with subprocess.Popen(command, env=dict(environ), stdin=subprocess.PIPE) as process:  # noqa: S603 # our own words
            try:
                while process.poll() is None and not is_open(port):
                    time.sleep(0.1)
                if process.poll() is None:
                    announce()
                return process.wait()
            except KeyboardInterrupt:
                process.terminate()
                return 0
    finally:
        signal.signal(signal.SIGTERM, before)


def is_open(port: int) -> bool:
    """Tell whether something listens on a port of loopback."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port(probe: Callable[[], socket.socket] = socket.socket) -> int:
    """Return a port on loopback that nobody uses now."""
    with probe() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
