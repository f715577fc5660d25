"""Finds the rows of earlier files with the same columns that were not sent."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from petstore_frame.loader.journal.row_counts import count_states
from petstore_frame.loader.journal.rows import FILE_PATH, Import, read_imports
from petstore_frame.loader.next_steps import file_call, load_call
from petstore_frame.loader.row_state import Ending, State
from petstore_frame.questions import Call, Step
from petstore_frame.schema import count_text

_EARLIER = "import < ? AND header = ? AND NOT copy AND ending IS NOT 'done'"
_SAME_PLACE = "import > ? AND place = ? AND NOT copy"


class UnsentFile(NamedTuple):
    """An earlier file that has rows to send."""

    run: Import
    rows: int
    is_same_file: bool  # whether the path is that of the later file
    is_overwritten: bool  # whether a later load has read this path with other rows

    @property
    def name(self) -> str:
        return "an earlier version of this file" if self.is_same_file else self.run.source

    @property
    def is_trial(self) -> bool:
        """Whether ``max_rows`` ended its load, and loading its path can continue it."""
        return self.run.ending is Ending.MAX_ROWS and not self.is_overwritten

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        return {"source": self.run.source, "place": self.run.place, "rows": self.rows}


def read_unsent(sql: sqlite3.Connection, run: Import) -> list[UnsentFile]:
    """Return the files that a later file may replace although they have rows to send."""
    if run.copy or "left_unsent" not in run.facts:
        return []
    files = []
    for earlier in read_imports(sql, _EARLIER, [run.number, json.dumps(run.header)]):
        rows = count_states(sql, earlier.number)[State.PENDING]
        is_same_file = run.place is not None and run.place == earlier.place
        is_overwritten = bool(read_imports(sql, _SAME_PLACE, [earlier.number, earlier.place]))
        files.append(UnsentFile(earlier, rows, is_same_file, is_overwritten))
    return [file for file in files if file.rows]


def unsent_text(files: Sequence[UnsentFile]) -> str:
    """Return which rows of which files were not sent, as a sentence."""
    parts = [f"{file.rows:,} of {file.name}" for file in files]
    return f"Rows of earlier files with the same columns that were not sent: {', '.join(parts)}"


def unsent_steps(files: Sequence[UnsentFile], folder: str | None) -> Iterator[Step]:
    """Yield how to send the rows of these files, and how to drop them.

    ``folder`` is the folder of the journal; None is the user's state folder.
    """
    for file in files:
        if file.is_trial:
            yield trial_step(file.run, file.rows, folder)
    if files:
        names = ", ".join(dict.fromkeys(file.name for file in files))
        are_sent_by_file = all(file.is_trial for file in files)
        text = f"rows of {names} were not sent: send them or drop them, which this call asks first"
        if are_sent_by_file:
            text = f"if this file replaces {names}, drop those rows; this call asks first"
        yield Step(text, calls=(load_call(None, folder, files[0].run.base_url),))


def trial_step(run: Import, rows: int, folder: str | None) -> Step:
    """Return how to send the remaining rows of a file that ``max_rows`` has limited."""
    unsent = f"{count_text(rows, 'row')} of {run.source} still to send, after a trial"
    call = _call_without_limit(run, folder)
    if call is None:
        text = f"{unsent}: load it again in the same way, without "
        return Step(f"{text}max_rows", shell_text=f"{text}--max-rows")
    text = f"{unsent}: load it without "
    return Step(f"{text}max_rows", calls=(call,), shell_text=f"{text}--max-rows")


def _call_without_limit(run: Import, folder: str | None) -> Call | None:
    """Return the call that continues a file; None if the journal cannot tell it."""
    path = run.facts.get(FILE_PATH)
    if path is None or run.recipe is None or run.copy > 1:
        return None
    options = run.recipe | ({"as_new": True} if run.copy else {})
    return file_call(path, folder, run.base_url, options)
