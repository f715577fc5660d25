"""What several commands share: their options, each in one wording, and their line of JSON."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from petstore_frame.loader.reading.kinds import is_workbook

if TYPE_CHECKING:
    from petstore_frame.loader.options import ListOptions

# The panels of a command's help.
STORE, READING, ANIMALS = "The store", "How the file is read", "Which animal a record is"

CategoriesFile = Annotated[
    Path | None, typer.Option(help="CSV of category_id,label.", exists=True, dir_okay=False)
]
Database = Annotated[str, typer.Option(help="SQLAlchemy URL, or the path of a SQLite file.")]
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

    base_url: Annotated[
        str | None,
        typer.Option(help="The store's address; else PETSTORE_BASE_URL.", rich_help_panel=STORE),
    ] = None
    api_key: Annotated[
        str | None,
        typer.Option(
            help="The key. Prefer PETSTORE_API_KEY: arguments show in the process list.",
            rich_help_panel=STORE,
        ),
    ] = field(default=None, repr=False)
    timeout: Annotated[
        float | None,
        typer.Option(
            help="Seconds to wait for an answer; else PETSTORE_TIMEOUT, else 120.",
            min=0,
            rich_help_panel=STORE,
        ),
    ] = None
    allow_insecure: Annotated[
        bool,
        typer.Option(
            "--allow-insecure",
            help="Accept plain http to another machine, where the network is yours.",
            rich_help_panel=STORE,
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

    key: Annotated[
        list[str] | None,
        typer.Option(help="Column that identifies an animal; several: --key A --key B."),
    ] = None
    categories: CategoriesFile = None
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="field=column, such as name='Pet name'; may be repeated.", rich_help_panel=READING
        ),
    ] = None
    value: Annotated[
        list[str] | None,
        typer.Option(
            help="field:text=value, such as status:reserved=pending; may be repeated.",
            rich_help_panel=READING,
        ),
    ] = None
    accept: Annotated[
        list[str] | None,
        typer.Option(
            help="A kind of suspicious record to take after all; may be repeated.",
            rich_help_panel=READING,
        ),
    ] = None
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of a workbook.", rich_help_panel=READING)
    ] = None
    header_row: Annotated[
        int | None,
        typer.Option(
            help="Row of the header, below a title; 1 is the first.",
            min=1,
            rich_help_panel=READING,
        ),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            help="Column names of a file without a header: name,category_id.",
            rich_help_panel=READING,
        ),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(help="Encoding of a text file, if not UTF-8.", rich_help_panel=READING),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            help=r"Character between cells, \t for a tab; else it is found.",
            rich_help_panel=READING,
        ),
    ] = None
    quoting: Annotated[
        Quoting | None,
        typer.Option(help="none reads quotes as letters; else strict.", rich_help_panel=READING),
    ] = None
    thousands: Annotated[
        str | None,
        typer.Option(
            help="Separator of thousands in category ids: , or .", rich_help_panel=READING
        ),
    ] = None
    keep_spaces: Annotated[
        bool,
        typer.Option(
            "--keep-spaces", help="Leave the outer spaces of names.", rich_help_panel=READING
        ),
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


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Let a parameter that is one of the groups above stand for each of its options."""
    shown, groups = list[inspect.Parameter](), dict[str, Any]()
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and is_dataclass(kind):
            groups[parameter.name] = kind
            shown += inspect.signature(kind, eval_str=True).parameters.values()
        else:
            shown.append(parameter)

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        command(**given)

    only = inspect.Parameter.KEYWORD_ONLY
    run.__signature__ = inspect.Signature([each.replace(kind=only) for each in shown])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in shown}
    return run


def print_json(facts: dict[str, Any]) -> None:
    """Print one line, in ASCII, which every terminal and log accepts."""
    typer.echo(json.dumps(facts))
