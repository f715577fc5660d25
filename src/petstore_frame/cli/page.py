"""What the dashboard's page needs on disk, and the command that serves it.

In: a folder, a token, a port, and what to show. Out: a notebook without a key in it, Voila's
settings, the page's frame, its kernel, and Voila's command line.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from petstore_frame.bundled.children import module_command

# Uploads travel through a websocket whose usual limit is 10 MiB.
_MESSAGE_BYTES = 64 * 1024 * 1024
_PING_MS = 30_000
_NAME = "petstore"  # of the page's frame and of its kernel
# Voila's own page loads unused icons from a CDN; ours loads nothing from the network.
_PAGE = """{%- extends 'voila/templates/lab/index.html.j2' -%}
{%- block notebook_css -%}
{{ super() | replace("https://cdn.jsdelivr.net/", "data:text/css,") }}
{%- endblock notebook_css -%}
"""


def write_page(folder: Path, categories: Path | None, history: Path | None) -> Path:
    """Write the notebook that Voila shows: the live part of a dashboard, and no key in it."""
    arguments = "pf.Client()"
    if categories is not None:
        arguments += f", categories={str(categories.resolve())!r}"
    if history is not None:
        arguments += f", history=pf.History({str(history.resolve())!r})"
    working = f"import os; os.chdir({str(Path.cwd())!r})"
    source = f"import petstore_frame as pf\n{working}\npf.Dashboard({arguments}).widget"
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
        *module_command("ipykernel_launcher"), "-f", "{connection_file}",
        "--IPKernelApp.log_level=ERROR", "--IPKernelApp.ignore_cwd=True",
    ]  # fmt: skip
    kernel = folder / "kernels" / _NAME
    kernel.mkdir(parents=True)
    spec = {"argv": launch, "display_name": "Pet store dashboard", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return str(folder) if not before else f"{folder}{os.pathsep}{before}"


def voila_command(notebook: Path, *, has_browser: bool) -> list[str]:
    """Return the command of the server; token and key are not in it."""
    command = [
        *module_command("petstore_frame.cli.page_server"), str(notebook),
        "--Voila.log_level=ERROR", f"--Voila.config_file_paths={notebook.parent}",
    ]  # fmt: skip
    return command if has_browser else [*command, "--no-browser"]
