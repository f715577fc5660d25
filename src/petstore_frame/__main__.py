"""``python -m petstore_frame`` and the command ``petstore-frame``."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from petstore_frame.cli import main as run

    run()


if __name__ == "__main__":
    main()
