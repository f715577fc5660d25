"""Ports for programs that cannot pick one themselves."""

from __future__ import annotations

import random
import socket
from contextlib import suppress

# Below those that a system hands out to outgoing connections, which could take it meanwhile.
UNASSIGNED = range(15_000, 32_000)


def free_port() -> int:
    """Return a port of loopback on which nothing listens."""
    while True:
        port = random.choice(UNASSIGNED)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
