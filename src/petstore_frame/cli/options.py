"""What several commands share: their options, each in one wording, and how they end."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NoReturn

import typer
from typer import Option

import petstore_frame as pf

PLAIN, ANIMALS = "Options", "Which animal a record is"  # panels of several commands' help


def switch(name: str, text: str) -> Any:
    """Return an option that is given or not, without an opposite."""
    return Option(f"--{name}", help=text)


def to_write(text: str) -> Any:
    """Return the option of the file or folder that a command writes."""
    return Option("--output", "-o", help=text, show_default=False)


def repeated(text: str, *names: str) -> Any:
    """Return an option that may be given several times."""
    return Option(*names, help=f"{text}; may be repeated.")


Texts = list[str] | None
CategoriesFile = Annotated[
    Path | None,
    Option(help="CSV of category_id,label.", exists=True, dir_okay=False, rich_help_panel=PLAIN),
]
Delimiter = Annotated[
    str | None,
    Option(
        help=r"Character between the cells of a text file, such as ; or \t for a tab.",
        callback=lambda text: "\t" if text == r"\t" else text,
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
class WhichStore:
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

    def client(self, **more: Any) -> pf.Client:
        """Return a client of the store."""
        return pf.Client(**self.settings(), **more)


@dataclass(frozen=True)
class HowRead:
    """How a file of animals is read, for the commands that read one."""

    PANEL: ClassVar[str] = "How the file is read"
    key: Annotated[
        Texts,
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
        Texts, repeated("field=column, such as name='Pet name'", "--mapping", "--column")
    ] = None
    value_map: Annotated[
        Texts,
        repeated("field:text=value, such as status:reserved=pending", "--value-map", "--value"),
    ] = None
    otherwise: Annotated[
        Texts, repeated("field=value for all other words, such as status=", "--otherwise")
    ] = None
    defaults: Annotated[
        Texts,
        repeated(
            "field=text for an empty cell, such as 'name=Unnamed {Tag no}'",
            "--defaults",
            "--default",
        ),
    ] = None
    keep: Annotated[
        str | None, Option(help="Of rows of one key: first, last, or 'newest: COLUMN'.")
    ] = None
    leave_out: Annotated[Texts, repeated("column=text of rows to leave out", "--leave-out")] = None
    only: Annotated[Texts, repeated("column=text of the rows to load", "--only")] = None
    leave_lines: Annotated[
        list[int] | None, repeated("A line to leave out", "--leave-lines", "--leave-line")
    ] = None
    count: Annotated[
        str | None, Option(help="Column that says how many animals a row stands for.")
    ] = None
    accept: Annotated[
        Texts, repeated("A kind of suspicious record to take after all", "--accept")
    ] = None
    sheet: Annotated[str | None, Option(help="Sheet of a workbook.")] = None
    header_row: Annotated[
        int | None, Option(help="Row of the header, below a title; 1 is the first.", min=1)
    ] = None
    columns: Annotated[
        str | None, Option(help="Column names of a file without a header: name,category_id.")
    ] = None
    encoding: Annotated[str | None, Option(help="Encoding of a text file, if not UTF-8.")] = None
    delimiter: Delimiter = None
    quoting: Annotated[
        Literal["strict", "none"] | None, Option(help="none reads quotes as letters; else strict.")
    ] = None
    thousands: Annotated[
        str | None, Option(help="Separator of thousands in category ids: , or .")
    ] = None
    keep_spaces: Annotated[bool, switch("keep-spaces", "Leave the outer spaces of names.")] = False

    def of(self, path: Path) -> pf.Recipe:
        """Return these as a recipe, that of a file where one is given; save it if so asked.

        Raises:
            BadParameter: One cannot be read, or is of no use for this kind of file.
        """
        from petstore_frame.loader.reading.opening import is_workbook
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
        """Return the words of a recipe; None is what was not typed."""
        elsewhere = ("recipe", "save_recipe", "leave_lines")
        words = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, value in words.items():
            if value in ([], False):
                words[name] = None
            elif value is not None and name in _READ_BY:
                words[name] = _READ_BY[name](value)
        return {name: value for name, value in words.items() if name not in elsewhere}


def _pairs(given: list[str]) -> dict[str, str]:
    """Read ``field=text`` pairs; ``field=`` gives an empty text."""
    pairs = dict(pair.split("=", 1) for pair in given if "=" in pair)
    if len(pairs) != len(given):
        raise typer.BadParameter(f"{given[-1]!r}: write field=text, each field once")
    return pairs


def _lists(given: list[str]) -> dict[str, list[str]]:
    """Read ``column=text`` pairs, of which a column may have several."""
    table: dict[str, list[str]] = {}
    for pair in given:
        column, equals, text = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"{pair!r}: write column=text")
        table.setdefault(column, []).append(text)
    return table


def _value_map(values: list[str]) -> dict[str, dict[str, str | int]]:
    """Read ``field:text=value`` pairs, as ``status:reserved=pending``; digits are a number."""
    table: dict[str, dict[str, str | int]] = {}
    for pair in values:
        name, colon, rest = pair.partition(":")
        text, equals, value = rest.rpartition("=")
        if not colon or not equals:
            raise typer.BadParameter(f"{pair!r}: write field:text=value")
        table.setdefault(name, {})[text] = int(value) if value.lstrip("-").isdecimal() else value
    return table


_READ_BY: dict[str, Callable[[Any], Any]] = {
    "mapping": _pairs,
    "otherwise": _pairs,
    "defaults": _pairs,
    "value_map": _value_map,
    "leave_out": _lists,
    "only": _lists,
    "columns": lambda text: text.split(","),
}


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
