"""One import in a journal, as the parts that show a result read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.duplicate_question import Question
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.rows import Import, JournalRow
from petstore_frame.loader.load_options import GRACE_S
from petstore_frame.loader.next_steps import Reader
from petstore_frame.loader.reconcile import Reconciliation, reconcile
from petstore_frame.loader.results.import_facts import ImportSummary, read_summary
from petstore_frame.loader.results.result_text import result_html, result_text
from petstore_frame.loader.row_state import State
from petstore_frame.loader.sending.pool import wait_announced
from petstore_frame.loader.sending.session import PostingClient, ignore
from petstore_frame.rendering import Markup
from petstore_frame.validation import checked_client


@dataclass
class ImportView:
    """Where an import is and what the journal has of it now; a LoadResult shows one.

    Attributes:
        path: The journal.
        import_id: 32 hex digits, the same for the same rows on every computer.
        sent_now: Whether this call sent anything; else the view describes earlier ones.
        copy: The copy of the journal that a rehearsal worked in, so the journal has no trace of
            it; None for an import that was sent.
        question: What the same call without ``dry_run`` would ask; None where it would send.
        fix_file: The file of rows to fix that this import read, or None.
        folder: Where ``write`` has put the files, or None.
    """

    path: Path
    import_id: str
    sent_now: bool = True
    copy: Path | None = None
    question: Question | None = None
    fix_file: str | None = None
    folder: Path | None = None

    @property
    def is_rehearsal(self) -> bool:
        """Whether this was a dry run: nothing was sent."""
        return self.copy is not None

    @property
    def source(self) -> Path:
        """The database that has the rows: the journal, or a rehearsal's copy of it."""
        return self.copy or self.path

    @property
    def run(self) -> Import:
        """What the journal has of the import apart from its rows."""
        return journal.read_import(self.source, self.import_id)

    @property
    def facts(self) -> ImportSummary:
        """The facts of the import now."""
        return read_summary(
            self.source,
            self.import_id,
            sent_now=self.sent_now,
            is_rehearsal=self.is_rehearsal,
            question=self.question,
            folder=self.folder,
            journal=self.path,
            fix_file=self.fix_file,
        )

    @property
    def summary(self) -> dict[str, Any]:
        """The facts of the import and its counts, ready for JSON; times are ISO 8601 in UTC."""
        return self.facts.as_dict()

    def rows(self, *states: State) -> Iterator[JournalRow]:
        """Yield the rows in some states, or all, in constant memory."""
        return journal.rows(self.source, self.import_id, *states)

    def text(self, reader: Reader = "python") -> str:
        """Return what became of the rows and what to do next, as its reader types it."""
        return result_text(self.facts, reader)

    def html(self) -> Markup:
        """Return what became of the rows as markup, for a page that shows its own steps."""
        return result_html(self.facts, has_steps=False)

    def reconcile(
        self,
        client: PostingClient,
        *,
        grace_s: float = GRACE_S,
        sleep: Callable[[float], None] = wait_announced,
        watch: Callable[[], object] = ignore,
    ) -> Reconciliation:
        """Settle unconfirmed rows as ``LoadResult.reconcile`` does.

        Args:
            client: A client of the store that the import went to.
            grace_s: Seconds to wait since the last unconfirmed request, 0 or more.
            sleep: Waits for the remaining seconds.
            watch: Called after each page of the store; an exception ends the reading.
        """
        checked_client(client, "ask_page")
        if not 0 <= grace_s < inf:
            raise ArgumentError(
                f"grace_s= is a number of seconds, 0 or more, got {grace_s!r}; nothing was sent"
            )
        return reconcile(self.path, self.import_id, client, grace_s, sleep=sleep, watch=watch)
