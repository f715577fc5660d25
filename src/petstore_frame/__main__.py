"""Runs ``python -m petstore_frame`` and the command ``petstore-frame``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from petstore_frame.cli import main as run

        run()
    except KeyboardInterrupt:  # before a command began, or after it ended
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # ``python -m`` searches the working directory first; its code must not see the API key.
        del sys.path[0]
    main()
