"""Gives the parts that display a result access to one import in a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import unusual_folder
from petstore_frame.loader.journal.rows import Import, JournalRow
from petstore_frame.loader.load_options import GRACE_S
from petstore_frame.loader.reconcile import Reconciliation, reconcile
from petstore_frame.loader.results.import_facts import ImportSummary, read_summary
from petstore_frame.loader.results.result_text import headline, result_html, result_text
from petstore_frame.loader.row_state import State
from petstore_frame.loader.sending.pool import wait_announced
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.questions import Question, Reader
from petstore_frame.rendering import Markup
from petstore_frame.validation import checked_client


@dataclass
class ImportView:
    """An import in a journal, always with its current state; a LoadResult wraps one.

    Attributes:
        path: Path of the journal.
        import_id: 32 hex digits; the same rows have the same id on every computer.
        sent_now: Whether this call sent anything. If not, the view describes earlier calls.
        copy: The copy of the journal that a dry run used, so that the journal stays unchanged; None
            for other imports.
        question: The question that the call without ``dry_run`` would ask; None if it would send.
        fix_file: Path of the loaded fix file; None for other files.
        folder: Folder of the result files; None if none were written.
        journal_folder: Folder of the journal as the user gave it; None if nobody named it.
        command: The command of this load, as the user typed it in a shell; None in Python.
        max_rows: The maximum number of rows that this call sends; None for no limit.
    """

    path: Path
    import_id: str
    sent_now: bool = True
    copy: Path | None = None
    question: Question | None = None
    fix_file: str | None = None
    folder: Path | None = None
    journal_folder: str | None = None
    command: str | None = None
    max_rows: int | None = None

    @property
    def is_rehearsal(self) -> bool:
        """Whether this was a dry run: nothing was sent."""
        return self.copy is not None

    @property
    def source(self) -> Path:
        """The database with the rows: the journal, or its copy for a dry run."""
        return self.copy or self.path

    @property
    def run(self) -> Import:
        """The import in the journal, without its rows."""
        return journal.read_import(self.source, self.import_id)

    @property
    def facts(self) -> ImportSummary:
        """The current facts of the import."""
        return read_summary(
            self.source,
            self.import_id,
            sent_now=self.sent_now,
            is_rehearsal=self.is_rehearsal,
            question=self.question,
            folder=self.folder,
            journal=self.path,
            journal_folder=self.journal_folder or unusual_folder(self.path),
            fix_file=self.fix_file,
            command=self.command,
            max_rows=self.max_rows,
        )

    @property
    def summary(self) -> dict[str, Any]:
        """The facts of the import and its counts, ready for JSON; times are ISO 8601 in UTC."""
        return self.facts.as_dict()

    def rows(self, *states: State) -> Iterator[JournalRow]:
        """Yield the rows in some states, or all, in constant memory."""
        return journal.rows(self.source, self.import_id, *states)

    def text(self, reader: Reader = "python") -> str:
        """Return the outcome and the next steps as text, with commands for one kind of reader."""
        return result_text(self.facts, reader)

    def headline(self, reader: Reader = "python") -> str:
        """Return the outcome as one sentence, which starts with the name of the file."""
        _, sentence = headline(self.facts, reader)
        return sentence

    def html(self) -> Markup:
        """Return the outcome as markup, for a page that shows its own next steps."""
        return result_html(self.facts, has_steps=False)

    def reconcile(
        self,
        client: PostingClient,
        *,
        grace_s: float = GRACE_S,
        sleep: Callable[[float], None] = wait_announced,
        watch: Callable[[], object] = lambda: None,
    ) -> Reconciliation:
        """Settle unconfirmed rows as ``LoadResult.reconcile`` does.

        Args:
            client: A client of the store that the import went to.
            grace_s: Seconds to wait after the last unconfirmed request, 0 or more.
            sleep: Called with the remaining seconds.
            watch: Called after each page of the store; an exception stops the reading.
        """
        checked_client(client, "ask_page")
        if not 0 <= grace_s < inf:
            raise ArgumentError(
                f"grace_s must be a number of seconds, 0 or more, got {grace_s!r}; nothing was sent"
            )
        return reconcile(self.path, self.import_id, client, grace_s, sleep=sleep, watch=watch)
