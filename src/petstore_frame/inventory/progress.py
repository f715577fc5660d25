"""How far a fetch is, shown to whoever waits.

In: the number of pets held, time and again. Out: a bar in a notebook or on a terminal, a call of
the caller's own function, or nothing. No total is invented: none is shown unless the store stated
one. A failure to show progress never ends a fetch.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

Progress = bool | Callable[[int], None] | None


class Meter:
    """Shows the number of pets held.

    Args:
        progress: A function to call with the number; True or False for a bar or none; None for
            a bar only where a person is watching.
    """

    def __init__(self, progress: Progress) -> None:
        self._call = progress if callable(progress) else None
        self._wants_bar = is_watched() if progress is None else progress is True
        self._bar: Any = None

    def __call__(self, held: int) -> None:
        try:
            self._show(held)
        except Exception as problem:  # noqa: BLE001 # the fetch matters more than its picture
            self._call, self._wants_bar, self._bar = None, False, None
            warnings.warn(f"progress is no longer shown: {problem}", RuntimeWarning, stacklevel=2)

    def _show(self, held: int) -> None:
        if self._call is not None:
            self._call(held)
        if not self._wants_bar:
            return
        if self._bar is None:
            self._bar = _new_bar()
        self._bar.update(held - self._bar.n)

    def close(self) -> None:
        """Take the bar down."""
        if self._bar is not None:
            self._bar.close()


def is_watched() -> bool:
    """Tell whether output goes to a person: a terminal, or a notebook that shows it live."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if type(shell).__name__ == "ZMQInteractiveShell":
        return True
    return sys.stderr is not None and sys.stderr.isatty()


def _new_bar() -> Any:
    with warnings.catch_warnings():
        # Without ipywidgets tqdm draws a plain bar, and need not say so.
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm
    return tqdm(desc="Pets read", unit=" pets", leave=False, mininterval=0.2)
