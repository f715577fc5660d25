"""A Client whose waits a test replaces."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import petstore_frame as pf
from petstore_frame.transport import Clocks


def timed_client(
    base_url: str,
    api_key: str,
    *,
    sleep: Callable[[float], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
    **options: Any,
) -> pf.Client:
    """Return a Client that waits by ``sleep``, or not at all, and reads time from ``clock``."""
    kind = type("TimedClient", (pf.Client,), {"_clocks": Clocks(sleep, clock)})
    client: pf.Client = kind(base_url, api_key, **options)
    return client
