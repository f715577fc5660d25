"""A bar for whoever waits, and the question whether anybody does.

In: what is counted. Out: a bar of tqdm's, in a notebook or on a terminal. This is the one door to
tqdm; what a number on the bar means, its callers know.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any


def is_watched() -> bool:
    """Tell whether output goes to a person: a terminal, or a notebook that shows it live."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if type(shell).__name__ == "ZMQInteractiveShell":
        return True
    return sys.stderr is not None and sys.stderr.isatty()


def show_bar(words: str, *, total: int | None = None, unit: str = " pets", **look: Any) -> Any:
    """Return a bar that stands at 0.

    Args:
        words: What is counted.
        total: Where it ends, or None where that is not known; none is invented.
        unit: What one step is called.
        look: Further options of ``tqdm.auto.tqdm``.
    """
    with warnings.catch_warnings():
        # Without ipywidgets tqdm draws a plain bar, and need not say so.
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm
    return tqdm(total=total, desc=words, unit=unit, mininterval=0.2, **look)
