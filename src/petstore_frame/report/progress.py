"""How far a report is, for a person who waits longer than two seconds.

In: numbers of pets as they are written. Out: a bar, or calls of the caller's own function.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from petstore_frame.inventory.progress import is_watched

Progress = bool | Callable[[int], None] | None
PATIENCE_S = 2.0


@contextmanager
def shown(progress: Progress, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function to tell how many more pets were written.

    Args:
        progress: A function to call with the number so far; True or False for a bar or none;
            None for a bar where a person is watching, after two seconds.
        total: How many pets there are.
    """
    tell = progress if callable(progress) else None
    bar = _bar(total) if progress is True or (progress is None and is_watched()) else None
    written = 0

    def advance(pets: int) -> None:
        nonlocal written
        written += pets
        if tell is not None:
            tell(written)
        if bar is not None:
            bar.update(pets)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.close()


def _bar(total: int) -> Any:
    with warnings.catch_warnings():
        # Without ipywidgets tqdm draws a plain bar, and need not say so.
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm
    return tqdm(total=total, desc="Pets written", unit=" pets", leave=False, delay=PATIENCE_S)
