"""nginx as the page on PostgreSQL configures it does what the service leaves to a proxy."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

import petstore_frame as pf
from plain_http import exchange, talk_to, wait_until
from ports import free_port

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
PAGE = Path(__file__).parents[2] / "docs/how_to/store.md"
WRAPPED = """
daemon off; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  {example}
}}
"""


class Proxied:
    """A store, the port of the nginx before it, and its key."""

    def __init__(self, server: pf.Server, port: int) -> None:
        self.server, self.port = server, port

    def client(self) -> httpx.Client:
        return talk_to(self.server, base_url=f"http://127.0.0.1:{self.port}/v1")

    def answers(self) -> bool:
        with contextlib.suppress(OSError, httpx.HTTPError), self.client() as client:
            return client.get("/pets").status_code == 200
        return False

    def exchange(self, first: str, body: bytes = b"", **headers: str) -> bytes:
        """Send a request's bytes, and return all that comes until the connection ends."""
        told = {"Host": "x", "Authorization": f"Bearer {self.server.api_key.get_secret_value()}"}
        lines = [first, *(f"{name}: {value}" for name, value in (told | headers).items())]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode() if first else b""
        return exchange(self.port, head + body)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    """The page's own example, with a free port, no TLS, and a second in place of twenty."""
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    (example,) = re.findall(r"```text\n(upstream .*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    with pf.serve(sample=30) as server:
        example = example.replace("127.0.0.1:8080", httpx.URL(server.base_url).netloc.decode())
        example = example.replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
        example = re.sub(r"ssl_certificate.*", "", example).replace(" 20s;", " 1s;")
        user = "user root;" if os.getuid() == 0 else ""
        conf = folder / "nginx.conf"
        conf.write_text(WRAPPED.format(folder=folder, user=user, example=example))
        command = [NGINX, "-p", str(folder), "-c", str(conf)]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            running = Proxied(server, port)
            # nginx is there before its way to the store is, on a busy machine.
            assert wait_until(running.answers)
            yield running
        finally:
            process.terminate()
            process.wait(30)


def test_requests_pass_and_keep_their_names(proxied) -> None:
    """Additions and lists are those of the service, and links lead to the proxy."""
    with proxied.client() as client:
        created = client.post("/pets", json={"name": "Luna", "categoryId": 1})
        listed = client.get("/pets?limit=5")
        refused = client.post("/pets", json={"name": "x" * 70_000, "categoryId": 1})
        hidden = client.get(f"http://127.0.0.1:{proxied.port}/healthz")
    assert created.status_code == 201
    assert listed.links["next"]["url"].startswith(f"{client.base_url}pets?limit=5&cursor=")
    assert (refused.status_code, refused.json()["code"]) == (413, "payload_too_large")
    assert hidden.status_code == 404
    # RFC 9112, 3.2.2: the form that is meant for proxies.
    absolute = proxied.exchange("GET http://x/v1/pets?limit=1 HTTP/1.1", Connection="close")
    assert absolute.startswith(b"HTTP/1.1 200 ")


POST = "POST /v1/pets HTTP/1.1"
LONG = {"Content-Length": "1000"}
CHUNKED = {"Transfer-Encoding": "chunked"}
STOPPED = {  # what is sent, and the answer, if there is one
    "length and chunks": (POST, b"1e\r\n", CHUNKED | {"Content-Length": "3"}, b"400"),
    "an endless chunk": (POST, b"fffffffff\r\n{", CHUNKED, b"413"),
    "slow: nothing": ("", b"", {}, b""),
    "slow: half a head": ("", b"POST /v1/pets HTTP/1.1\r\nHost: x\r\nX: y\r\n", {}, b""),
    "slow: half a body": (POST, b"{", LONG, b""),
}


@pytest.mark.parametrize(("first", "body", "headers", "status"), STOPPED.values(), ids=STOPPED)
def test_what_is_ambiguous_endless_or_slow_does_not_pass(
    proxied, first, body, headers, status
) -> None:
    """400 or 413; and 408 or a closed connection after the time of the example, here a second."""
    received = proxied.exchange(first, body, **headers)
    assert received.startswith(b"HTTP/1.1 " + (status or b"408 ")) or not (status or received)


def test_slow_clients_cost_the_service_nothing(proxied) -> None:
    """With 200 of them at the proxy, the service has no connection of theirs."""
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            wire = stack.enter_context(socket.create_connection(("127.0.0.1", proxied.port)))
            wire.sendall(f"{POST}\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{{".encode())
        client = stack.enter_context(proxied.client())
        assert {client.get("/pets?limit=1").status_code for _ in range(50)} == {200}
        assert len(psutil.Process(proxied.server.pid).net_connections()) < 30
