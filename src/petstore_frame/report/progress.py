"""How far a report is, for a person who waits longer than two seconds.

In: numbers of pets as they are written. Out: a bar, or calls of the caller's own function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from petstore_frame.inventory.progress import Progress
from petstore_frame.progress import is_watched, show_bar

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
    bar = None
    if progress is True or (progress is None and is_watched()):
        bar = show_bar("Pets written", total=total, leave=False, delay=PATIENCE_S)
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
