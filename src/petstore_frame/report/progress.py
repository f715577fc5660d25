"""How far a report is, shown after two seconds.

In: numbers of pets as they are written. Out: what ``progress.open_progress`` shows of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from petstore_frame._internal.progress import open_progress
from petstore_frame.inventory.progress import Progress

PATIENCE_S = 2.0


@contextmanager
def shown(progress: Progress, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes how many more pets were written.

    Args:
        progress: A function to call with the number so far; True or False for a bar or none;
            None for a bar where a person is watching, after two seconds.
        total: How many pets there are.

    Raises:
        ArgumentError: ``progress`` is something else.
    """
    written = 0
    with open_progress(progress, "Pets written", total, leave=False, delay=PATIENCE_S) as display:

        def advance(pets: int) -> None:
            nonlocal written
            written += pets
            display.tell(written)
            display.move_to(written)

        yield advance
