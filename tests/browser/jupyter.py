"""A real JupyterLab on loopback, and a real Chromium that can reach nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from plain_http import wait_until
from ports import free_port

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
CHROMIUM_ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage",
    # A closed port, which Chromium passes by for loopback only. Playwright's own way to stop
    # requests would also turn off the cache, and each page would load and compile all again.
    "--proxy-server=127.0.0.1:9",
]  # fmt: skip
LOCAL = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:")
START_S = 90
LAB = [
    sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
    "--ServerApp.port_retries=0", "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None",
    "--LabApp.extension_manager=readonly",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
]  # fmt: skip
UNUSED = dict.fromkeys(
    ("jupyter_lsp", "jupyter_server_terminals", "notebook", "voila.server_extension"), False
)
SETTINGS = {
    # The question about news covers a corner of every picture.
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # Otherwise cells outside the window are taken out of the page.
    "notebook-extension/tracker": {"windowingMode": "none"},
}


@dataclass
class Server:
    """A running Jupyter server."""

    url: str
    token: str

    def request(self, method: str, path: str) -> httpx.Response:
        headers = {"Authorization": f"token {self.token}"}
        return httpx.request(method, self.url + path, headers=headers, timeout=30)


@dataclass
class Traffic:
    """What a page did on the wire, and what it complained of."""

    blocked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@contextlib.contextmanager
def jupyter(root: Path, environ: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Run a server over a folder, in a home of its own."""
    home = Path(tempfile.mkdtemp(prefix="jupyter-home-"))
    port, token = free_port(), secrets.token_hex(16)
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    folders = {name: str(home / name.lower()) for name in names}
    env = {**os.environ, **folders, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    settings = Path(folders["JUPYTER_CONFIG_DIR"]) / "lab" / "user-settings" / "@jupyterlab"
    for name, values in SETTINGS.items():
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    config = Path(folders["JUPYTER_CONFIG_DIR"]) / "jupyter_server_config.json"
    config.write_text(json.dumps({"ServerApp": {"jpserver_extensions": UNUSED}}))
    command = [*LAB, f"--port={port}", f"--ServerApp.root_dir={root}"]
    command += [f"--IdentityProvider.token={token}"]
    log = home / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env=env | dict(environ or {}), cwd=home, stdout=out,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    server = Server(f"http://127.0.0.1:{port}", token)
    try:
        await_answer(server, "/api/status", process, log)
        yield server
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # kernels left behind, in our own group only
        process.wait()
        shutil.rmtree(home, ignore_errors=True)


def await_answer(server: Server, path: str, process: subprocess.Popen, log: Path) -> None:
    """Wait until a server answers at all."""

    def answers() -> bool:
        with contextlib.suppress(httpx.TransportError):
            server.request("GET", path)
            return True
        return process.poll() is not None

    if not wait_until(answers, START_S) or process.poll() is not None:
        raise RuntimeError(f"it did not start: {log.read_text(errors='replace')[-3000:]}")


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser once, with a profile of its own; pages come from ``tab``."""
    from playwright.sync_api import sync_playwright

    with (
        sync_playwright() as playwright,
        playwright.chromium.launch_persistent_context(
            "", executable_path=CHROMIUM, headless=True, args=CHROMIUM_ARGS,
            viewport={"width": 1280, "height": 1000}, accept_downloads=True,
        ) as context,
    ):  # fmt: skip
        yield context


@contextlib.contextmanager
def tab(context: Any) -> Iterator[tuple[Any, Traffic]]:
    """Open a page from which only this machine can be reached."""
    traffic, page = Traffic(), context.new_page()

    def note(request: Any) -> None:
        if not request.url.startswith(LOCAL):
            traffic.blocked.append(request.url)

    page.on("request", note)
    page.on("websocket", note)
    page.on("pageerror", lambda problem: traffic.errors.append(str(problem)))
    page.on("console", lambda line: line.type == "error" and traffic.errors.append(line.text))
    try:
        yield page, traffic
    finally:
        page.close()


IS_IDLE = """() => {
  const panel = window.jupyterapp && window.jupyterapp.shell.currentWidget;
  const session = panel && panel.sessionContext && panel.sessionContext.session;
  return !!(session && session.kernel && session.kernel.status === 'idle');
}"""


def open_notebook(page: Any, server: Server, name: str) -> None:
    """Open one notebook and wait for its kernel."""
    page.goto(f"{server.url}/doc/tree/{name}?token={server.token}")
    page.wait_for_selector(".jp-NotebookPanel", timeout=START_S * 1000)
    page.wait_for_function(IS_IDLE, timeout=START_S * 1000)


def write_notebook(path: Path, *cells: str) -> Path:
    """Write a notebook of code cells."""
    from nbformat import v4, write

    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = [*map(v4.new_code_cell, cells)]
    write(v4.new_notebook(metadata={"kernelspec": kernel}, cells=made), path)
    return path
