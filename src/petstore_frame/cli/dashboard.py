"""``petstore-frame dashboard``: the dashboard as a page of its own, by Voila on loopback."""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.commands import refuse
from petstore_frame.cli.options import ApiKey, AsJson, BaseUrl, CategoriesFile, Timeout

PAGE = Path(__file__).parent / "voila_page"  # a folder that Jupyter searches, as JUPYTER_PATH
NOTEBOOK = PAGE / "dashboard.ipynb"
SETTINGS = "PETSTORE_PAGE"
# Uploads travel through a websocket whose usual limit is 10 MiB.
_MESSAGE_BYTES = 64 * 1024 * 1024
_PING_MS = 30_000


def dashboard(
    pets: Annotated[
        int | None, typer.Argument(help="With --sample: how many pets; else 500.", min=1)
    ] = None,
    sample: Annotated[
        bool, Option("--sample", help="Show a bundled store of made-up pets instead.")
    ] = False,
    categories: CategoriesFile = None,
    history: Annotated[
        Path | None, Option(help="Folder of snapshots.", exists=True, file_okay=False)
    ] = None,
    port: Annotated[int, Option(help="Port on loopback; 0 picks a free one.")] = 0,
    browser: Annotated[bool, Option(help="Open the page in a browser.")] = True,
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Open the dashboard as a page on this machine, until Ctrl-C.

    Only the address printed, with its random token, opens it. With --sample it has thirty made-up
    days of history, too, which end today.

    Example: petstore-frame dashboard --sample 500
    """
    if sample and (base_url or api_key):
        refuse("--sample shows a store of its own; leave out its address and key")
    if pets is not None and not sample:
        refuse(f"{pets} is a number of made-up pets; add --sample")
    from petstore_frame.bundled.server import child_environ

    if find_spec("voila") is None:
        raise pf.errors.MissingExtraError("the dashboard as a page", "lab")
    if port and _is_open(port):
        refuse(f"port {port} is in use; leave out --port")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="petstore-dashboard-")))
        if sample:
            server = stack.enter_context(pf.serve(sample=pets or 500))
            base_url, api_key = server.base_url, server.api_key.get_secret_value()
            categories = categories or pf.samples.write_sample_categories(folder / "categories.csv")
            if history is None:
                history = folder / "history"
                with server.client() as client:
                    pf.samples.write_sample_history(history, inventory=pf.fetch_inventory(client))
        # What is missing is refused here, before a page is made.
        pf.Client(base_url, api_key, timeout=timeout).close()
        names = ("PETSTORE_BASE_URL", "PETSTORE_API_KEY", "PETSTORE_TIMEOUT")
        typed = zip(names, (base_url, api_key, timeout), strict=True)
        token = secrets.token_urlsafe(24)
        if not port:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
        os.environ |= {
            **child_environ(),
            **page_environ(
                os.environ,
                categories=categories,
                history=history,
                folder=Path.cwd(),  # for result files and large exports
                journal=folder / "journal" if sample else None,  # it ends with its store
            ),
            **{name: str(value) for name, value in typed if value},
        }
        url = f"http://127.0.0.1:{port}/?token={token}"
        announce = partial(_announce, port, url, as_json=as_json)
        threading.Thread(target=announce, name="petstore-announce", daemon=True).start()
        # ``python -m`` searches the working directory first; nothing of it runs beside the key.
        sys.path[:] = [each for each in sys.path if each not in ("", str(Path.cwd()))]
        from traitlets.config import Config
        from voila.app import Voila

        settings = page_settings(token=token, port=port, has_browser=browser)
        # A signal ends it, and its kernels with it.
        Voila.launch_instance([str(NOTEBOOK)], config=Config(settings))


def _announce(port: int, url: str, *, as_json: bool) -> None:
    """Announce the page once it answers: earlier, a browser would find nothing."""
    while not _is_open(port):
        time.sleep(0.1)
    if as_json:
        typer.echo(json.dumps({"url": url, "pid": os.getpid()}))
    else:
        typer.echo(f"{url}\nCtrl-C ends it.")


def _is_open(port: int) -> bool:
    """Tell whether something listens on a port of loopback."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def page_environ(before: Mapping[str, str], **shown: Path | None) -> dict[str, str]:
    """Return the variables by which the page's kernel knows what to show.

    ``before`` is the environment as it is.
    """
    paths = [str(PAGE), *filter(None, [before.get("JUPYTER_PATH")])]
    return {
        SETTINGS: json.dumps({name: str(path.resolve()) for name, path in shown.items() if path}),
        "JUPYTER_PATH": os.pathsep.join(paths),
        # The kernel is that of this Python, and nothing of the working directory runs in it.
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYTHONSAFEPATH": "1",
    }


def page_settings(*, token: str, port: int, has_browser: bool) -> dict[str, Any]:
    """Return Voila's settings: loopback alone, behind a token."""
    return {
        "Voila": {
            "ip": "127.0.0.1",
            "port": port,
            "port_retries": 0,
            "token": token,
            "open_browser": has_browser,
            "log_level": "ERROR",
            "tornado_settings": {
                "websocket_max_message_size": _MESSAGE_BYTES,
                "ws_ping_timeout": _PING_MS,  # tornado complains of more than the pause between two
            },
        },
        "VoilaConfiguration": {"template": "petstore"},
        # Sockets of files are for their owner alone; where there are none, loopback has to do.
        "KernelManager": {"transport": "ipc" if hasattr(socket, "AF_UNIX") else "tcp"},
    }


def page_widget(environ: Mapping[str, str] = os.environ) -> Any:
    """Return what the page's notebook shows: the dashboard of the store in the environment."""
    given = json.loads(environ.get(SETTINGS, "{}"))
    client = pf.Client(timeout=float(environ.get("PETSTORE_TIMEOUT", 30.0)))
    return pf.Dashboard(client, **given).widget
