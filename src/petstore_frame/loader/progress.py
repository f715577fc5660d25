"""How far an import is, shown to whoever waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from petstore_frame._internal.progress import open_progress
from petstore_frame.loader.record import Record, State

ProgressOption = bool | Callable[[Mapping[State, int]], None] | None
_UNSETTLED, _TOLD = (State.PENDING, State.IN_FLIGHT), (State.REJECTED, State.UNKNOWN)


class Meter:
    """Shows counts as they change.

    Args:
        progress: True shows a bar, False nothing, None a bar where a person can see it; or a
            function that is called with the number of records in each state.
        total: How many records are to be sent; for 0 no bar is shown.
    """

    def __init__(self, progress: ProgressOption, total: int) -> None:
        self._total = total
        has_bar = bool(total) or callable(progress)
        self._display = open_progress(
            progress if has_bar else False, "Loading", total, dynamic_ncols=True
        )

    def __call__(self, counts: Counter[State]) -> None:
        done = self._total - sum(counts[state] for state in _UNSETTLED)
        told = {str(state): counts[state] for state in _TOLD if counts[state]}
        self._display.show(dict(counts), done, **told)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._display.close()


def counted(
    batches: Iterable[Sequence[Record]], tell: Callable[[int], None]
) -> Iterator[Sequence[Record]]:
    """Yield batches, and tell how many records came so far."""
    records = 0
    for batch in batches:
        records += len(batch)
        tell(records)
        yield batch
