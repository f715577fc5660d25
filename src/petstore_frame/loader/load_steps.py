"""Runs a load in five steps: open the file, stage its rows, read the store, match, send."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from petstore_frame.errors import (
    APIConnectionError,
    ArgumentError,
    AuthenticationError,
    IncompleteInventoryError,
    InputError,
    JournalError,
    NotFoundError,
    PetstoreError,
    QuestionError,
)
from petstore_frame.file_questions import key_question
from petstore_frame.loader.category_names import (
    category_question,
    names_of_store,
    new_category_names,
    raise_question,
    read_category_names,
    remember_category_names,
)
from petstore_frame.loader.common_cause import common_cause
from petstore_frame.loader.corrections import Corrector
from petstore_frame.loader.findings import (
    CreatedBeforeSkip,
    EqualToOtherFiles,
    Finding,
    ForeignFixFile,
    RejectedCorrections,
    RenamedInStore,
    RepeatedBlocks,
    SentAlthoughEqual,
    SkippedEarlier,
    StoreNotReadToEnd,
    pack_findings,
    repeated_blocks,
)
from petstore_frame.loader.journal.candidates import CandidateReader, ListedPets
from petstore_frame.loader.journal.database import NOTHING_SENT, Writer, find_journal, reading
from petstore_frame.loader.journal.file_facts import (
    count_equal_to_others,
    count_keys_of_others,
    lines_of_file,
    renamed_rows,
    repeated_rows,
)
from petstore_frame.loader.journal.header_keys import (
    created_before,
    remember_duplicates,
    remember_key,
    remember_values,
    remembered_key,
    repeats_earlier,
)
from petstore_frame.loader.journal.outcomes import Outcomes
from petstore_frame.loader.journal.plan_writer import PlanWriter
from petstore_frame.loader.journal.row_answers import read_answers
from petstore_frame.loader.journal.row_counts import count_states
from petstore_frame.loader.journal.rows import Import, note_facts, read_cells, read_imports
from petstore_frame.loader.journal.staging import (
    Staged,
    StagedRows,
    exclude_lines,
    find_import,
    remove_staged,
    stage_again,
    stage_rows,
)
from petstore_frame.loader.journal.store_pets import (
    StorePets,
    compare_animals,
    list_pets,
    note_reading,
)
from petstore_frame.loader.load_options import LoadOptions
from petstore_frame.loader.matching.match import match
from petstore_frame.loader.matching.repeated_keys import Keep
from petstore_frame.loader.matching.values import CREATE, SKIP, Candidates, Plan
from petstore_frame.loader.reconcile import ask_store_id, read_store
from petstore_frame.loader.results.import_facts import (
    COMMON_CAUSE,
    FILE_PATH,
    FILE_WARNINGS,
    FINDINGS,
    LIKELY_KEYS,
    MAX_ERRORS,
)
from petstore_frame.loader.row_state import Ending, SourceRow, State
from petstore_frame.loader.sending.pool import REAL_TIME, SessionClocks
from petstore_frame.loader.sending.session import PostingClient, run_session
from petstore_frame.loader.source import (
    LikelyKey,
    Recipe,
    Source,
    open_source,
    read_fix_file,
    stored_source,
)
from petstore_frame.loader.source.input_file import Input
from petstore_frame.loader.source.returned_file import FixFile
from petstore_frame.questions import Question
from petstore_frame.schema import count_text, line_text
from petstore_frame.storage.progress import ProgressBar
from petstore_frame.tables.table import TableRow
from petstore_frame.transport import Interrupts

# Before a load, at most this many pages are read, or one per row to send if that is more.
LEAST_PAGES = 1000
# The reason of a connection error of a store that is there: its response took too long.
_CONNECTED_REASON = "read_timeout"


class Load:
    """One load; each step needs the one before.

    Args:
        source: The file or frame; None to continue an import that is in the journal.
        client: Sends the requests.
        recipe: How the file is read.
        options: The arguments of the load.
        corrections: Cells to correct, by row and column, in addition to those in the journal.
        run: The import to continue without its file.
        on_read: Called with the number of rows of the file and of pets of the store that were read.
            An error that it raises ends the load.
        timing: The clocks of the session.
        step: Called with the name of each step of the session, so that a test can end the process.
    """

    def __init__(
        self,
        source: Any,
        client: PostingClient,
        recipe: Recipe,
        options: LoadOptions,
        *,
        corrections: Mapping[tuple[int, str], str] | None = None,
        run: Import | None = None,
        on_read: Callable[[int, int], None] | None = None,
        timing: SessionClocks = REAL_TIME,
        step: Callable[[str], None] | None = None,
    ) -> None:
        self.client, self.options, self.recipe = client, options, recipe
        self.path = journal_path(options, client)
        self.question: Question | None = None
        self.fix: FixFile | None = None
        self._input = source
        self._corrections = corrections or {}
        self._on_read, self._timing, self._step = on_read, timing, step
        self._rows = 0
        self._findings: list[Finding] = []
        self._source: Source | None = None
        self._run: Import | None = run
        self._staged_rows: StagedRows | None = None
        self._staged: Staged | None = None
        self._store: StorePets | None = None

    @property
    def run(self) -> Import:
        """The import of the file, once its rows were matched."""
        if self._staged is None:
            raise RuntimeError("the rows were not matched yet")
        return self._staged.run

    def prepare(self, writer: Writer) -> None:
        """Stage the rows, read the store, and match the rows, in this order.

        Other processes do not see staged rows. The store is read outside of a transaction, so that
        Ctrl-C ends the reading after the current page. Both transactions are short; Ctrl-C waits
        for the next pause in them.
        """
        with Interrupts() as interrupts, writer.transaction() as sql:
            self.stage(sql, interrupts.deliver)
        try:
            self.read_store()
            with Interrupts() as interrupts, writer.transaction() as sql:
                self.match(sql, interrupts.deliver)
            interrupts.deliver()
        except BaseException:
            with suppress(JournalError), writer.transaction() as sql:
                remove_staged(sql)
            raise

    def open(self) -> None:
        """Open the file, and find the import of a fix file in the journal."""
        opened = Input(self._input)
        fix = read_fix_file(opened, self.recipe)
        if fix is not None and fix.import_ids:
            self._run = self._import_of_fix_file(fix)
            if self._run is not None:
                self.fix = fix
                return
            self._findings.append(ForeignFixFile())
        lines = self.options.exclude_lines
        self._source = open_source(opened, self.recipe, exclude_lines=lines)
        key = self._remembered_key(self._source)
        if key is not None and self.recipe.key is None:
            self.recipe = self.recipe.replace(key=key)
            self._source = open_source(opened, self.recipe, exclude_lines=lines)

    def _import_of_fix_file(self, fix: FixFile) -> Import | None:
        """Return the import whose rows a fix file names; None if the journal does not have it.

        Raises:
            InputError: The lines name rows of several imports, or a line names none.
        """
        if not self.path.exists():
            return None
        with reading(self.path, NOTHING_SENT) as sql:
            runs = [
                run
                for import_id in fix.import_ids
                for run in read_imports(sql, "id GLOB ? || '*'", [import_id])
            ]
        if not runs:
            return None
        if len(runs) > 1 or len(fix.import_ids) > 1:
            names = " and ".join(run.source for run in runs)
            message = f"these lines correct rows of several files, {names}; nothing was sent"
            raise InputError(
                message, path=fix.name, hint="load the fix file of each one separately"
            )
        new_lines = [row.line for row in fix.rows if row.origin is None and any(row.cells)]
        if new_lines:
            message = f"no row is named in {line_text(new_lines)}; nothing was sent"
            hint = "put new animals into a file of their own"
            raise InputError(message, path=fix.name, line=new_lines[0], hint=hint)
        return runs[0]

    def _remembered_key(self, source: Source) -> tuple[str, ...] | None:
        """Return the key that an earlier load of a file with this header had, or None."""
        if not self.path.exists():
            return None
        with reading(self.path, NOTHING_SENT) as sql:
            return remembered_key(sql, tuple(source.columns))

    def stage(self, sql: sqlite3.Connection, pause: Callable[[], None]) -> None:
        """Write the rows to the journal, where nobody sees them yet."""
        if self._source is None:
            if self._run is None:
                raise RuntimeError("the file was not opened yet")
            self._staged_rows = stage_again(sql, self._run)
            return
        run = self._new_import(self._source)
        self._run = run
        self._staged_rows = stage_rows(sql, run, self._batches(self._source), pause=pause)

    def _new_import(self, source: Source) -> Import:
        """Return the import of a file, as it is if its rows are new."""
        return Import(
            id="",
            base_url=self.client.base_url,
            source=source.name,
            place=source.location,
            header=tuple(source.columns),
            mapping=dict(source.mapping),
            key=tuple(source.key),
            bytes_id=source.bytes_id,
            recipe=self.recipe.to_dict(),
            staged_at=self._timing.now(),
        )

    def _batches(self, source: Source) -> Iterator[Sequence[SourceRow]]:
        for batch in source.batches():
            self._rows += len(batch)
            self._note_read()
            yield batch

    def _note_read(self, pets: int = 0) -> None:
        if self._on_read is not None:
            self._on_read(self._rows, pets)

    def read_store(self) -> None:
        """Read the store, unless the caller does not want that.

        If it takes more than a second, a progress bar shows the number of pets. A progress function
        is not called yet, because it expects the states of rows.
        """
        if not self.options.check_store:
            return
        progress = self.options.progress
        option = False if callable(progress) else progress
        display: ProgressBar[int] = ProgressBar(option, "Reading the store", delay_s=1.0)
        to_send = 0 if self._staged_rows is None else self._staged_rows.to_send

        def show(pets: int) -> None:
            self._note_read(pets)
            display.show(pets, pets)

        try:
            with display:
                self._store = read_store(
                    self.client, show, max(LEAST_PAGES, to_send), display.note_wait
                )
        except PetstoreError as error:
            if _may_accept_pets(error):  # if not, a load would fail in the same way
                error.add = ("check_store", False)
            raise

    def match(self, sql: sqlite3.Connection, pause: Callable[[], None]) -> None:
        """Decide which animal each row is, and write that."""
        if self._staged_rows is None or self._run is None:
            raise RuntimeError("the rows were not staged yet")
        now, options = self._timing.now(), self.options
        self._staged = find_import(sql, self._staged_rows, self._run, copy=options.copy)
        self._check_categories(sql)
        self._correct(sql, now)
        self._check_lines(sql)
        run = self.run
        if self._source is not None and self.recipe.key is not None and self.fix is None:
            remember_key(sql, run, now)
        pets = ListedPets({}, {})
        if self._store is not None:
            compare_animals(sql, self._store, now)
            pets = list_pets(sql, self._store)
        answers = read_answers(sql, self._staged, options.new_lines)
        candidates = CandidateReader(sql, self._staged, pause).read(
            answers, pets, earlier_create=created_before(sql, run.header)
        )
        recipe = run.recipe or {}
        keep = Keep(recipe.get("keep"), recipe.get("order_by"))
        plan = match(candidates, keep, options.duplicates, now)
        self._refuse(sql, plan)
        PlanWriter(sql, self._staged, now).write(plan, candidates)
        if options.duplicates is not None and plan.answered:
            remember_duplicates(sql, run.header, options.duplicates, now)
        if self._store is not None:
            matched = {pet.id for pet in plan.pets.values()}
            others = {pet_id: pet for pet_id, pet in pets.others.items() if pet_id not in matched}
            note_reading(sql, run.number, self._store, others, now)
        self._findings += self._find(sql, candidates, plan)
        self._ask_for_key(sql)
        self._note_facts(sql)
        if self._source is not None:
            remember_category_names(sql, self.recipe.categories, now)

    def _check_categories(self, sql: sqlite3.Connection) -> None:
        """Ask about a list of categories that contradicts the names of earlier files.

        Raises:
            QuestionError: It does, and the user has not confirmed it; nothing was sent.
        """
        categories, pets = self.recipe.categories, names_of_store(self._store)
        question = category_question(
            categories,
            read_category_names(sql),
            pets=pets,
            renamed=self.options.rename_categories,
        )
        raise_question(question)
        if self.options.dry_run and (names := new_category_names(sql, self.run, categories, pets)):
            self._findings.append(names)

    def _correct(self, sql: sqlite3.Connection, now: float) -> None:
        """Apply the corrections of the journal, of a fix file and of this call."""
        staged = self._staged
        if staged is None:
            return
        source = self._source
        if self.fix is not None or source is None:
            recipe = Recipe(**(staged.run.recipe or {}))

            def rows() -> Iterator[TableRow]:
                query = "SELECT line, cells FROM rows WHERE reading = ? ORDER BY row"
                for line, cells in sql.execute(query, [staged.run.reading]):
                    yield TableRow(line, read_cells(cells))

            source = stored_source(staged.run.source, staged.run.header, rows, recipe)
        corrector = Corrector(sql, staged, source, now)
        if self.fix is None:
            corrector.apply_stored()
            rejected = corrector.apply_cells(self._corrections)
        else:
            rejected = corrector.apply_fix_file(self.fix)
        if rejected:
            self._findings.append(RejectedCorrections([(*line,) for line in rejected]))
        if self.fix is not None and self.options.exclude_lines:
            exclude_lines(sql, staged.run, self.options.exclude_lines)

    def _check_lines(self, sql: sqlite3.Connection) -> None:
        """Reject lines that the file does not have.

        Raises:
            ArgumentError: An argument names such a line; nothing was sent.
        """
        named = {"as_new": self.options.new_lines, "exclude_lines": self.options.exclude_lines}
        for argument, lines in named.items():
            if not lines:
                continue
            existing = lines_of_file(sql, self.run)
            missing = {*lines} - existing
            if missing:
                first, last = min(existing, default=0), max(existing, default=0)
                raise ArgumentError(
                    f"{argument}: the file has no row in {line_text(missing)}; its rows are in "
                    f"{line_text([range(first, last + 1)])}; nothing was sent"
                )

    def _refuse(self, sql: sqlite3.Connection, plan: Plan) -> None:
        """Reject answers that would create animals that are certainly loaded.

        Raises:
            ArgumentError: A line is named as new although nothing suggests otherwise, or the keys
                of a copy belong to animals of other files, or may; nothing was sent.
        """
        if plan.refused:
            raise ArgumentError(
                f"as_new: {line_text(plan.refused)}: no possible duplicate, not skipped earlier, "
                "and not gone from the store; nothing was sent"
            )
        if not self.options.copy or not self.run.key:
            return
        keys = count_keys_of_others(sql, self.run)
        if keys:
            verb = "belongs" if keys == 1 else "belong"
            raise ArgumentError(
                f"as_new: {count_text(keys, 'key')} of this file {verb} to animals of other files, "
                "or may, such as 001 if 1 is known; they would be created again, so nothing was "
                "sent. Remove as_new, or name only the lines of new animals"
            )

    def _find(
        self, sql: sqlite3.Connection, candidates: Candidates, plan: Plan
    ) -> Iterator[Finding]:
        """Yield what the user should know about the matching."""
        lines = {row.number: row.line for row in candidates.rows}
        if plan.listed:
            yield SentAlthoughEqual(sorted(lines[row] for row in plan.listed))
        if plan.skipped:
            at = max(decision.at for decision in plan.skipped.values())
            yield SkippedEarlier(sorted(lines[row] for row in plan.skipped), at)
        if self.options.duplicates == SKIP:
            late = [
                row.line
                for row in candidates.rows
                if row.own is not None
                and row.decision is not None
                and row.decision.answer == CREATE
            ]
            if late:
                yield CreatedBeforeSkip(sorted(late))
        if self.options.copy and (equal := count_equal_to_others(sql, self.run)):
            yield EqualToOtherFiles(equal)
        if not self.run.key and not self.options.copy:
            blocks = repeated_blocks(repeated_rows(sql, self.run))
            if blocks:
                yield RepeatedBlocks(blocks)
        if self._store is not None:
            yield from self._find_in_store(sql, self._store)

    def _find_in_store(self, sql: sqlite3.Connection, store: StorePets) -> Iterator[Finding]:
        if not store.is_complete:
            yield StoreNotReadToEnd(len(store.pets))
        if renamed := renamed_rows(sql, self.run, store.pets):
            names = {str(row.row): row.name for row in renamed}
            yield RenamedInStore(names, [row.line for row in renamed])

    def _ask_for_key(self, sql: sqlite3.Connection) -> None:
        """Ask for the key if a column clearly is one and several rows share a value."""
        source = self._source
        if source is None or source.is_returned or self.recipe.key is not None:
            return
        key = _repeated_key(sql, self.run, source)
        if key is not None and count_states(sql, self.run.number)[State.PENDING]:
            text = f"One column may identify the animals: {key}. Which one is the key?"
            likely = key.column if key.is_proven else None
            self.question = key_question(text, source.columns, likely)
            if not self.options.dry_run:
                raise QuestionError([self.question])
        remember_values(sql, self.run, [likely.column for likely in source.likely_keys()])

    def _note_facts(self, sql: sqlite3.Connection) -> None:
        """Store the findings, and the common cause if most rows are invalid for one reason."""
        run, source, options = self.run, self._source, self.options
        facts: dict[str, Any] = {FINDINGS: pack_findings(self._findings)}
        if source is not None:
            if source.path is not None:
                facts[FILE_PATH] = str(source.path.absolute())
            if likely := source.likely_columns():
                facts[LIKELY_KEYS] = [asdict(key) for key in likely]
            if warnings := source.warnings():
                facts[FILE_WARNINGS] = warnings
        elif FILE_PATH in run.facts:
            facts[FILE_PATH] = run.facts[FILE_PATH]
        if options.max_errors is not None:
            facts[MAX_ERRORS] = options.max_errors
        if options.max_errors is None and self.fix is None and (cause := common_cause(sql, run)):
            problem = cause.problem
            facts[COMMON_CAUSE] = {"code": problem.code, "column": problem.column}
        note_facts(sql, run, facts)
        if self._staged is not None:
            self._staged = replace(self._staged, run=replace(run, facts=facts))

    def send(self, writer: Writer) -> bool:
        """Send the pending rows; return whether this call had anything to send."""
        if COMMON_CAUSE in self.run.facts:
            Outcomes(writer, self.run).end(self._timing.now(), Ending.BUDGET)
            return True
        is_new = self._staged is not None and self._staged.is_new
        session = run_session(
            writer,
            self.run,
            self.client,
            self.options,
            timing=self._timing,
            is_new=is_new,
            step=self._step,
        )
        return session is not None


def _repeated_key(sql: sqlite3.Connection, run: Import, source: Source) -> LikelyKey | None:
    """Return the column that certainly identifies animals, if some of its values repeat."""
    proposed = source.proposed_key()
    if proposed is not None and (proposed.repeated or repeats_earlier(sql, run, proposed.column)):
        return proposed
    for key in source.likely_keys():
        if key.identifies_animals and repeats_earlier(sql, run, key.column):
            return key
    return None


def _may_accept_pets(error: PetstoreError) -> bool:
    """Return whether the store may accept pets although it could not be read."""
    cause = error.__cause__ if isinstance(error, IncompleteInventoryError) else error
    if isinstance(cause, APIConnectionError):
        return cause.reason == _CONNECTED_REASON
    return not isinstance(cause, (AuthenticationError, NotFoundError))


def path_of(source: Any) -> str | None:
    """Return the path that the user passed; None for a frame or bytes."""
    return fspath(source) if isinstance(source, (str, PathLike)) else None


def journal_text(folder: str | PathLike[str] | None) -> str | None:
    """Return the path of the journal's folder as the user passed it."""
    return None if folder is None else fspath(folder)


def journal_path(options: LoadOptions, client: PostingClient) -> Path:
    """Return the path of the journal of a store."""
    return find_journal(options.journal, client.base_url, lambda: ask_store_id(client))
