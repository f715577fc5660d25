"""A weekly run in a process of its own that dies right after a step."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import petstore_frame as pf
from petstore_frame.weekly import weekly_steps

OWNERS: dict[str, Any] = {
    "load": weekly_steps,
    "add": pf.History,
    "write_report": weekly_steps,
    "rename": Path,
}


def run_and_die(settings: Path, base_url: str, api_key: str, step: str) -> None:
    """Run with these settings until a step is done, then die by SIGKILL."""
    work: Callable[..., object] = getattr(OWNERS[step], step)

    def work_and_die(*args: Any, **options: Any) -> None:
        work(*args, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(OWNERS[step], step, work_and_die)
    with pf.Client(base_url, api_key) as client:
        pf.weekly.run(settings, client=client)
