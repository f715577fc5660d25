"""Lines as a user types them: run in this process, or started as a program of their own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import typer
from typer.testing import CliRunner, Result

from forked import Child
from petstore_frame.cli import main

# Typer makes all commands anew for each line, which takes longer than most of them.
typer.main.get_command = cache(typer.main.get_command)
program = typer.Typer()


@program.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def pass_on(context: typer.Context) -> None:
    """Give all words to the program, whose end the runner then shows."""
    main(context.args)


def typed(line: str, *more: str, **environ: str) -> Result:
    """Run a line that begins with the program's name, with further words behind it."""
    first, *words = shlex.split(line)
    assert first == "petstore-frame"
    return CliRunner().invoke(program, [*words, *more], env=environ)


def typed_in(folder: Path, line: str, *more: str) -> tuple[int, str, str]:
    """Run a line in a folder, in a child process; return exit code, stdout and stderr."""
    return Child(_typed_in, folder, line, *more).result()


def _typed_in(folder: Path, line: str, *more: str) -> tuple[int, str, str]:
    os.chdir(folder)
    ended = typed(line, *more)
    return ended.exit_code, ended.stdout, ended.stderr


@contextmanager
def started(line: str, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a line; yields the program and its first line, and ends it by SIGTERM."""
    words = [sys.executable, "-m", "petstore_frame", *shlex.split(line)[1:], *more]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        yield running, running.stdout.readline()
        running.terminate()


def example(command: str) -> str:
    """Return the line that the help of a command shows."""
    shown = typed(f"petstore-frame {command} --help").stdout
    example = re.search(r"Example: (petstore-frame .+?)\n\n", shown, re.DOTALL)
    assert example is not None, shown
    return " ".join(example[1].split())


# A call, the module, and an argument of a call.
_PYTHON_WORDS = re.compile(r"\b[a-z_]+\.[a-z_]+\(|\bpf\.|(?<![-/\w.'\"])[a-z]+(?:_[a-z]+)*=")
_TO_TYPE = re.compile(r"(?m)^ *petstore-frame .*|--[a-z-]+ (?:'[^']*'|\S+)|such as \S+")


def python_words(text: str) -> list[str]:
    """Return the words of a message that only Python understands, except in commands."""
    return _PYTHON_WORDS.findall(_TO_TYPE.sub("", text))


def print_of(line: str) -> str:
    """Run a command that works, or fails in a way that it explains; return all it prints."""
    ended = typed(f"petstore-frame {line}", COLUMNS="200")
    assert ended.exit_code != 11, ended.output
    return f"{ended.stdout}\n{ended.stderr}"
