"""``petstore-frame load``, a file of animals into the store, and ``recipe``, how it is read."""

from __future__ import annotations

import math
import os
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NoReturn

import typer
from typer import BadParameter, Option

import petstore_frame as pf
from petstore_frame.cli.commands import REFUSED, end, print_json
from petstore_frame.cli.options import (
    ANIMALS,
    AsJson,
    HowRead,
    JournalFolder,
    WhichStore,
    repeated,
    switch,
    to_write,
)
from petstore_frame.loader.options import GRACE_S, MOST_WORKERS, LoadOptions
from petstore_frame.loader.proposals import Reader

if TYPE_CHECKING:
    from petstore_frame.loader.question import Question


@dataclass(frozen=True)
class AnimalOptions:
    """Which animal a record is."""

    PANEL: ClassVar[str] = ANIMALS
    duplicates: Annotated[
        list[str] | None,
        Option(
            metavar="ANSWER",
            help="What records are that may be known animals: refuse (asks, and sends nothing), "
            "skip (the same animals), send (others), or an answer for one case, such as "
            "similar_key=skip; may be repeated.",
        ),
    ] = None
    send_line: Annotated[
        list[int] | None, repeated("The record in this line is another animal", "--send-line")
    ] = None
    no_check_store: Annotated[
        bool, switch("no-check-store", "Do not compare the records with the pets of the store.")
    ] = False
    again: Annotated[bool, switch("again", "Load the same file a second time, on purpose.")] = False
    ids: Annotated[Path | None, Option(help="Write which pet each key is to this CSV file.")] = None
    journal: JournalFolder = None

    def options(self, **more: Any) -> LoadOptions:
        """Return these, and what else was said, as the options of a load."""
        words = self.duplicates or []
        answers: Any = words[0] if words else None  # one word for all cases, or CASE=ANSWER each
        if len(words) > 1 or "=" in (answers or ""):
            answers = dict(word.split("=", 1) for word in words if "=" in word)
            if len(answers) != len(words):
                raise BadParameter("--duplicates is one word, or CASE=ANSWER, each case once")
        return LoadOptions(
            duplicates=answers,
            send_lines=tuple(self.send_line or ()),
            check_store=not self.no_check_store,
            again=self.again,
            journal=self.journal,
            **more,
        )


@dataclass(frozen=True)
class Sending:
    """How records are sent."""

    PANEL: ClassVar[str] = "How it is sent"
    resume: Annotated[
        bool, switch("resume", "Without a file: finish the imports into this store that stopped.")
    ] = False
    max_errors: Annotated[
        int | None, Option(help="Stop above so many invalid or rejected records.", min=0)
    ] = None
    workers: Annotated[
        int | None,
        Option(help="Requests in flight at most; without it about 16.", min=1, max=MOST_WORKERS),
    ] = None
    idempotency_lifetime: Annotated[
        float | None,
        Option(help="The store is known to remember Idempotency-Keys for so many seconds.", min=1),
    ] = None


@dataclass(frozen=True)
class Settling:
    """What to do with records in doubt."""

    PANEL: ClassVar[str] = "What to do with records in doubt"
    reconcile: Annotated[
        bool, switch("reconcile", "Look for records in doubt by reading the store back.")
    ] = False
    sole_writer: Annotated[
        bool,
        switch(
            "sole-writer",
            "With --reconcile: nobody else adds pets, so one that equals a record is its own.",
        ),
    ] = False
    grace: Annotated[
        float | None,
        Option(
            help="With --reconcile: seconds after which the store can no longer act on a request; "
            f"else {GRACE_S:.0f}.",
            min=0,
        ),
    ] = None
    resend_absent: Annotated[
        bool, switch("resend-absent", "With --reconcile: send what was not found again.")
    ] = False
    resolve: Annotated[
        list[str] | None,
        Option(
            metavar="RECORD=PET_ID",
            help="A record in doubt is this pet; RECORD=none: it was not created. May be repeated.",
        ),
    ] = None

    def pets(self, *, dry_run: bool) -> dict[int, int | None]:
        """Return the pet of each record that was named, None for not created.

        Raises:
            BadParameter: An option cannot be read, or would have no effect.
        """
        if dry_run and (self.reconcile or self.resolve):
            name = "--reconcile" if self.reconcile else "--resolve"
            raise BadParameter(f"--dry-run and {name} exclude each other")
        for name in ("grace", "sole_writer", "resend_absent"):
            if getattr(self, name) not in (None, False) and not self.reconcile:
                raise BadParameter(f"--{name.replace('_', '-')} needs --reconcile")
        if not math.isfinite(self.grace or 0):
            raise BadParameter("--grace is a finite number of seconds")
        try:
            split = (pair.split("=") for pair in self.resolve or ())
            return {int(row): None if pet == "none" else int(pet) for row, pet in split}
        except ValueError:
            raise BadParameter("--resolve is RECORD=PET_ID, or RECORD=none") from None


def load(
    path: Annotated[
        Path | None, typer.Argument(help="CSV, TSV, gzip of these, or .xlsx.", show_default=False)
    ] = None,
    *,
    reading: HowRead,
    output: Annotated[
        Path | None, to_write("Folder for results, fix, unknown and summary.")
    ] = None,
    dry_run: Annotated[bool, switch("dry-run", "Read, check and plan; send nothing.")] = False,
    as_json: AsJson = False,
    animals: AnimalOptions,
    store: WhichStore,
    sending: Sending,
    settling: Settling,
) -> None:
    """Load a file of animals, none twice and none lost; the same command again resumes.

    The exit code is that of the worst outcome among the records.

    Example: petstore-frame load arrivals.csv --key animal_id --output results
    """
    if (path is None) is not sending.resume:
        raise BadParameter("give a file to load, or --resume without one")
    _check_output(output)
    resolved = settling.pets(dry_run=dry_run)
    lifetime_s = sending.idempotency_lifetime
    keys = None if lifetime_s is None else pf.IdempotencyKey(lifetime_s)
    with store.client(idempotency=keys) as client:
        if path is None:
            _resume(client, animals.journal, as_json=as_json)
        options = animals.options(
            dry_run=dry_run,
            leave_lines=tuple(reading.leave_lines or ()),
            workers=sending.workers,
            max_errors=sending.max_errors,
        )
        recipe = reading.of(path)
        result = _load(path, client, recipe, options, as_json=as_json)
        try:
            for record, pet_id in resolved.items():
                result.resolve(record, pet_id=pet_id, not_created=pet_id is None)
            if settling.reconcile:
                _reconcile(result, client, settling)
        finally:  # also where that fails: what the import has done is shown
            _tell(result, output, as_json=as_json)
    if animals.ids is not None:
        result.ids.to_csv(animals.ids, index=False)
    raise typer.Exit(result.exit_code)


def _check_output(folder: Path | None) -> None:
    """Refuse a folder that is a file, or that cannot be made, before anything is sent."""
    if folder is None:
        return
    places = (folder.absolute(), *folder.absolute().parents)
    there = next(place for place in places if os.path.lexists(place))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        what = "cannot be written to" if there.is_dir() else "is not a folder"
        raise BadParameter(f"--output {folder}: {there} {what}; nothing was sent")


def _load(
    path: Path,
    client: pf.Client,
    recipe: pf.Recipe,
    options: LoadOptions,
    *,
    as_json: bool,
) -> pf.LoadResult:
    """Load a file; where somebody must say which animals its records are, ask, or refuse it."""
    from petstore_frame.loader.run import load as load_file

    while True:
        try:
            return load_file(path, client, recipe, options)
        except (pf.errors.LoadInterrupted, pf.errors.LoadStopped) as stopped:
            return stopped.result
        except pf.errors.DuplicatesError as problem:
            if as_json:
                print_json(problem.question.as_dict() | {"exit_code": REFUSED})
                raise typer.Exit(REFUSED) from None
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise
            said = _ask(problem.question)
        options = replace(options, duplicates=said["duplicates"])
        if "key" in said:
            recipe = recipe.replace(key=said["key"])


def _ask(question: Question) -> dict[str, Any]:
    """Ask which answer is right; Enter stops, and nothing was sent."""
    ways = {answer.letter: answer for answer in question.answers() if answer.letter}
    lines = question.lines()
    lines += [f"  {letter}      {answer}" for letter, answer in ways.items()]
    lines.append("  Enter  stop; nothing was sent")
    typer.echo("\n".join(lines) + "\nWhich is it: ", err=True, nl=False)
    typed = sys.stdin.readline().strip().lower()
    if typed not in ways:
        end("stopped; nothing was sent", REFUSED)
    return ways[typed].options


def _reconcile(result: pf.LoadResult, client: pf.Client, settling: Settling) -> None:
    """Look for records in doubt in the store; say until when nothing happens, and why."""
    from petstore_frame.loader.sending.pool import announcement

    grace_s = GRACE_S if settling.grace is None else settling.grace

    def wait(seconds: float) -> None:
        if words := announcement(seconds):
            typer.echo(f"{words} (--grace {grace_s:.0f})", err=True)
        sleep(seconds)

    result.wait = wait
    result.reconcile(
        client,
        grace_s=grace_s,
        sole_writer=settling.sole_writer,
        resend_absent=settling.resend_absent,
    )


def _resume(client: pf.Client, journal: Path | None, *, as_json: bool) -> NoReturn:
    """Finish the imports that stopped, print what became of each, and end the command."""
    results = pf.resume_loads(client, journal=journal)
    if as_json:
        print_json({"imports": [result.summary for result in results]})
    elif results:
        typer.echo("\n".join(result.text(Reader.SHELL) for result in results))
    else:
        typer.echo("Nothing to resume: no import into this store has records left to send")
    raise typer.Exit(max((result.exit_code for result in results), default=0))


def _tell(result: pf.LoadResult, output: Path | None, *, as_json: bool) -> None:
    """Write the files, then print what became of the records, also where no file could be written.

    Raises:
        OSError: The files could not be written.
    """
    files = list[Path]()
    try:
        files = [] if output is None else write_files(result, output)
    finally:
        folder = str(files[0].parent) if files else None
        if as_json:
            print_json(result.summary | {"output": folder, "files": [*map(str, files)]})
        else:
            typer.echo("\n".join([result.text(Reader.SHELL), *(f"wrote {file}" for file in files)]))


def write_files(result: pf.LoadResult, folder: Path) -> list[Path]:
    """Write the files of a result, and say so where they cannot go to the folder asked for."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        files = result.write(folder)
    for note in noted:
        typer.echo(f"note: {note.message}", err=True)
    return files


def recipe(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV or .xlsx file.")],
    *,
    reading: HowRead,
    output: Annotated[Path | None, to_write("Recipe to write: .toml; else it is printed.")] = None,
) -> None:
    """Draft a recipe: what was recognised in a whole file, with counts, ready to be filled in.

    Fill in what has a question mark, then load the file with --recipe, and the next one of its
    kind, too. Nothing is sent.

    Example: petstore-frame recipe arrivals.csv --output arrivals.toml
    """
    text = str(pf.Recipe.draft(path, **reading.of(path).given()))
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        with output.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        end(f"{output} is there; choose another name, or delete it first", REFUSED)
    typer.echo(f"wrote {output}; fill in what has a question mark")
