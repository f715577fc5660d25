"""What became of the records that an import left to other imports.

In: a journal. Out: how many of its skipped records are in doubt, not sent, or to fix, in the
journals that answer for them. It changes nothing.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.journal import Run, opened
from petstore_frame.loader.journal.kin import IN_DOUBT, NO_ANIMAL, NOT_SENT, Runs, count_elsewhere
from petstore_frame.loader.journal.runs import find_runs


class Elsewhere(NamedTuple):
    """Records of other imports of this file that are not surely in the store.

    Attributes:
        in_doubt: An earlier import does not know whether they are; they are skipped here, or no
            longer in the file.
        not_sent: A later import of an edited file took them over, and has not sent them.
        to_fix: The same, and the store refused them.
    """

    in_doubt: int = 0
    not_sent: int = 0
    to_fix: int = 0


def count_unsettled(path: Path, run: Run) -> Elsewhere:
    """Count the records of a run for which other imports answer; unreadable ones are in doubt."""
    found = Counter[int]()
    for (_, rank), count in _count(path, run).items():
        found[rank] += count
    return Elsewhere(found[IN_DOUBT], found[NOT_SENT], found[NO_ANIMAL])


def journals_in_doubt(path: Path, run: Run) -> list[Path]:
    """Return the journals that hold this run's skipped records in doubt, the oldest first."""
    run_ids = {run_id for run_id, rank in _count(path, run) if rank == IN_DOUBT}
    return [other for other, found in _others(path, run) if found.run_id in run_ids]


def _count(path: Path, run: Run) -> Counter[tuple[str, int]]:
    with opened(path) as sql:
        return count_elsewhere(sql, run, _others(path, run))


def _others(path: Path, run: Run) -> Runs:
    try:
        return find_runs(path.parent, run.base_url, run.store_id)
    except JournalError:
        return ()
