"""The commands ``petstore-frame load`` and ``petstore-frame recipe``."""

from __future__ import annotations

import re
import shlex
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from typer import Option
from typer.core import TyperCommand

import petstore_frame as pf
from petstore_frame.cli.endings import (
    NOTHING_SENT,
    CommandInterrupted,
    explain,
    finish,
    refuse,
    warn,
)
from petstore_frame.cli.options import (
    AsJson,
    BaseUrl,
    CategoriesFile,
    JournalFolder,
    Key,
    Overwrite,
    RecipeFile,
    RecipeSettings,
    RenameCategories,
    Timeout,
    numbers_of,
    recipe_of,
    source_of,
)
from petstore_frame.exit_codes import ExitCode

if TYPE_CHECKING:
    from petstore_frame.loader import PetIds, RowName

# The value of --as-new if no lines are given.
ALL_LINES = "all"


class LoadCommand(TyperCommand):
    """The load command, where ``--as-new`` alone means the whole file.

    Its context has the arguments as the user typed them.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the value for an ``--as-new`` without line numbers."""
        ctx.obj = list(args)
        complete = list(args)
        for index, argument in enumerate(args):
            following = args[index + 1] if index + 1 < len(args) else ""
            if argument == "--as-new" and not _may_be_lines(following):
                complete[index] = f"--as-new={ALL_LINES}"
        return super().parse_args(ctx, complete)


def _may_be_lines(argument: str) -> bool:
    """Return whether an argument after ``--as-new`` has its lines, not an option or the file."""
    if re.fullmatch(r"[\d,]+", argument):
        return True
    is_path = re.search(r"[./\\]", argument) is not None or Path(argument).exists()
    return not (argument == "" or argument.startswith("-") or is_path)


def load(
    context: typer.Context,
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="File to load: CSV, TSV, .xlsx, JSON lines or Parquet; - for standard input.",
        ),
    ] = None,
    key: Key = None,
    categories: CategoriesFile = None,
    recipe: RecipeFile = None,
    settings: RecipeSettings = None,
    save_recipe: Annotated[
        Path | None,
        Option(
            help="File to save the options of this load to, as a recipe.",
            show_default="none",
            dir_okay=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Folder for the result files.", show_default="no files"),
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Read and check everything; send nothing.")
    ] = False,
    duplicates: Annotated[
        Literal["skip", "create"] | None,
        Option(
            help="Answer for possible duplicates: skip (the same animals) or create (different "
            "animals).",
            show_default="they are not sent",
        ),
    ] = None,
    as_new: Annotated[
        str | None,
        Option(
            metavar="[LINES]",
            help="Lines of new animals among the possible duplicates, such as 17,23; without "
            "lines, the whole file has new animals.",
            show_default="none",
        ),
    ] = None,
    exclude_lines: Annotated[
        str | None,
        Option(metavar="LINES", help="Lines not to send, such as 17,23.", show_default="none"),
    ] = None,
    rename_categories: RenameCategories = None,
    max_rows: Annotated[
        int | None,
        Option(help="Maximum number of rows to send, for a trial.", show_default="all", min=1),
    ] = None,
    check_store: Annotated[bool, Option(help="Read the store before sending.")] = True,
    max_errors: Annotated[
        int | None,
        Option(
            help="Stop if more than this many rows are invalid.", show_default="no limit", min=0
        ),
    ] = None,
    workers: Annotated[
        int | None,
        Option(
            help="Maximum number of parallel requests, 1 to 32.",
            show_default="about 16",
            min=1,
            max=32,
        ),
    ] = None,
    idempotency_lifetime: Annotated[
        float | None,
        Option(
            help="Seconds that the store remembers an Idempotency-Key; allows safe retries.",
            show_default="keys are not used",
            min=1,
        ),
    ] = None,
    resume: Annotated[
        bool, Option("--resume", help="Finish interrupted loads; needs no file.")
    ] = False,
    reconcile: Annotated[
        bool, Option("--reconcile", help="Look for unconfirmed rows in the store.")
    ] = False,
    grace: Annotated[
        float, Option(help="Seconds to wait after the last request, with --reconcile.", min=0)
    ] = 240.0,
    resolve: Annotated[
        list[str] | None,
        Option(
            metavar="LINE=PET_ID",
            help="Pet of an unconfirmed line, or LINE=none if the store has no such pet. "
            "Repeatable.",
            show_default="none",
        ),
    ] = None,
    journal: JournalFolder = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Load animals from a file; no animal is sent twice.

    To resume an interrupted load, run the same command again. The exit code is that of the worst
    outcome among the rows.

    Example: petstore-frame load arrivals.csv --key animal_id --output results
    """
    from petstore_frame.storage import refuse_overwriting

    _check_combination(path, resume=resume, dry_run=dry_run, settles=bool(reconcile or resolve))
    if not isfinite(grace):
        refuse(f"--grace must be a number of seconds, 0 or more, got {grace}")
    options: dict[str, Any] = {
        "recipe": recipe_of(recipe, key, categories, settings),
        "duplicates": duplicates,
        "as_new": as_new == ALL_LINES or _lines("--as-new", as_new),
        "exclude_lines": _lines("--exclude-lines", exclude_lines),
        "rename_categories": numbers_of("--rename-categories", rename_categories),
        "max_rows": max_rows,
        "dry_run": dry_run,
        "check_store": check_store,
        "max_errors": max_errors,
        "workers": workers,
        "journal": journal,
    }
    pets = _pets(resolve or [])
    with _client(base_url, timeout, idempotency_lifetime) as client:
        if path is None:
            _resume(client, journal, options["duplicates"], context, as_json=as_json)
        if output is not None:
            _make_folder(output)
        if save_recipe is not None:
            refuse_overwriting(save_recipe, overwrite=True, inputs=[path, recipe])
            options["recipe"].write(save_recipe, overwrite=overwrite)
        result = _load(path, client, options, as_json=as_json)
        if str(path) != "-":
            _note_command(result, context)
        try:
            if pets:
                result.resolve(pets)
            if reconcile:
                result.reconcile(client, grace_s=grace)
        except (pf.PetstoreError, OSError) as problem:
            warn(explain(problem))  # the result of the load is printed anyway
    _print_result(result, output, as_json=as_json)


def _check_combination(path: Path | None, *, resume: bool, dry_run: bool, settles: bool) -> None:
    if (path is None) is not resume:
        refuse("name a file to load, or use --resume without a file")
    if dry_run and settles:
        refuse("--dry-run cannot be combined with --reconcile or --resolve")


def _client(base_url: str | None, timeout: float, idempotency_lifetime: float | None) -> pf.Client:
    keys = None if idempotency_lifetime is None else pf.IdempotencyKey(idempotency_lifetime)
    return pf.Client(base_url, timeout=timeout, idempotency=keys)


def _load(
    path: Path, client: pf.Client, options: dict[str, Any], *, as_json: bool
) -> pf.LoadResult:
    """Load a file, and return the result even if it stops early; print a question as JSON."""
    try:
        return pf.load(source_of(path), client, **options)
    except pf.errors.LoadStoppedError as stopped:
        return stopped.result
    except KeyboardInterrupt as interrupt:
        return _result_so_far(interrupt, NOTHING_SENT)
    except (pf.QuestionError, pf.InputError) as problem:
        if as_json and problem.questions:
            warn(explain(problem))
            questions = [question.as_dict() for question in problem.questions]
            finish({"questions": questions}, "", as_json=True, code=problem.exit_code)
        raise


def _result_so_far(interrupt: KeyboardInterrupt, without_result: str) -> pf.LoadResult:
    """Return the result of a load that Ctrl-C ended; if nothing was sent, end the command."""
    result = pf.errors.result_of(interrupt)
    if result is None:
        raise CommandInterrupted(without_result) from interrupt
    warn("interrupted")
    return result


def _note_command(result: pf.LoadResult, context: typer.Context) -> None:
    """Let the next steps show the command that the user typed."""
    from petstore_frame.loader import view_of
    from petstore_frame.questions import command_line

    view_of(result).command = command_line(["petstore-frame", "load", *context.obj])


def _lines(option: str, text: str | None) -> list[int]:
    """Return the line numbers in an option such as ``--exclude-lines 17,23``."""
    if text is None:
        return []
    numbers = text.split(",")
    if not all(re.fullmatch(r"0*[1-9][0-9]{0,17}", number.strip()) for number in numbers):
        refuse(f"{option} must be line numbers from 1, such as 17,23, got {shlex.quote(text)}")
    return [int(number) for number in numbers]


def _pets(pairs: list[str]) -> dict[RowName, PetIds]:
    """Return the pet of each named line; None means that the store has no such pet."""
    pets: dict[RowName, PetIds] = {}
    for pair in pairs:
        line, _, pet = pair.partition("=")
        if pet == "?":
            refuse(f"--resolve {pair}: replace ? with the id of the pet, or with none")
        try:
            pets[int(line)] = None if pet == "none" else int(pet)
        except ValueError:
            refuse(f"--resolve must be LINE=PET_ID or LINE=none, got {pair!r}")
    return pets


def _make_folder(folder: Path) -> None:
    """Create the folder for the results before anything is sent."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        refuse(f"--output {folder}: {problem.strerror}")


def _resume(
    client: pf.Client,
    journal: Path | None,
    answers: Any,
    context: typer.Context,
    *,
    as_json: bool,
) -> NoReturn:
    """Finish interrupted loads, print the outcome of each, and exit."""
    from petstore_frame.loader import view_of

    try:
        results = pf.resume_loads(client, journal=journal, duplicates=answers)
    except pf.errors.LoadStoppedError as stopped:
        results = [stopped.result]
    except KeyboardInterrupt as interrupt:
        results = [_result_so_far(interrupt, "the same command continues")]
    for result in results:
        _note_command(result, context)
    text = "\n".join(view_of(result).text("shell") for result in results)
    nothing = "Nothing to resume: no load into this store has rows left to send"
    code = ExitCode.worst(result.exit_code for result in results)
    facts = {"imports": [view_of(result).summary for result in results]}
    finish(facts, text or nothing, as_json=as_json, code=code)


def _print_result(result: pf.LoadResult, output: Path | None, *, as_json: bool) -> NoReturn:
    """Write the files, print the outcome even if no file can be written, and exit."""
    from petstore_frame.loader import view_of

    view, code, files = view_of(result), result.exit_code, list[Path]()
    try:
        files = [] if output is None else result.write(output)
    except (pf.PetstoreError, OSError) as problem:
        warn(f"--output {output}: {explain(problem)}")
        code = ExitCode.DISK
    facts = {"output": str(output) if files else None, "files": [str(file) for file in files]}
    text = "\n".join([view.text("shell"), *(f"wrote {file}" for file in files)])
    finish(view.summary | facts, text, as_json=as_json, code=code)


def _print_options(value: bool) -> None:  # as typer calls it
    """Print each recipe option with its description, and exit."""
    if value:
        for name, description in pf.Recipe.describe().items():
            typer.echo(f"{name}: {description}.")
        raise typer.Exit


def recipe(
    path: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="File to draft a recipe for; - for standard input."),
    ],
    key: Key = None,
    categories: CategoriesFile = None,
    recipe: RecipeFile = None,
    settings: RecipeSettings = None,
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Recipe file to write.", show_default="standard output"),
    ] = None,
    options: Annotated[  # its callback does the work
        bool,
        Option(
            "--options",
            help="Print all options of a recipe, and exit.",
            is_eager=True,
            callback=_print_options,
        ),
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """Draft a recipe: the options for one kind of file.

    The draft has what is certain, and question marks for the rest. Replace the question marks, then
    load this file and later files of the same kind with --recipe. Nothing is sent.

    Example: petstore-frame recipe arrivals.csv --output arrivals.toml
    """
    from petstore_frame.storage import toml

    stated = recipe_of(recipe, key, categories, settings).stated_options()
    text = pf.Recipe.draft(source_of(path), **stated)
    if output is None:
        typer.echo(text, nl=False)
        return
    inputs = [path, recipe, stated.get("categories")]
    toml.write_toml(output, text, overwrite=overwrite, inputs=inputs)
    typer.echo(f"wrote {output}; replace each question mark")
