"""Loads a file in a process of its own, which a test may kill at a named step.

As a program, its argument is a JSON object with the options of ``load``.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from itertools import count
from typing import Any

from petstore_frame.client import Client
from petstore_frame.errors import LoadStoppedError
from petstore_frame.loader import view_of
from petstore_frame.loader.loading import run_import
from petstore_frame.loader.source import Recipe
from petstore_frame.transport import IdempotencyKey


def load(options: dict[str, Any]) -> dict[str, Any]:
    """Load a file, and return the counts of states and how the load ended.

    Args:
        options: file, base_url, api_key, journal, and perhaps step, nth, timeout, lifetime_s,
            workers, duplicates, as_new, key, file_limit (bytes).
    """
    times = count(1)

    def die_at(step: str) -> None:
        if step == options.get("step") and next(times) == options.get("nth", 1):
            os.kill(os.getpid(), signal.SIGKILL)

    if "file_limit" in options:
        limit = options["file_limit"]
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    lifetime_s = options.get("lifetime_s")
    client = Client(
        options["base_url"],
        options["api_key"],
        timeout=options.get("timeout", 10.0),
        idempotency=IdempotencyKey(lifetime_s) if lifetime_s else None,
    )
    try:
        result = run_import(
            options["file"],
            client,
            Recipe(key=options.get("key", ())),
            step=die_at,
            workers=options.get("workers", 8),
            journal=options["journal"],
            progress=False,
            duplicates=options.get("duplicates"),
            as_new=options.get("as_new", False),
        )
    except LoadStoppedError as stopped:
        result = stopped.result
    view = view_of(result)
    return {"states": view.summary["states"], "ending": str(view.facts.run.ending)}


if __name__ == "__main__":
    load(json.loads(sys.argv[1]))
