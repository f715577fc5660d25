"""Which of several rows of one key stands, where no journal decides it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from petstore_frame.loader.record import Record, RecordProblem, State


class _Standing(NamedTuple):
    number: int
    rank: str
    fingerprint: bytes | None
    payload: bytes | None
    is_tied: bool = False


def standing(
    first: Iterable[Record], again: Iterable[Record], keep: str | None
) -> Iterator[Record]:
    """Yield the records of a source, those of a key that another row stands for as skipped.

    Rows that are equal in all that is sent are one animal. ``keep`` says which of others stands:
    ``first``, ``last``, or by ``Record.rank``. After that counts which rows are left out.

    Args:
        first, again: The same records, twice.
        keep: As of ``Options``.
    """
    found: dict[str, _Standing] = {}
    for record in first:
        if record.key is not None:
            found[record.key] = _better(found.get(record.key), record, keep)
    for record in again:
        known = None if record.key is None else found[record.key]
        if known is None:
            yield _left_out(record)
        elif known.is_tied and record.state is not State.SKIPPED:
            hint = "say which row of a key stands, by keep="
            what = "rows of one key differ, and none is the newest"
            problem = RecordProblem("key_repeated", what, hint=hint, option=("keep", None))
            yield record._replace(state=State.INVALID, payload=None, problem=problem)
        elif known.number == record.number:
            yield _left_out(record)
        else:
            yield record._replace(state=State.SKIPPED, payload=None, problem=None)


def _better(known: _Standing | None, record: Record, keep: str | None) -> _Standing:
    mine = _Standing(record.number, record.rank or "", record.fingerprint, record.payload)
    if known is None or keep == "last":
        return mine
    if keep == "first" or (mine.payload == known.payload and mine.payload is not None and not keep):
        return known
    if keep is None:
        return known._replace(is_tied=True)
    if mine.rank == known.rank:
        return known if mine.payload == known.payload else known._replace(is_tied=True)
    return mine if mine.rank > known.rank else known


def _left_out(record: Record) -> Record:
    if not record.left_out:
        return record
    return record._replace(state=State.SKIPPED, payload=None, problem=None)
