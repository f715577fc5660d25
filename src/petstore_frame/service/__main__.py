"""Entry of the service as a child process: options in by stdin, one JSON line out by stdout.

Stdin carries one JSON object with the names of ``Options``. A key passed this way appears in no
process list.
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
    except ValidationError as problem:
        raise SystemExit(explain(problem)) from None
    except StartError as problem:
        raise SystemExit(str(problem)) from None


if __name__ == "__main__":
    main()
