"""What a rehearsal found, kept apart from the journal, which has no trace of it."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from weakref import finalize

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.question import Question
from petstore_frame.loader.journal.rows import JournalRow, read_rows
from petstore_frame.loader.record import State
from petstore_frame.loader.results.facts import read_facts
from petstore_frame.loader.results.ids import read_import_ids

_IN_MEMORY = 16 * 1024 * 1024  # bytes


class Rehearsal:
    """What a rehearsal found, kept while its journal is put back as it was.

    Args:
        sql: The journal, as it would be; nothing of it is on disk.
        import_id: The import.
        question: What would be asked first, or None.
    """

    def __init__(
        self, sql: sqlite3.Connection, import_id: str, question: Question | None = None
    ) -> None:
        facts = read_facts(sql, import_id)
        if facts is None:
            raise JournalError(f"the journal does not know the import {import_id}")
        self.facts, self.question = facts, question
        self.ids = read_import_ids(sql, import_id)
        # A file of many rows is not held in memory.
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 # it lives as long as this
        finalize(self, self._file.close)
        self._count = 0
        for row in read_rows(sql, import_id):
            pickle.dump(row, self._file, pickle.HIGHEST_PROTOCOL)
            self._count += 1

    def rows(self, *states: State) -> Iterator[JournalRow]:
        """Yield the rows in these states, or all."""
        place = 0
        for _ in range(self._count):
            self._file.seek(place)
            row = pickle.load(self._file)  # noqa: S301 # our own, unnamed
            place = self._file.tell()
            if not states or row.state in states:
                yield row
