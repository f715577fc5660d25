"""Entry of the service as a process: options in by stdin, one JSON line out by stdout.

Stdin carries one JSON object with the names of ``Options``. A key passed this way appears in no
process list. What cannot be done ends with exit code 2 and a line on stderr.
"""

from __future__ import annotations

import sys

from pydantic import ValidationError

from petstore_frame.service import StartError
from petstore_frame.service.options import Options, explain
from petstore_frame.service.run import run


def main() -> None:
    try:
        run(Options.model_validate_json(sys.stdin.readline()))
    except (ValidationError, StartError) as problem:
        reason = explain(problem) if isinstance(problem, ValidationError) else problem
        sys.stderr.write(f"error: {reason}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
