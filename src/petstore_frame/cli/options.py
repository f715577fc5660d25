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
    from petstore_frame.loader.options import ListOptions

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
    column: Annotated[
        list[str] | None, Option(help="field=column, such as name='Pet name'; may be repeated.")
    ] = None
    value: Annotated[
        list[str] | None,
        Option(help="field:text=value, such as status:reserved=pending; may be repeated."),
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

    def of(self, path: Path) -> ListOptions:
        """Return these as the options of ``load_csv`` and the others.

        Raises:
            BadParameter: One cannot be read, or is of no use for this kind of file.
        """
        is_book = is_workbook(path)
        for name in ("encoding", "delimiter", "quoting") if is_book else ("sheet",):
            if getattr(self, name) is not None:
                kind = "a text file" if is_book else "a workbook"
                raise typer.BadParameter(f"--{name} is for {kind}, which {path} is not")
        return {
            "mapping": _pairs(self.column),
            "value_map": _words(self.value),
            "categories": self.categories,
            "key": self.key or (),
            "accept": self.accept or (),
            "columns": None if self.columns is None else self.columns.split(","),
            "header_row": self.header_row,
            "keep_spaces": self.keep_spaces,
            "thousands": self.thousands,
            "encoding": self.encoding,
            "delimiter": _tab(self.delimiter),
            "quoting": self.quoting or "strict",
            "sheet": self.sheet,
        }


def _pairs(columns: list[str] | None) -> dict[str, str | None] | None:
    """Read ``field=column`` pairs; ``field=`` says that there is none."""
    pairs = dict(pair.split("=", 1) for pair in columns or () if "=" in pair)
    if len(pairs) != len(columns or ()):
        raise typer.BadParameter("--column is field=column, each field once")
    return {name: column or None for name, column in pairs.items()} or None


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
