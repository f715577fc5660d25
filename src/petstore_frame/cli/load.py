"""``petstore-frame load``: a file of animals into the store, from a shell."""

from __future__ import annotations

import math
import os
import shlex
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NoReturn

import typer
from typer import BadParameter, Option

from petstore_frame.cli.commands import REFUSED, end
from petstore_frame.cli.options import (
    ANIMALS,
    AsJson,
    HowRead,
    JournalFolder,
    Store,
    print_json,
    switch,
    to_write,
)
from petstore_frame.errors.advice import ShellAudience
from petstore_frame.loader.options import DEFAULT_WORKERS, GRACE_S, MOST_WORKERS, Duplicates, Limits
from petstore_frame.loader.reading.recipe import Recipe

if TYPE_CHECKING:
    from petstore_frame.client import Client
    from petstore_frame.loader.results.results import LoadResult
    from petstore_frame.loader.results.view import Question


@dataclass(frozen=True)
class Animals:
    """Which animal a record is."""

    PANEL: ClassVar[str] = ANIMALS
    duplicates: Annotated[
        Duplicates | None,
        Option(
            help="Without a key, for records that equal earlier ones in all but the status: refuse "
            "a file that seems to repeat an earlier one, skip them, or send them as other animals."
        ),
    ] = None
    again: Annotated[bool, switch("again", "Load the same file a second time, on purpose.")] = False
    ids: Annotated[Path | None, Option(help="Write which pet each key is to this CSV file.")] = None
    journal: JournalFolder = None


@dataclass(frozen=True)
class Sending:
    """How records are sent."""

    PANEL: ClassVar[str] = "How it is sent"
    resume: Annotated[
        bool, switch("resume", "Without a file: finish the imports into this store that stopped.")
    ] = False
    accept_loss: Annotated[
        bool,
        switch(
            "accept-loss",
            "With --resume: go on although the end of the journal's log is lost; what may have"
            " been sent is listed as in doubt.",
        ),
    ] = False
    max_errors: Annotated[
        int | None, Option(help="Stop above so many invalid or rejected records.", min=0)
    ] = None
    workers: Annotated[int, Option(help="Requests in flight at most.", min=1, max=MOST_WORKERS)] = (
        DEFAULT_WORKERS
    )
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

    def check(self, *, dry_run: bool) -> None:
        """Refuse options that would have no effect, before anything is sent."""
        if dry_run and (self.reconcile or self.resolve):
            name = "--reconcile" if self.reconcile else "--resolve"
            raise BadParameter(f"--dry-run and {name} exclude each other")
        for name, is_given in (
            ("--grace", self.grace is not None),
            ("--sole-writer", self.sole_writer),
            ("--resend-absent", self.resend_absent),
        ):
            if is_given and not self.reconcile:
                raise BadParameter(f"{name} needs --reconcile")
        if not math.isfinite(self.grace or 0):
            raise BadParameter("--grace is a finite number of seconds")
        self._pets()

    def _pets(self) -> dict[int, int | None]:
        """Read ``RECORD=PET_ID`` and ``RECORD=none``: the pet by record, None for not created."""
        try:
            split = (pair.split("=") for pair in self.resolve or ())
            return {int(row): None if pet == "none" else int(pet) for row, pet in split}
        except ValueError:
            raise BadParameter("--resolve is RECORD=PET_ID, or RECORD=none") from None

    def settle(self, result: LoadResult, client: Client) -> None:
        """Write what a person found out, then look for the rest in the store."""
        for record, pet_id in self._pets().items():
            result.resolve(record, pet_id=pet_id, not_created=pet_id is None)
        if self.reconcile:
            grace_s = GRACE_S if self.grace is None else self.grace
            result.wait = partial(_wait_announced, grace_s=grace_s)
            result.reconcile(
                client,
                grace_s=grace_s,
                sole_writer=self.sole_writer,
                resend_absent=self.resend_absent,
            )


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
    animals: Animals,
    store: Store,
    sending: Sending,
    settling: Settling,
) -> None:
    """Load a file of animals, none twice and none lost; the same command again resumes.

    The exit code is that of the worst outcome among the records.

    Example: petstore-frame load arrivals.csv --key animal_id --output results
    """
    from petstore_frame.http.settings import IdempotencyKey

    if (path is None) is not sending.resume:
        raise BadParameter("give a file to load, or --resume without one")
    if sending.accept_loss and not sending.resume:
        raise BadParameter("--accept-loss goes with --resume")
    _check_output(output)
    settling.check(dry_run=dry_run)
    lifetime_s = sending.idempotency_lifetime
    keys = None if lifetime_s is None else IdempotencyKey(lifetime_s)
    with store.client(idempotency=keys) as client:
        if path is None:
            _resume(client, animals.journal, accept_loss=sending.accept_loss, as_json=as_json)
        recipe = reading.of(path)
        result = _load(
            path,
            client,
            recipe,
            Limits(workers=sending.workers, max_errors=sending.max_errors),
            is_asking=not as_json and sys.stdin.isatty() and sys.stderr.isatty(),
            duplicates=animals.duplicates or recipe.duplicates,
            leave_lines=reading.leave_lines or (),
            dry_run=dry_run,
            again=animals.again,
            journal=animals.journal,
            output=output,
        )
        try:
            settling.settle(result, client)
        finally:  # also where that fails: what the import has done is shown
            _tell(result, output, as_json=as_json)
    if animals.ids is not None:
        result.ids.to_csv(animals.ids, index=False)
    raise typer.Exit(result.exit_code)


def _check_output(folder: Path | None) -> None:
    """Refuse a folder that is a file, or that cannot be made, before anything is sent."""
    if folder is None:
        return
    there = next(
        place for place in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(place)
    )
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        what = "cannot be written to" if there.is_dir() else "is not a folder"
        raise BadParameter(f"--output {folder}: {there} {what}; nothing was sent")


def _load(
    path: Path,
    client: Client,
    reading: Recipe,
    limits: Limits,
    *,
    is_asking: bool,
    **options: Any,
) -> LoadResult:
    """Load a file; where it seems to repeat an earlier one, ask, or refuse it with the ways on."""
    from petstore_frame.errors import DuplicatesError, LoadInterrupted
    from petstore_frame.loader.run import load as load_file

    try:
        return load_file(path, client, reading, limits, **options)
    except LoadInterrupted as interrupted:
        stopped: LoadResult = interrupted.result
        return stopped
    except DuplicatesError as problem:
        question = problem.args[0]
        if not is_asking:
            end(question.text(_command_with), REFUSED)
        option, value = _ask(question)
        if option == "key":
            reading = replace(reading, key=(value,))
        else:
            options[option] = value
        return _load(path, client, reading, limits, is_asking=True, **options)


def _command_with(option: str, value: Any) -> str:
    """Return the command that was typed, with one more option."""
    typed = shlex.join(["petstore-frame", *sys.argv[1:]])
    return f"{typed} --{option} {shlex.quote(str(value))}"


_LETTERS = {"skip": "s", "send": "a"}


def _ask(question: Question) -> tuple[str, Any]:
    """Ask which of the ways on is right; Enter stops, and nothing was sent."""
    ways = {
        "k" if option == "key" else _LETTERS[value]: (reason, option, value)
        for reason, option, value in question.ways()
        if value != "COLUMN"
    }
    lines = [
        *question.facts(),
        *(
            f"  {letter}      {reason.rstrip(':')}  (--{option} {value})"
            for letter, (reason, option, value) in ways.items()
        ),
        "  Enter  stop; nothing was sent",
    ]
    typer.echo("\n".join(lines) + "\nWhich is it: ", err=True, nl=False)
    answer = sys.stdin.readline().strip().lower()
    if answer not in ways:
        end("stopped; nothing was sent", REFUSED)
    _, option, value = ways[answer]
    return option, value


def _wait_announced(seconds: float, *, grace_s: float) -> None:
    """Say until when nothing happens, and why."""
    from petstore_frame.loader.sending.pool import announcement

    if words := announcement(seconds):
        typer.echo(f"{words} (--grace {grace_s:.0f})", err=True)
    sleep(seconds)


def _resume(client: Client, journal: Path | None, *, accept_loss: bool, as_json: bool) -> NoReturn:
    """Finish the imports that stopped, print what became of each, and end the command."""
    from petstore_frame.loader.run import resume_loads

    results = resume_loads(client, journal=journal, accept_loss=accept_loss)
    if as_json:
        print_json({"imports": [result.summary for result in results]})
    elif not results:
        typer.echo("Nothing to resume: no import into this store has records left to send")
    for result in results if not as_json else ():
        _tell(result, None, as_json=False)
    raise typer.Exit(max((result.exit_code for result in results), default=0))


def _tell(result: LoadResult, output: Path | None, *, as_json: bool) -> None:
    """Write the files, then print what became of the records, also where no file could be written.

    Raises:
        OSError: The files could not be written.
    """
    files = list[Path]()
    try:
        files = [] if output is None else write_files(result, output)
    finally:
        folder = str(files[0].parent) if files else None
        result.voice = ShellAudience(folder)
        if as_json:
            print_json(result.summary | {"output": folder, "files": [*map(str, files)]})
        else:
            typer.echo("\n".join([str(result), *(f"wrote {file}" for file in files)]))


def write_files(result: LoadResult, folder: Path) -> list[Path]:
    """Write the files of a result, and say so where they cannot go to the folder asked for."""
    from petstore_frame.loader.results.files import find_place

    place = find_place(folder, result.run)
    if place.note:
        typer.echo(f"note: {place.note}", err=True)
    return result.write(place.folder)
