"""``petstore-frame dashboard``: serves the dashboard as a page with Voila, on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.endings import refuse
from petstore_frame.cli.options import BaseUrl, CategoriesFile, Timeout

PAGE = Path(__file__).parent / "voila_page"  # a folder for JUPYTER_PATH
SETTINGS = "PETSTORE_PAGE"
# Uploads travel through a websocket whose usual limit is 10 MiB.
_MESSAGE_BYTES = 64 * 1024 * 1024


def dashboard(
    pets: Annotated[
        int | None,
        typer.Argument(help="Number of sample pets, with --sample.", show_default="500", min=1),
    ] = None,
    sample: Annotated[
        bool, Option("--sample", help="Show a sample store instead of a real one.")
    ] = False,
    categories: CategoriesFile = None,
    history: Annotated[
        Path | None,
        Option(
            help="Folder of snapshots for the History tab.",
            show_default="none",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    browser: Annotated[bool, Option(help="Open the page in a browser.")] = True,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
) -> None:
    """Open the dashboard as a page in the browser, until Ctrl-C.

    The page opens only on this machine, and only at the printed address with its random token.

    Example: petstore-frame dashboard --sample 500
    """
    if sample and base_url:
        refuse("--sample shows a sample store; leave out the address")
    if pets is not None and not sample:
        refuse(f"{pets} is a number of sample pets; add --sample")
    if find_spec("voila") is None:
        raise pf.errors.MissingExtraError("the dashboard as a page", "lab")
    settings: dict[str, Path | None] = {"categories": categories, "history": history}
    settings["folder"] = Path.cwd()  # for result files and large exports
    with ExitStack() as stack:
        if sample:
            server = stack.enter_context(pf.serve(sample=pets or 500))
            base_url, key = server.base_url, server.api_key.get_secret_value()
            os.environ |= {"PETSTORE_BASE_URL": base_url, "PETSTORE_API_KEY": key}
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="petstore-dashboard-")))
            settings["journal"] = folder / "journal"  # deleted with its store
            settings["categories"] = categories or pf.sample_data.write_sample_categories(
                folder / "categories.csv"
            )
        # Missing settings and lists that cannot be read are refused before the page is opened.
        from petstore_frame.tables import Labels

        Labels.ids_and_labels(settings["categories"])
        with pf.Client(base_url, timeout=timeout) as client:
            os.environ |= {"PETSTORE_BASE_URL": client.base_url, "PETSTORE_TIMEOUT": str(timeout)}
        os.environ |= page_environ(os.environ, settings)
        _show(has_browser=browser)


def _show(*, has_browser: bool) -> None:
    """Run Voila behind a random token until a signal stops it; its kernels stop with it."""
    from jupyter_core.paths import jupyter_config_path
    from traitlets.config import Config
    from voila.app import Voila

    from petstore_frame.cli.page_kernels import PageKernels

    token = secrets.token_urlsafe(24)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/?token={token}"
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.call_soon(typer.echo, f"{url}\nCtrl-C ends it.")  # once the page is available
    of_tornado = {
        "websocket_max_message_size": _MESSAGE_BYTES,
        "ws_ping_timeout": 30_000,  # tornado warns if this exceeds the interval
    }
    settings: dict[str, Any] = {
        "ip": "127.0.0.1",
        "port": port,
        "port_retries": 0,
        "token": token,
        "open_browser": has_browser,
        "log_level": "ERROR",
        "tornado_settings": of_tornado,
        # Voila would also run a voila.py in the working directory, such as a folder of downloads.
        "config_file_paths": jupyter_config_path(),
    }
    # Only the owner can use a Unix domain socket; on systems without them, loopback is used.
    kernel: dict[str, Any] = {
        "transport": "ipc" if hasattr(socket, "AF_UNIX") else "tcp",
        # A restarted kernel would not have the state of the page; the page offers to reload.
        "autorestart": False,
    }
    page = {"template": "petstore", "multi_kernel_manager_class": PageKernels}
    config = Config(
        {
            "Voila": settings,
            "VoilaConfiguration": page,
            "KernelManager": kernel,
        }
    )
    Voila.launch_instance([str(PAGE / "dashboard.ipynb")], config=config)


def page_environ(before: Mapping[str, str], settings: Mapping[str, Path | None]) -> dict[str, str]:
    """Return the environment variables that tell the kernel of the page what to show."""
    paths = [str(PAGE), *filter(None, [before.get("JUPYTER_PATH")])]
    paths_by_name = {name: str(path.resolve()) for name, path in settings.items() if path}
    return {
        SETTINGS: json.dumps(paths_by_name),
        "JUPYTER_PATH": os.pathsep.join(paths),
        # The kernel uses this Python, and imports nothing from the working directory.
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYTHONSAFEPATH": "1",
    }


def page_widget(environ: Mapping[str, str] = os.environ) -> Any:
    """Return the dashboard for the store in the environment, for the notebook of the page."""
    settings = json.loads(environ[SETTINGS])
    client = pf.Client(timeout=float(environ["PETSTORE_TIMEOUT"]))
    return pf.Dashboard(client, **settings)
