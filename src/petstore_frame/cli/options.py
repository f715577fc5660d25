"""What several commands share: their options, each in one wording, and how they end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NoReturn

import typer
from typer import Option

from petstore_frame.loader.reading.opening import is_workbook

if TYPE_CHECKING:
    from petstore_frame.client import Client
    from petstore_frame.loader.reading.recipe import Recipe

PLAIN, ANIMALS = "Options", "Which animal a record is"  # panels of several commands' help


def switch(name: str, text: str) -> Any:
    """Return an option that is given or not, without an opposite."""
    return Option(f"--{name}", help=text)


def to_write(text: str) -> Any:
    """Return the option of the file or folder that a command writes."""
    return Option("--output", "-o", help=text, show_default=False)


def _tab(text: str | None) -> str | None:
    return "\t" if text == r"\t" else text


CategoriesFile = Annotated[
    Path | None,
    Option(help="CSV of category_id,label.", exists=True, dir_okay=False, rich_help_panel=PLAIN),
]
_BETWEEN = r"Character between the cells of a text file, such as ; or \t for a tab."
Delimiter = Annotated[
    str | None,
    Option(
        help=_BETWEEN,
        callback=_tab,
    ),
]
Timezone = Annotated[
    str | None, Option(help="Whose days they are, such as Europe/Zurich; else the machine's.")
]
AsJson = Annotated[bool, switch("json", "Print one line of JSON.")]
JournalFolder = Annotated[
    Path | None,
    Option(
        help="Folder of the journals; else the user's state directory.", rich_help_panel=ANIMALS
    ),
]


@dataclass(frozen=True)
class Store:
    """Which store, for the commands that ask one."""

    PANEL: ClassVar[str] = "The store"
    base_url: Annotated[str | None, Option(help="The store's address; else PETSTORE_BASE_URL.")] = (
        None
    )
    api_key: Annotated[
        str | None,
        Option(help="The key. Prefer PETSTORE_API_KEY: arguments show in the process list."),
    ] = field(default=None, repr=False)
    timeout: Annotated[
        float | None,
        Option(help="Seconds to wait for an answer; else PETSTORE_TIMEOUT, else 120.", min=0),
    ] = None
    allow_insecure: Annotated[
        bool,
        switch(
            "allow-insecure",
            "Accept plain http to another machine, where the network is yours.",
        ),
    ] = False

    def settings(self) -> dict[str, Any]:
        """Return these as the arguments of ``Client``."""
        return {
            "base_url": self.base_url,
            "api_key": self.api_key,
            "timeout_s": self.timeout,
            "allow_insecure": self.allow_insecure,
        }

    def given(self) -> dict[str, Any]:
        """Return what was typed of these; None is what was not. The key is never shown."""
        return {
            "base_url": self.base_url,
            "timeout": self.timeout,
            "allow_insecure": self.allow_insecure or None,
        }

    def client(self, **more: Any) -> Client:
        """Return a client of the store."""
        from petstore_frame.client import Client

        return Client(**self.settings(), **more)


@dataclass(frozen=True)
class HowRead:
    """How a file of animals is read, for the commands that read one."""

    PANEL: ClassVar[str] = "How the file is read"
    key: Annotated[
        list[str] | None,
        Option(
            help="Column that identifies an animal; several: --key A --key B.",
            rich_help_panel=PLAIN,
        ),
    ] = None
    categories: CategoriesFile = None
    recipe: Annotated[
        Path | None,
        Option(
            help="How this kind of file is read, kept in a file; other options win.",
            exists=True,
            dir_okay=False,
            rich_help_panel=PLAIN,
        ),
    ] = None
    save_recipe: Annotated[
        Path | None, Option(help="Write these options into a recipe.", dir_okay=False)
    ] = None
    mapping: Annotated[
        list[str] | None,
        Option(
            "--mapping", "--column", help="field=column, such as name='Pet name'; may be repeated."
        ),
    ] = None
    value_map: Annotated[
        list[str] | None,
        Option(
            "--value-map",
            "--value",
            help="field:text=value, such as status:reserved=pending; may be repeated.",
        ),
    ] = None
    otherwise: Annotated[
        list[str] | None,
        Option(help="field=value for all other words, such as status=; may be repeated."),
    ] = None
    defaults: Annotated[
        list[str] | None,
        Option(
            "--defaults",
            "--default",
            help="field=text for an empty cell, such as 'name=Unnamed {Tag no}'; may be repeated.",
        ),
    ] = None
    keep: Annotated[
        str | None, Option(help="Of rows of one key: first, last, or 'newest: COLUMN'.")
    ] = None
    leave_out: Annotated[
        list[str] | None, Option(help="column=text of rows to leave out; may be repeated.")
    ] = None
    only: Annotated[
        list[str] | None, Option(help="column=text of the rows to load; may be repeated.")
    ] = None
    leave_lines: Annotated[
        list[int] | None,
        Option("--leave-lines", "--leave-line", help="A line to leave out; may be repeated."),
    ] = None
    count: Annotated[
        str | None, Option(help="Column that says how many animals a row stands for.")
    ] = None
    accept: Annotated[
        list[str] | None,
        Option(help="A kind of suspicious record to take after all; may be repeated."),
    ] = None
    sheet: Annotated[str | None, Option(help="Sheet of a workbook.")] = None
    header_row: Annotated[
        int | None, Option(help="Row of the header, below a title; 1 is the first.", min=1)
    ] = None
    columns: Annotated[
        str | None, Option(help="Column names of a file without a header: name,category_id.")
    ] = None
    encoding: Annotated[str | None, Option(help="Encoding of a text file, if not UTF-8.")] = None
    delimiter: Annotated[str | None, Option(help=_BETWEEN)] = None
    quoting: Annotated[
        Literal["strict", "none"] | None, Option(help="none reads quotes as letters; else strict.")
    ] = None
    thousands: Annotated[
        str | None, Option(help="Separator of thousands in category ids: , or .")
    ] = None
    keep_spaces: Annotated[bool, switch("keep-spaces", "Leave the outer spaces of names.")] = False

    def of(self, path: Path) -> Recipe:
        """Return these as a recipe, that of a file where one is given; save it if so asked.

        Raises:
            BadParameter: One cannot be read, or is of no use for this kind of file.
        """
        from petstore_frame.loader.reading.recipe import as_recipe

        is_book = is_workbook(path)
        for name in ("encoding", "delimiter", "quoting") if is_book else ("sheet",):
            if getattr(self, name) is not None:
                kind = "a text file" if is_book else "a workbook"
                raise typer.BadParameter(f"--{name} is for {kind}, which {path} is not")
        recipe = as_recipe(self.recipe, self._words())
        if self.save_recipe is not None:
            recipe.write(self.save_recipe)
        return recipe

    def given(self) -> dict[str, Any]:
        """Return what was typed, as the options of ``load_csv``; None is what was not."""
        return {"recipe": self.recipe, **self._words(), "leave_lines": self.leave_lines}

    def _words(self) -> dict[str, Any]:
        """Return the words of a recipe that were typed."""
        return {
            "key": self.key or None,
            "categories": self.categories,
            "mapping": _pairs("mapping", self.mapping),
            "value_map": _words(self.value_map),
            "otherwise": _pairs("otherwise", self.otherwise),
            "defaults": _pairs("defaults", self.defaults),
            "keep": self.keep,
            "leave_out": _lists("leave-out", self.leave_out),
            "only": _lists("only", self.only),
            "count": self.count,
            "accept": self.accept or None,
            "sheet": self.sheet,
            "columns": None if self.columns is None else self.columns.split(","),
            "header_row": self.header_row,
            "thousands": self.thousands,
            "keep_spaces": self.keep_spaces or None,
            "encoding": self.encoding,
            "delimiter": _tab(self.delimiter),
            "quoting": self.quoting,
        }


def _pairs(option: str, given: list[str] | None) -> dict[str, str] | None:
    """Read ``field=text`` pairs; ``field=`` gives an empty text."""
    pairs = dict(pair.split("=", 1) for pair in given or () if "=" in pair)
    if len(pairs) != len(given or ()):
        raise typer.BadParameter(f"--{option} is field=text, each field once")
    return pairs or None


def _lists(option: str, given: list[str] | None) -> dict[str, list[str]] | None:
    """Read ``column=text`` pairs, of which a column may have several."""
    table: dict[str, list[str]] = {}
    for pair in given or ():
        column, equals, text = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"--{option} is column=text")
        table.setdefault(column, []).append(text)
    return table or None


def _words(values: list[str] | None) -> dict[str, dict[str, str | int]] | None:
    """Read ``field:text=value`` pairs, as ``status:reserved=pending``; digits are a number."""
    table: dict[str, dict[str, str | int]] = {}
    for pair in values or ():
        name, colon, rest = pair.partition(":")
        text, equals, value = rest.rpartition("=")
        if not colon or not equals:
            raise typer.BadParameter("--value is field:text=value, as status:reserved=pending")
        table.setdefault(name, {})[text] = int(value) if value.lstrip("-").isdecimal() else value
    return table or None


def print_json(facts: Mapping[str, Any]) -> None:
    """Print one line, in ASCII, which every terminal and log accepts."""
    typer.echo(json.dumps(facts))


def finish(facts: Mapping[str, Any], text: str, *, as_json: bool, code: int = 0) -> NoReturn:
    """Print what a command has done, for a script or for a person, and end it."""
    if as_json:
        print_json({**facts, "exit_code": code})
    elif text:
        typer.echo(text)
    raise typer.Exit(code)
