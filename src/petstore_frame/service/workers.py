"""Several processes behind one address.

In: ``Options`` with more than one worker. Out: that many child processes on one listening socket,
kept at their number until SIGTERM. It serves nothing itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict
from typing import Any, TextIO

from petstore_frame.service.logs import set_log_level, write_log
from petstore_frame.service.options import Options
from petstore_frame.service.rules import DRAIN_S
from petstore_frame.service.run import announce_ready, listen, own_address, prepare
from petstore_frame.service.tables import open_store

_RESTART_PAUSE_S = 1.0


def run_workers(
    options: Options,
    *,
    announce: TextIO = sys.stdout,
    on_start: Callable[[Callable[[], None]], None] | None = None,
    environ: Mapping[str, str] | None = None,
) -> None:
    """Serve with several processes until SIGTERM or SIGINT; the arguments are those of ``run``.

    The database is prepared once, here, so that the workers find tables, sample and key. They get
    the environment ``environ``, or that of this process.
    """
    set_log_level(options.log_level)
    ended = threading.Event()
    if on_start is not None:
        on_start(ended.set)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with closing(listen(options)) as listener, ExitStack() as resources:
        _prepare_once(options)
        os.set_inheritable(listener.fileno(), True)
        settings = {**asdict(options), "workers": 1, "sample": 0, "listen_fd": listener.fileno()}
        workers: list[subprocess.Popen[str]] = []
        resources.callback(_end, workers)
        for _ in range(options.workers):
            workers.append(_start(settings, environ))
        for worker in workers:
            _wait_until_ready(worker)
        announce_ready(announce, own_address(listener))
        while not ended.wait(_RESTART_PAUSE_S):
            for place, worker in enumerate(workers):
                if worker.poll() is not None:
                    write_log("error", "worker ended", pid=worker.pid, code=worker.returncode)
                    _let_go(worker)
                    workers[place] = _start(settings, environ)


def _prepare_once(options: Options) -> None:
    engine = open_store(options.database or "")
    try:
        prepare(engine, options)
    finally:
        engine.dispose()


def _start(settings: dict[str, Any], environ: Mapping[str, str] | None) -> subprocess.Popen[str]:
    worker = subprocess.Popen(
        [sys.executable, "-P", "-m", "petstore_frame.service"],  # not what lies in this folder
        env=None if environ is None else dict(environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[settings["listen_fd"]],
        start_new_session=True,  # Ctrl-C reaches the parent, which lets the workers drain
    )
    if worker.stdin is not None:
        worker.stdin.write(json.dumps(settings) + "\n")
        worker.stdin.flush()
    return worker


def _wait_until_ready(worker: subprocess.Popen[str]) -> None:
    if worker.stdout is None or not worker.stdout.readline():
        raise SystemExit("a worker did not start; its log is above")


def _end(workers: list[subprocess.Popen[str]]) -> None:
    """Close the lifelines, and wait while the workers drain."""
    for worker in workers:
        _let_go(worker)
    for worker in workers:
        try:
            worker.wait(DRAIN_S + 1)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()


def _let_go(worker: subprocess.Popen[str]) -> None:
    """Close both pipes; a worker ends when its input does."""
    for pipe in (worker.stdin, worker.stdout):
        if pipe is not None:
            pipe.close()
