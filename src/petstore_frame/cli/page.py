"""The dashboard's page: what its notebook shows, and the settings of the server that shows it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "voila_page"  # a folder that Jupyter searches, as JUPYTER_PATH
NOTEBOOK = PAGE / "dashboard.ipynb"
TEMPLATE = "petstore"
SETTINGS = "PETSTORE_PAGE"
# Uploads travel through a websocket whose usual limit is 10 MiB.
_MESSAGE_BYTES = 64 * 1024 * 1024
_PING_MS = 30_000


def page_environ(
    *,
    categories: Path | None,
    history: Path | None,
    folder: Path,
    before: Mapping[str, str],
    journal: Path | None = None,
) -> dict[str, str]:
    """Return the variables by which the page's kernel knows what to show.

    Args:
        categories: CSV file of labels.
        history: Folder of snapshots.
        folder: Where result files and large exports go.
        before: The environment as it is.
        journal: Folder of the journals of imports; None is the user's state directory.
    """
    shown = {"categories": categories, "history": history, "folder": folder, "journal": journal}
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
        "VoilaConfiguration": {"template": TEMPLATE},
        # Sockets of files are for their owner alone; where there are none, loopback has to do.
        "KernelManager": {"transport": "ipc" if hasattr(socket, "AF_UNIX") else "tcp"},
    }


def serve_page(settings: Mapping[str, Any]) -> None:
    """Serve the page until a signal ends it; its kernels end with it."""
    from traitlets.config import Config
    from voila.app import Voila

    Voila.launch_instance([str(NOTEBOOK)], config=Config(settings))


def page_widget(environ: Mapping[str, str] = os.environ) -> Any:
    """Return what the page's notebook shows: the dashboard of the store in the environment."""
    import petstore_frame as pf

    given = json.loads(environ.get(SETTINGS, "{}"))
    return pf.Dashboard(pf.Client(), **given).widget
