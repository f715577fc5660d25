"""One import in a process of its own, which a test may kill at a named step.

The key comes from ``PETSTORE_API_KEY``; the argument is one JSON object: file, base_url, journal,
and perhaps step, nth, timeout, lifetime_s, workers, duplicates, file_limit (bytes). Prints the
counts of states as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from itertools import count

from petstore_frame.client import Client
from petstore_frame.errors import LoadStoppedError
from petstore_frame.loader import view_of
from petstore_frame.loader.loading import run_import
from petstore_frame.loader.source import Recipe
from petstore_frame.transport import IdempotencyKey


def main() -> None:
    wish = json.loads(sys.argv[1])
    times = count(1)

    def die_at(step: str) -> None:
        if step == wish.get("step") and next(times) == wish.get("nth", 1):
            os.kill(os.getpid(), signal.SIGKILL)

    if "file_limit" in wish:
        resource.setrlimit(resource.RLIMIT_FSIZE, (wish["file_limit"], wish["file_limit"]))
    lifetime_s = wish.get("lifetime_s")
    client = Client(
        wish["base_url"],
        timeout=wish.get("timeout", 10.0),
        idempotency=IdempotencyKey(lifetime_s) if lifetime_s else None,
    )
    try:
        result = run_import(
            wish["file"],
            client,
            Recipe(key=wish.get("key", ())),
            step=die_at,
            workers=wish.get("workers", 8),
            journal=wish["journal"],
            progress=False,
            duplicates=wish.get("duplicates"),
        )
    except LoadStoppedError as stopped:
        result = stopped.result
    ending = view_of(result).facts.run.ending
    print(json.dumps({"states": view_of(result).summary["states"], "ending": str(ending)}))


if __name__ == "__main__":
    main()
