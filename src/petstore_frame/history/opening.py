"""A history as a caller names it: itself, or its folder.

In: a History, a path or None. Out: a History or None.
"""

from __future__ import annotations

from os import PathLike
from typing import TypeAlias, Union

from petstore_frame.errors import ArgumentError
from petstore_frame.history.history import History

HistoryOption: TypeAlias = Union[History, str, "PathLike[str]", None]


def open_history(history: HistoryOption) -> History | None:
    """Return the History that an option ``history=`` means, None for None.

    Raises:
        ArgumentError: It is something else.
    """
    if history is None or isinstance(history, History):
        return history
    if isinstance(history, (str, PathLike)):
        return History(history)
    raise ArgumentError(f"history is a History or its folder, got {history!r}")
