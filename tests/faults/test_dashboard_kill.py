"""``petstore-frame dashboard`` when it is killed: no page, no kernel and no store live on."""

from __future__ import annotations

import os
import urllib.request
from importlib.util import find_spec

import psutil
import pytest

from journey.shell import example, started
from plain_http import wait_until

# Not importorskip: importing Voila takes seconds, and each worker collects this file.
pytestmark = pytest.mark.skipif(find_spec("voila") is None, reason="needs the extra lab")


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is a POSIX signal")
def test_sigkill_leaves_no_process_behind() -> None:
    """Killed with a page open, its Voila, kernels and bundled store end by themselves."""
    with started(example("dashboard"), "--no-browser") as (shown, address):
        with urllib.request.urlopen(address.strip(), timeout=60):
            assert wait_until(lambda: has_kernel(shown.pid))
            family = psutil.Process(shown.pid).children(recursive=True)
        shown.kill()
        shown.wait(60)
    _, alive = psutil.wait_procs(family, timeout=60)
    assert len(family) >= 2  # Voila runs in the command itself
    assert alive == []


def has_kernel(pid: int) -> bool:
    """Whether a kernel runs below a process."""
    family = psutil.Process(pid).children(recursive=True)
    return any("ipykernel" in " ".join(process.cmdline()) for process in family)
