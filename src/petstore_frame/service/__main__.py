"""Entry of the service as a child process: options in by stdin, one JSON line out by stdout.

Stdin carries one JSON object with the names of ``Options`` and then stays open: when it closes,
the parent is gone. A key passed this way appears in no process list.
"""

from __future__ import annotations

import json
import sys

from petstore_frame.service.lifeline import end_with_parent
from petstore_frame.service.options import Options, StartError
from petstore_frame.service.run import run
from petstore_frame.service.workers import run_workers


def main() -> None:
    try:
        options = Options.from_mapping(json.loads(sys.stdin.readline()))
        serve = run_workers if options.workers > 1 else run
        serve(options, on_start=lambda end: end_with_parent(end, sys.stdin))
    except (StartError, ValueError, TypeError) as problem:
        raise SystemExit(str(problem)) from None


if __name__ == "__main__":
    main()
