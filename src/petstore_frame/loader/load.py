"""The way in: a CSV file, a workbook or a DataFrame into the store."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any, Unpack

from petstore_frame.errors import nearest, refuse
from petstore_frame.loader.options import Duplicates, LoadOptions, ProgressOption
from petstore_frame.loader.reading import Recipe, RecipeWords, as_recipe
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.run import run_import
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.schema import AnyFrame


def load(
    source: str | PathLike[str] | AnyFrame,
    client: PostingClient,
    *,
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None = None,
    duplicates: Duplicates | None = None,
    send_lines: Collection[int] = (),
    leave_lines: Collection[int] = (),
    again: bool = False,
    dry_run: bool = False,
    check_store: bool = True,
    max_errors: int | None = None,
    progress: ProgressOption = None,
    journal: str | PathLike[str] | None = None,
    workers: int | None = None,
    **words: Unpack[RecipeWords],
) -> LoadResult:
    """Load the animals of a file or a frame into the store, none twice and none lost.

    The same call again goes on where it stopped, or does nothing. With ``key=`` each animal is
    known by its key, in whatever file it comes back; without it you are asked what rows are that
    equal earlier ones. Rows that are fine are sent, whatever the others are.

    Args:
        source: A CSV, TSV, gzip or ``.xlsx`` file, or a DataFrame of any engine.
        client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        recipe: How this kind of file is read: a Recipe, a dict, or the path of a TOML file.
        duplicates: What rows are that may be known animals: ``refuse`` asks, ``skip`` takes them
            for the same animals, ``send`` for others; or a dict with an answer for each case.
        send_lines: Lines of rows that are other animals, whatever they equal.
        leave_lines: Lines of rows that are not sent.
        again: The same file stands for further animals.
        dry_run: Read, check and plan, and send nothing.
        check_store: Read the store before sending, and ask about equal pets of others.
        max_errors: Stop above so many invalid, or rejected, rows.
        progress: None shows a bar where a person can see it, True always, False never; or a
            function that is given the number of rows in each state.
        journal: Folder of the journals; None is the user's state directory.
        workers: Requests in flight at most, 1 to 32; None is about 16.
        words: Words of the recipe, which win over it: ``key="Tag"``, ``categories="labels.csv"``,
            ``mapping={"name": "Pet"}``. ``help(pf.Recipe)`` has all.

    Returns:
        A LoadResult: ``.frame`` has each row and its state, ``.fix`` those to correct, and
        ``.write(folder)`` makes files.

    Raises:
        InputError: The source cannot be read as animals; nothing was sent.
        ArgumentError: An argument cannot be used; nothing was sent.
        DuplicatesError: Rows may be known animals; it says what to add. Nothing was sent.
        LoadStopped: The store, an outage or a limit ended it; the same call goes on.
        LoadInterrupted: Ctrl-C ended it; requests on their way were awaited.
        JournalError: The journal cannot be used, or another load is at work (JournalLockedError).

    Example:
        >>> import pandas as pd
        >>> import petstore_frame as pf
        >>> pets = pd.DataFrame({"name": ["Luna", "Max"], "category_id": ["3", "three"]})
        >>> with pf.serve() as server, server.client() as client:
        ...     pf.load(pets, client).frame["state"].tolist()
        ['created', 'invalid']

    Interface: Endpoints, Add an animal.
    """
    known = [*RecipeWords.__annotations__, "recipe", *LoadOptions.__annotations__]
    for word in words.keys() - RecipeWords.__annotations__.keys():
        refuse(f"load has no word {word!r}{nearest(word, known)}; nothing was sent")
    how = as_recipe(recipe, words)
    return run_import(
        source,
        client,
        how,
        workers=workers,
        max_errors=max_errors,
        dry_run=dry_run,
        duplicates=duplicates,
        send_lines=send_lines,
        leave_lines=leave_lines,
        check_store=check_store,
        again=again,
        progress=progress,
        journal=journal,
    )
