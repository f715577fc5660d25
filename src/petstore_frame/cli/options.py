"""What several commands share: their options, each in one wording, and their line of JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from petstore_frame.loader.reading.opening import is_workbook

if TYPE_CHECKING:
    from petstore_frame.loader.options import ListOptions

ANIMALS = "Which animal a record is"  # a panel of two commands' help
CATEGORIES = "CSV of category_id,label."

CategoriesFile = Annotated[Path | None, typer.Option(help=CATEGORIES, exists=True, dir_okay=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
RequireComplete = Annotated[
    bool, typer.Option("--require-complete", help="Write nothing unless all pets were read.")
]
ShowEvidence = Annotated[
    bool, typer.Option("--evidence", help="Show how it is known that the listing is complete.")
]
JournalFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the journals; else the user's state directory.", rich_help_panel=ANIMALS
    ),
]


@dataclass(frozen=True)
class Store:
    """Which store, for the commands that ask one."""

    PANEL: ClassVar[str] = "The store"
    base_url: Annotated[
        str | None, typer.Option(help="The store's address; else PETSTORE_BASE_URL.")
    ] = None
    api_key: Annotated[
        str | None,
        typer.Option(help="The key. Prefer PETSTORE_API_KEY: arguments show in the process list."),
    ] = field(default=None, repr=False)
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds to wait for an answer; else PETSTORE_TIMEOUT, else 120.", min=0),
    ] = None
    allow_insecure: Annotated[
        bool,
        typer.Option(
            "--allow-insecure",
            help="Accept plain http to another machine, where the network is yours.",
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


class Quoting(StrEnum):
    """How quotes in a text file are read."""

    STRICT = "strict"
    NONE = "none"


@dataclass(frozen=True)
class HowRead:
    """How a file of animals is read, for the commands that read one."""

    PANEL: ClassVar[str] = "How the file is read"
    key: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that identifies an animal; several: --key A --key B.",
            rich_help_panel="Options",
        ),
    ] = None
    categories: Annotated[
        Path | None,
        typer.Option(help=CATEGORIES, exists=True, dir_okay=False, rich_help_panel="Options"),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(help="field=column, such as name='Pet name'; may be repeated."),
    ] = None
    value: Annotated[
        list[str] | None,
        typer.Option(help="field:text=value, such as status:reserved=pending; may be repeated."),
    ] = None
    accept: Annotated[
        list[str] | None,
        typer.Option(help="A kind of suspicious record to take after all; may be repeated."),
    ] = None
    sheet: Annotated[str | None, typer.Option(help="Sheet of a workbook.")] = None
    header_row: Annotated[
        int | None, typer.Option(help="Row of the header, below a title; 1 is the first.", min=1)
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(help="Column names of a file without a header: name,category_id."),
    ] = None
    encoding: Annotated[str | None, typer.Option(help="Encoding of a text file, if not UTF-8.")] = (
        None
    )
    delimiter: Annotated[
        str | None, typer.Option(help=r"Character between cells, \t for a tab; else it is found.")
    ] = None
    quoting: Annotated[
        Quoting | None, typer.Option(help="none reads quotes as letters; else strict.")
    ] = None
    thousands: Annotated[
        str | None, typer.Option(help="Separator of thousands in category ids: , or .")
    ] = None
    keep_spaces: Annotated[
        bool, typer.Option("--keep-spaces", help="Leave the outer spaces of names.")
    ] = False

    def of(self, path: Path) -> ListOptions:
        """Return these as the options of ``load_csv`` and the others.

        Raises:
            BadParameter: One cannot be read, or is of no use for this kind of file.
        """
        for_text = {"encoding": self.encoding, "delimiter": self.delimiter, "quoting": self.quoting}
        is_book = is_workbook(path)
        useless = for_text if is_book else {"sheet": self.sheet}
        for name, given in useless.items():
            if given is not None:
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
            "delimiter": "\t" if self.delimiter == r"\t" else self.delimiter,
            "quoting": str(self.quoting or Quoting.STRICT),
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


def print_json(facts: dict[str, Any]) -> None:
    """Print one line, in ASCII, which every terminal and log accepts."""
    typer.echo(json.dumps(facts))
