"""Starts Python in a process that has this package, and no module of the working directory.

``python -m`` looks in the working directory first; an ``h11.py`` beside a notebook would then run
in a process that has the API key. The service shares no code with the package, so settings and
keys reach it by stdin: no process list shows them.
"""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from petstore_frame.errors import MissingExtraError, ServiceStartError

_HOME = Path(__file__).parents[2]


def module_command(module: str) -> list[str]:
    """Return the command that runs a module without the working directory on its path."""
    return [sys.executable, "-P", "-m", module]


def child_environ(
    installed: tuple[str, ...] = (*site.getsitepackages(), site.getusersitepackages()),
) -> dict[str, str]:
    """Return this process's environment, with which a child finds the package that runs here.

    Args:
        installed: Folders where a child looks anyway; ``PYTHONPATH`` names a package elsewhere,
            such as a checkout.
    """
    environ = dict(os.environ)
    if _HOME not in map(Path, installed):
        before = environ.get("PYTHONPATH")
        environ["PYTHONPATH"] = f"{_HOME}{os.pathsep}{before}" if before else str(_HOME)
    return environ


def require_service(database: str | None = None) -> None:
    """Refuse to go on where a library of the service is missing.

    Raises:
        MissingExtraError: FastAPI, uvicorn or SQLAlchemy is not installed, or the driver of
            PostgreSQL where the database is one.
    """
    if not all(find_spec(library) for library in ("fastapi", "uvicorn", "sqlalchemy")):
        raise MissingExtraError("the bundled service", "service")
    if (database or "").startswith("postgresql") and not find_spec("psycopg"):
        raise MissingExtraError("the bundled service on PostgreSQL", "postgres")


def become_service(settings: Mapping[str, Any]) -> NoReturn:
    """Run the service in place of this program: signals, process id and exit code are its own."""
    command = module_command("petstore_frame.service")
    line = json.dumps(settings, default=str) + "\n"
    if os.name == "nt":  # exec would give back the prompt at once
        done = subprocess.run(  # noqa: S603 # our own command
            command, input=line, env=child_environ(), text=True, check=False
        )
        sys.exit(done.returncode)
    out, into = os.pipe()
    os.write(into, line.encode())
    os.close(into)
    os.dup2(out, 0)
    os.execve(command[0], command, child_environ())  # noqa: S606 # our own command


def ask_keys(database: str, **words: str) -> dict[str, Any]:
    """Return what the key book of a store's database answers: with no words, what is in it.

    Raises:
        ServiceStartError: The database cannot be opened.
    """
    require_service(database)
    done = subprocess.run(  # noqa: S603 # our own command
        module_command("petstore_frame.service.keys"),
        input=json.dumps({"database": database, **words}),
        env=child_environ(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise ServiceStartError(done.stderr.strip())
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
