"""Plain httpx, never our client, to talk to the service; and how to wait for it."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx

# Made once, as reading the certificates takes longer than a test.
NO_TLS = ssl.create_default_context()


def talk_to(server: Any, *, key: bool = True, **options: Any) -> httpx.Client:
    """Return plain httpx with the server's address, and with its key unless it is a stranger's."""
    headers = {"Authorization": f"Bearer {server.api_key.get_secret_value()}"} if key else {}
    # Many threads share it, and httpx may close an idle connection while another one takes it.
    limits = httpx.Limits(max_keepalive_connections=0)
    settings = {"base_url": server.base_url, "timeout": 60} | options
    return httpx.Client(headers=headers, verify=NO_TLS, limits=limits, **settings)


def exchange(port: int, sent: bytes) -> bytes:
    """Send raw bytes to this machine, and return all that comes until the connection ends."""
    received = b""
    address = ("127.0.0.1", port)
    with socket.create_connection(address, timeout=15) as wire, suppress(OSError):
        wire.sendall(sent)
        while part := wire.recv(65536):
            received += part
    return received


def connects(port: int | None) -> bool:
    """Tell whether something listens on a port of this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def names_of(client: httpx.Client) -> dict[str, list[int]]:
    """Return the ids of each name in the whole list."""
    found: dict[str, list[int]] = {}
    answer = client.get("/pets?limit=100")
    while True:
        for pet in answer.json():
            found.setdefault(pet["name"], []).append(pet["id"])
        if "next" not in answer.links:
            return found
        answer = client.get(answer.links["next"]["url"])


def wait_until(is_so: Callable[[], Any], within_s: float = 60) -> bool:
    """Ask until it is so, or for so long."""
    deadline = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
