"""Reads and writes ``runs.jsonl``, the log that has one line per weekly run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.storage import write_atomically

RUNS = "runs.jsonl"
RunFacts = dict[str, Any]


def read_runs(folder: Path) -> list[RunFacts]:
    """Return what the log says about each run, the first one first.

    Raises:
        InputError: A line is damaged; the error has its number.
    """
    path = folder / RUNS
    if not path.exists():
        return []
    runs = []
    lines = path.read_bytes().splitlines()
    for number, line in enumerate(lines, 1):
        try:
            facts = json.loads(line)
        except ValueError:
            facts = None
        if not isinstance(facts, dict) or not {"day", "outcome"} <= facts.keys():
            raise InputError(
                "this is not the JSON of a run", path=str(path), line=number, hint="remove the line"
            )
        runs.append(facts)
    return runs


def write_runs(folder: Path, runs: Sequence[RunFacts]) -> None:
    """Replace the log by these runs."""
    with write_atomically(folder / RUNS) as draft:
        lines = [json.dumps(facts) + "\n" for facts in runs]
        draft.write_text("".join(lines), encoding="utf-8")


def is_complete(facts: RunFacts) -> bool:
    """Return whether a run wrote its folder from a complete listing."""
    return bool(facts.get("folder") and facts.get("is_complete"))
