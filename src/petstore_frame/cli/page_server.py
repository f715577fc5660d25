"""Entry of the dashboard's page as a child process: Voila, which ends with its parent.

In: Voila's own arguments, and a stdin that stays open as long as the parent lives. Out: Voila. A
parent that was killed could not end it, and a page that still shows a store, with its key, would
run on unseen.
"""

from __future__ import annotations

import os
import signal
import sys
from runpy import run_module

from petstore_frame.service.lifeline import end_with_parent


def main() -> None:
    # Voila ends its kernels on this signal, as it does for Ctrl-C.
    end_with_parent(lambda: os.kill(os.getpid(), signal.SIGTERM), sys.stdin)
    run_module("voila", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
