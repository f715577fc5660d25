"""Decodes the values of a journal; ``database.sql_errors`` makes a JournalError of each failure."""

from __future__ import annotations

import json
from typing import Any

from petstore_frame.loader.row_state import State


class DamagedValueError(ValueError):
    """A journal has a value that no import writes."""


def stored_json(text: str | bytes) -> Any:
    """Return a value that is stored as JSON."""
    try:
        return json.loads(text)
    except (TypeError, ValueError) as problem:
        raise DamagedValueError(f"a value is not JSON: {problem}") from None


def stored_state(text: str) -> State:
    """Return a state that is stored as text."""
    try:
        return State(text)
    except ValueError as problem:
        raise DamagedValueError(str(problem)) from None
