"""What holds of every command alike, so that whoever knows one knows the others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import petstore_frame as pf
from journey.shell import typed
from petstore_frame import errors
from petstore_frame.cli import app
from petstore_frame.cli.commands import EXIT_CODES, exit_code


def commands(group: Any = None, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command and subcommand with its words."""
    for name, command in (group or get_command(app)).commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name} ")
        else:
            yield before + name, command


COMMANDS = dict(commands())
READERS = {"fetch": "pets.csv", "report": "stock.html", "snapshot": "history"}


def options(command: Any) -> dict[str, Any]:
    return {option.opts[0]: option for option in command.params if option.opts[0][:2] == "--"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example_and_the_numbers(name: str) -> None:
    """Each shows a line to type and its exit codes, whole sentences, and no type of a switch."""
    shown = typed(f"petstore-frame {name} --help", COLUMNS="400").stdout
    assert f"Example: petstore-frame {name}" in shown
    assert re.search(r"Exit codes:\s+0  done\s", shown)  # older versions of Typer join the lines
    prose = [line.strip() for line in shown.partition("╭")[0].splitlines()[2:] if line.strip()]
    assert all(line.endswith(".") or line.startswith(("Usage", "Example")) for line in prose), prose
    groups = [typed(f"petstore-frame {group} --help").stdout for group in ("", "keys")]
    assert not any("<bool>" in each for each in (shown, *groups))


def test_whoever_asks_a_store_is_told_which() -> None:
    """Address, key and patience go together, on every command that asks a store."""
    asking = {name for name, command in COMMANDS.items() if "--base-url" in options(command)}
    assert asking == {"load", "compare", "fetch", "report", "snapshot", "dashboard"}
    assert all({"--api-key", "--timeout"} <= set(options(COMMANDS[name])) for name in asking)


def test_a_file_to_write_has_one_short_name() -> None:
    """-o is --output on every command that writes a file or a folder."""
    found = [options(command).get("--output") for command in COMMANDS.values()]
    writing = [option for option in found if option is not None]
    assert len(writing) == 6 and all("-o" in option.opts for option in writing)


def test_one_option_one_wording() -> None:
    """An option that several commands share says the same on each."""
    words: dict[str, set[str]] = {}
    for command in COMMANDS.values():
        for name, option in options(command).items():
            words.setdefault(name, set()).add(option.help)
    # These name what differs: the file, the folder or the pets of that very command.
    own = {"--output", "--history", "--sample", "--seed", "--port", "--rows", "--workers"}
    own |= {"--categories", "--dry-run"}
    assert {name for name, said in words.items() if len(said) > 1} <= own


def test_json_is_for_every_script() -> None:
    """All but the demo, a draft of TOML, and serve which speaks nothing else, have --json."""
    without = {name for name, made in COMMANDS.items() if "--json" not in options(made)}
    assert without == {"demo", "recipe", "serve"}


@pytest.mark.usefixtures("sample_here")
@pytest.mark.parametrize(("name", "output"), READERS.items(), ids=READERS)
def test_a_listing_is_told_with_the_same_keys(name: str, output: str) -> None:
    """What was written, how many, from where, when, and what it covers."""
    place = "--history" if name == "snapshot" else "--output"
    ended = typed(f"petstore-frame {name} {place} {output} --json")
    told = json.loads(ended.stdout)
    assert len(ended.stdout.splitlines()) == 1
    assert {"output", "rows", "base_url", "fetched_at", "completeness", "exit_code"} <= set(told)
    assert (told["rows"], told["exit_code"], ended.exit_code) == (250, 0, 0)
    assert Path(told["output"]).is_file()


def error_classes(kind: type[Exception] = errors.PetstoreError) -> Iterator[type[Exception]]:
    yield kind
    for sub in kind.__subclasses__():
        yield from error_classes(sub)


@pytest.mark.parametrize("kind", [*error_classes(), OSError], ids=lambda kind: kind.__name__)
def test_every_error_has_its_number(kind: type[Exception]) -> None:
    """The store's faults are 5, a lock 7, the journal and the disk 6, and all else was refused."""
    stores = (
        pf.APIStatusError, pf.APIConnectionError, pf.ContractError, errors.CrossOriginError,
        pf.IncompleteInventoryError,
    )  # fmt: skip
    code = exit_code(kind.__new__(kind))
    assert code in EXIT_CODES
    assert (code == 5) == issubclass(kind, stores)
    assert (code == 7) == kind.__name__.endswith("LockedError")
    assert (code == 6) == (issubclass(kind, (errors.JournalError, OSError)) and code != 7)
