"""The options that several commands share, each in one wording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from typer import BadParameter, Option

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


Text = str | None
Texts = list[str] | None
AsJson = Annotated[bool, switch("json", "Print one line of JSON.")]
CategoriesFile = Annotated[
    Path | None,
    Option(help="CSV of category_id,label.", exists=True, dir_okay=False, rich_help_panel=PLAIN),
]
Delimiter = Annotated[
    Text,
    Option(
        help=r"Character between the cells of a text file, such as ; or \t for a tab.",
        callback=lambda text: "\t" if text == r"\t" else text,
    ),
]
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
    base_url: Annotated[Text, Option(help="The store's address; else PETSTORE_BASE_URL.")] = None
    api_key: Annotated[
        Text,
        Option(help="The key. Prefer PETSTORE_API_KEY: arguments show in the process list."),
    ] = field(default=None, repr=False)
    timeout: Annotated[
        float, Option(help="Seconds to wait for an answer.", envvar="PETSTORE_TIMEOUT", min=0)
    ] = 30.0

    def given(self) -> dict[str, Any]:
        """Return what was typed of these; None is what was not. The key is never shown."""
        timeout = None if self.timeout == WhichStore.timeout else self.timeout
        return {"base_url": self.base_url, "timeout": timeout}

    def client(self, **more: Any) -> pf.Client:
        """Return a client of the store."""
        return pf.Client(self.base_url, self.api_key, timeout=self.timeout, **more)


_DEFAULTS = "field=text for an empty cell, such as 'name=Unnamed {Tag no}'"


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
    defaults: Annotated[Texts, repeated(_DEFAULTS, "--defaults", "--default")] = None
    keep: Annotated[Text, Option(help="Of rows of one key: first, last, or 'newest: COLUMN'.")] = (
        None
    )
    leave_out: Annotated[Texts, repeated("column=text of rows to leave out", "--leave-out")] = None
    only: Annotated[Texts, repeated("column=text of the rows to load", "--only")] = None
    leave_lines: Annotated[
        list[int] | None, repeated("A line to leave out", "--leave-lines", "--leave-line")
    ] = None
    count: Annotated[Text, Option(help="Column that says how many animals a row stands for.")] = (
        None
    )
    accept: Annotated[
        Texts, repeated("A kind of suspicious record to take after all", "--accept")
    ] = None
    sheet: Annotated[Text, Option(help="Sheet of a workbook.")] = None
    header_row: Annotated[
        int | None, Option(help="Row of the header, below a title; 1 is the first.", min=1)
    ] = None
    columns: Annotated[
        Text, Option(help="Column names of a file without a header: name,category_id.")
    ] = None
    encoding: Annotated[Text, Option(help="Encoding of a text file, if not UTF-8.")] = None
    delimiter: Delimiter = None
    quoting: Annotated[
        Literal["strict", "none"] | None, Option(help="none reads quotes as letters; else strict.")
    ] = None
    thousands: Annotated[Text, Option(help="Separator of thousands in category ids: , or .")] = None
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
                raise BadParameter(f"--{name} is for {kind}, which {path} is not")
        words = self.given()
        del words["recipe"], words["leave_lines"]
        recipe = as_recipe(self.recipe, words)
        if self.save_recipe is not None:
            recipe.write(self.save_recipe)
        return recipe

    def given(self) -> dict[str, Any]:
        """Return what was typed, as the options of ``load``; None is what was not."""
        words = {name: value for name, value in asdict(self).items() if name != "save_recipe"}
        for name, value in words.items():
            if value in ([], False):
                words[name] = None
            elif value is not None and name in _READ_BY:
                words[name] = _READ_BY[name](value)
        return words


def _pairs(given: list[str]) -> dict[str, str]:
    """Read ``field=text`` pairs; ``field=`` gives an empty text."""
    pairs = dict(pair.split("=", 1) for pair in given if "=" in pair)
    if len(pairs) != len(given):
        raise BadParameter(f"{given[-1]!r}: write field=text, each field once")
    return pairs


def _lists(given: list[str]) -> dict[str, list[str]]:
    """Read ``column=text`` pairs, of which a column may have several."""
    table: dict[str, list[str]] = {}
    for pair in given:
        column, equals, text = pair.partition("=")
        if not equals:
            raise BadParameter(f"{pair!r}: write column=text")
        table.setdefault(column, []).append(text)
    return table


def _value_map(values: list[str]) -> dict[str, dict[str, str | int]]:
    """Read ``field:text=value`` pairs, as ``status:reserved=pending``; digits are a number."""
    table: dict[str, dict[str, str | int]] = {}
    for pair in values:
        name, colon, rest = pair.partition(":")
        text, equals, value = rest.rpartition("=")
        if not colon or not equals:
            raise BadParameter(f"{pair!r}: write field:text=value")
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
