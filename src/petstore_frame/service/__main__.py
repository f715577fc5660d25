"""Entry of the service as a child process: options in by stdin, one JSON line out by stdout.

Stdin carries one JSON object with the names of ``Options`` and then stays open: it is the line to
the parent's life. A key so passed is in no process list.
"""

from __future__ import annotations

import json
import sys

from petstore_frame.service.options import Options
from petstore_frame.service.run import end_with_parent, run


def main() -> None:
    options = Options.from_mapping(json.loads(sys.stdin.readline()))
    run(options, on_start=lambda server: end_with_parent(server, sys.stdin))


if __name__ == "__main__":
    main()
