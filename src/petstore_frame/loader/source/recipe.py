"""Defines a recipe: the options to read one kind of file, with their checks and descriptions."""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.row_state import Suspicion
from petstore_frame.loader.source.cell_parsing import KEY, PLACEHOLDER, readers_of
from petstore_frame.loader.source.column_mapping import field_name
from petstore_frame.loader.source.draft import draft_recipe
from petstore_frame.schema import FIELDS
from petstore_frame.storage import toml_files as toml
from petstore_frame.tables import Categories, Labels
from petstore_frame.validation import before_sending, checked_path, listed, suggest


class RecipeOptions(TypedDict, total=False):
    """The options of a recipe, for type checkers; None leaves an option out."""

    key: str | Sequence[str] | None
    keep: Literal["first", "last", "?"] | None
    order_by: str | None
    date_order: Literal["DMY", "MDY", "YMD", "?"] | None
    mapping: Mapping[str, str | None] | None
    value_map: Mapping[str, Mapping[Any, Any]] | None
    fallback: Mapping[str, Any] | None
    defaults: Mapping[str, Any] | None
    categories: Categories
    include: Mapping[str, str | Collection[str]] | None
    exclude: Mapping[str, str | Collection[str]] | None
    quantity: str | None
    allow: str | Collection[str] | None
    encoding: str | None
    delimiter: str | None
    quoting: Literal["strict", "single", "none", "unwrap", "?"] | None
    sheet: str | None
    header_row: int | None
    columns: Sequence[str] | None
    thousands: Literal[",", ".", " ", "'", "?"] | None
    keep_spaces: bool | None


def _as_tuple(value: Any) -> Any:
    if isinstance(value, str):
        return (value,) if value else ()
    items = () if value is None else listed(value)
    return value if items is None else tuple(items)  # what is no list is rejected by its type


def _meaning(value: Any) -> Any:
    if type(value).__name__ in ("bool", "bool_"):  # a numpy bool is not a bool
        raise ValueError(f"expected a text or a number, got {value}")
    return "" if value is None else value


def _is_number(label: object) -> bool:
    return str(label).strip().lstrip("-").isdecimal()


class Recipe(BaseModel):
    """The options to read one kind of file: write them once, and use them for every such file.

    A ``"?"`` is a placeholder for an answer. A file cannot be loaded while ``key``, ``keep``,
    ``mapping`` or a layout option such as ``encoding`` has one. If a value in ``value_map`` has
    one, the rows with that value need fixing. A recipe never contains an address, an API key or a
    journal folder.

    Raises:
        ArgumentError: An option is unknown, or its value cannot be used; the message names both.

    Example:
        >>> import petstore_frame as pf
        >>> pf.Recipe(key="Tag no", categories={"Dog": 1}).replace(keep="last")
        Recipe(key=('Tag no',), keep='last', categories={'Dog': 1})

    Interface: Resources, NewPet (the layout of a file is ours).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: tuple[str, ...] | None = Field(
        None, description='Column, or list of columns, that identifies an animal; "" if none does'
    )
    keep: Literal["first", "last", "?"] | None = Field(
        None,
        description="Row that counts if a key has several: first or last, in the order of the file "
        "or of order_by",
    )
    order_by: str | None = Field(
        None,
        pattern=r"\S",
        description="Column of dates or numbers that sorts the rows of one key",
    )
    date_order: Literal["DMY", "MDY", "YMD", "?"] | None = Field(
        None,
        description="Order of day, month and year in the dates of order_by: DMY, MDY or YMD; "
        "2026-03-31 needs none",
    )
    mapping: dict[str, str] = Field(
        {}, description='Column of each field: {"name": "Animal"}; "" leaves a field out'
    )
    value_map: dict[str, dict[str, str | int | float]] = Field(
        {},
        description='Meaning of the values of a field: {"status": {"in stock": "available"}}; '
        '"" means empty',
    )
    fallback: dict[str, str | int | float] = Field(
        {},
        description='Meaning of all values that value_map lacks, by field: {"status": "pending"}',
    )
    defaults: dict[str, str | int | float] = Field(
        {},
        description='Value for empty cells and missing columns: {"name": "Unnamed {Tag}"}; '
        "braces name a column",
    )
    categories: Any = Field(
        {},
        description='Number of each category label: {"Dog": 1}; or the path of a CSV file or '
        "workbook with the columns id and name",
    )
    include: dict[str, tuple[str, ...]] = Field(
        {}, description='Rows to load, by the values of a column: {"Place": ["North"]}'
    )
    exclude: dict[str, tuple[str, ...]] = Field(
        {}, description='Rows not to load, by the values of a column: {"Outcome": ["DIED"]}'
    )
    quantity: str | None = Field(
        None, pattern=r"\S", description="Column with the number of animals that a row stands for"
    )
    allow: tuple[Suspicion, ...] = Field(
        (), description="Kinds of suspicious rows to send anyway, such as hidden_row"
    )
    encoding: str | None = Field(None, description="Encoding of a text file that is not UTF-8")
    delimiter: str | None = Field(
        None,
        pattern=r'^[^"\r\n]$',
        description="Character between the cells, such as ; (not a quote or a line break)",
    )
    quoting: Literal["strict", "single", "none", "unwrap", "?"] = Field(
        "strict",
        description="Treatment of quotes: strict (as in CSV), single (as in CSV, but with '), none "
        "(read as text), or unwrap (removed around rows and names)",
    )
    sheet: str | None = Field(None, description="Name of the sheet of a workbook")
    header_row: int | None = Field(
        None, ge=1, description="Row of the header; 1 is the first row of the file"
    )
    columns: tuple[str, ...] | None = Field(
        None, description="Names of the columns, if the file has no header"
    )
    thousands: Literal[",", ".", " ", "'", "?"] | None = Field(
        None,
        description="Thousands separator of numbers: a comma, a point, a space (of any kind) or '",
    )
    keep_spaces: bool = Field(False, description="Whether to keep the spaces around names")

    @field_validator("key", "allow", "columns", "exclude", "include", mode="before")
    @classmethod
    def _as_tuples(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {column: _as_tuple(texts) for column, texts in value.items()}
        return _as_tuple(value)

    @field_validator("mapping", "value_map", "fallback", "defaults", mode="before")
    @classmethod
    def _by_field(cls, table: Any, info: ValidationInfo) -> Any:
        """Return the table with Python names of fields, and the values of a value map as text."""
        if not isinstance(table, Mapping):
            return table
        by_field = dict[str, Any]()
        for field, value in table.items():
            is_key = field == KEY and info.field_name == "value_map"
            name = KEY if is_key else field_name(str(field))
            if name is None:
                raise ValueError(f"there is no field {field!r}{suggest(field, FIELDS.sent.names)}")
            if isinstance(value, Mapping):
                meanings = {str(text): _meaning(meaning) for text, meaning in value.items()}
                by_field[name] = by_field.get(name, {}) | meanings
            else:
                by_field[name] = _meaning(value)
        return by_field

    @field_validator("categories")
    @classmethod
    def _ids_by_label(cls, categories: Any) -> Any:
        """Return ids by label; or labels by id if a label occurs twice or looks like an id."""
        if isinstance(categories, str | PathLike):
            return fspath(categories)
        placeholders = dict[str, str]()
        if isinstance(categories, Mapping):
            placeholders = {label: PLACEHOLDER for label, value in categories.items()
                            if value == PLACEHOLDER and not _is_number(label)}  # fmt: skip
            categories = {label: value for label, value in categories.items()
                          if label not in placeholders}  # fmt: skip
        pairs = {*Labels.ids_and_labels(categories)}
        table: dict[Any, Any] = {label: number for number, label in pairs}
        if len(table) < len(pairs) or any(map(_is_number, table)):
            table = dict(pairs)
        if len(table) < len(pairs):
            raise ValueError("has duplicate labels and ids; write them to a CSV file")
        return {**table, **placeholders}

    @field_validator("encoding")
    @classmethod
    def _is_text_encoding(cls, encoding: str) -> str:
        if encoding == PLACEHOLDER:
            return encoding
        try:
            "".encode(encoding)  # rejects codecs from bytes to bytes
        except LookupError:
            raise ValueError(f"{encoding!r} is not an encoding that Python knows") from None
        return encoding

    @model_validator(mode="after")
    def _has_a_direction(self) -> Self:
        if self.order_by is not None and self.keep is None:
            raise ValueError("order_by needs keep, which is 'last' or 'first'")
        return self

    def __init__(self, **options: Unpack[RecipeOptions]) -> None:
        stated = {name: value for name, value in options.items() if value is not None}
        try:
            super().__init__(**stated)
        except ValidationError as problem:
            raise _argument_error(problem) from None
        if isinstance(self.categories, Mapping):  # a file is read only when the rows are
            readers_of(self)

    def __repr_args__(self) -> Any:
        return self.stated_options().items()

    @classmethod
    def draft(cls, source: Any, **options: Unpack[RecipeOptions]) -> str:
        """Draft a recipe for a file, as TOML text with a placeholder for each open question.

        The complete file is read. Options that are certain are filled in; each placeholder has a
        comment with the facts.

        Args:
            source: A file or DataFrame, as for ``load``.
            options: Options that you can state already.

        Returns:
            The text of the recipe. Save it as a ``.toml`` file, and replace each ``"?"``.

        Raises:
            InputError: The file cannot be read.
        """
        return draft_recipe(source, cls(**options))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read a recipe from a TOML file; paths in it are relative to that file.

        Raises:
            InputError: The file cannot be read or has an invalid option; the error has the line.
        """
        file_path = checked_path("path", path)
        text, options = toml.read_toml(file_path, "the recipe")
        if isinstance(file := options.get("categories"), str):
            options["categories"] = str(file_path.parent / file)
        try:
            return cls(**options)
        except ArgumentError as problem:
            message = str(problem)
            named = [name for name in options if name in message]
            line = toml.line_of(min(named, key=message.find), text) if named else None
            raise InputError(message, path=str(file_path), line=line) from None

    def write(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the recipe to a TOML file, with a comment on each line, and return its path.

        ``overwrite=True`` replaces an existing file, but never the category list of the recipe.

        Raises:
            ArgumentError: A value cannot be written as text.
            ReportError: The file exists with another content, or cannot be written.
        """
        file_path, options = checked_path("path", path), self.to_dict()
        if isinstance(self.categories, str):
            file = Path(self.categories).resolve()
            with suppress(ValueError):  # on Windows, if the drives differ
                file = Path(os.path.relpath(file, file_path.parent.resolve()))
            options["categories"] = file.as_posix()
        text = toml.toml_of(options, self.comments())
        return toml.write_toml(file_path, text, overwrite=overwrite, inputs=[self.categories])

    def to_dict(self) -> dict[str, Any]:
        """Return the options as JSON values, so that ``Recipe(**values)`` is an equal recipe."""
        options = self.model_dump(mode="json", exclude_defaults=True)
        if self.key is not None and len(self.key) < 2:
            options["key"] = "".join(self.key)
        return options

    def stated_options(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        return self.model_dump(exclude_defaults=True)

    @classmethod
    def comments(cls) -> dict[tuple[str, ...], str]:
        """Return the comment of each option in a TOML file."""
        return {(name,): description for name, description in cls.describe().items()}

    @classmethod
    def describe(cls) -> dict[str, str]:
        """Return the description of each option, by its name.

        Example:
            >>> Recipe.describe()["sheet"]
            'Name of the sheet of a workbook'
        """
        return {name: field.description or "" for name, field in cls.model_fields.items()}

    def replace(self, **options: Any) -> Self:
        """Return a copy with these options replaced; None removes an option."""
        return type(self)(**{**self.stated_options(), **options})

    def with_options(self, **options: Any) -> Self:
        """Return a copy with these options added; tables are merged.

        Example:
            >>> recipe = Recipe(mapping={"name": "A"})
            >>> recipe.with_options(mapping={"status": "B"}).mapping
            {'name': 'A', 'status': 'B'}
        """
        merged = self.stated_options()
        for name, value in options.items():
            if value is not None:
                is_table = name != "categories"
                merged[name] = _merged(merged.get(name), value) if is_table else value
        return type(self)(**merged)

    def reject_placeholders(self, path: Path | None = None) -> None:
        """Reject a recipe with placeholders that a person must replace first.

        Raises:
            InputError: An option has a placeholder; the error has the line of the first one.
        """
        names = [name for name in _NEVER_OPEN if getattr(self, name) == PLACEHOLDER]
        if PLACEHOLDER in (self.key or ()):
            names.append("key")
        if self.key == ():  # keep and order_by need a key
            names = [name for name in names if name not in ("keep", "order_by", "date_order")]
        if self.order_by is None:
            names = [name for name in names if name != "date_order"]
        names += [f"mapping.{name}" for name, at in self.mapping.items() if at == PLACEHOLDER]
        if not names:
            return
        option, _, field = names[0].partition(".")
        message = f"the recipe has a placeholder for {' and '.join(names)}"
        hint = f"{option}: {self.describe()[option]}" if len(names) == 1 else "replace each '?'"
        error = InputError(message, hint=hint)
        if path is not None:
            text, _ = toml.read_toml(path, "the recipe")
            error.path, error.line = str(path), toml.line_of(field or option, text)
        raise error


# Options whose tables have texts of the file as keys. These may contain a "="; the values do not.
_BY_LABEL = ("categories", "value_map")
_LISTS = ("key", "columns", "allow", "exclude", "include")
# Options that are needed to read any row, so they cannot be placeholders.
_NEVER_OPEN = (
    "keep",
    "order_by",
    "date_order",
    "encoding",
    "delimiter",
    "quoting",
    "sheet",
    "thousands",
)


def _merged(old: Any, new: Any) -> Any:
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return new
    return {**old, **{name: _merged(old.get(name), value) for name, value in new.items()}}


def _argument_error(error: ValidationError) -> ArgumentError:
    """Return the first problem as an error that names the option and its description."""
    problem = error.errors(include_url=False)[0]
    if not problem["loc"]:  # two options that contradict each other
        return ArgumentError(str(problem["ctx"]["error"]))
    name = str(problem["loc"][0])
    descriptions = Recipe.describe()
    if name not in descriptions:
        return ArgumentError(f"a recipe has no option {name!r}{suggest(name, descriptions)}")
    context = problem.get("ctx", {})
    if isinstance(reason := context.get("error"), ValueError):
        return ArgumentError(f"{name}: {reason}")
    value = reprlib.repr(problem["input"])
    allowed = f"; it must be one of {context['expected']}" if "expected" in context else ""
    return ArgumentError(f"{name}: {descriptions[name]}{allowed}; got {value}")


def _with_options(text: str | None) -> str:
    """Return a docstring with a line for each option, in their order."""
    start, raises, end = (text or "").partition("    Raises:")
    lines = [f"        {name}: {about}." for name, about in Recipe.describe().items()]
    return "\n".join([f"{start}    Args:", *lines, "", f"{raises}{end}"])


Recipe.__doc__ = _with_options(Recipe.__doc__)
RecipeOptions.__doc__ = "\n".join(
    [
        f"{RecipeOptions.__doc__}\n",
        *(f"{name}: {about}." for name, about in Recipe.describe().items()),
    ]
)


@before_sending()
def as_recipe(
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None,
    options: Mapping[str, Any],
    texts: Iterable[str] = (),
) -> Recipe:
    """Return a recipe from a Recipe, a dict or a TOML file, overridden by explicit options.

    Args:
        recipe: The recipe; None starts with an empty one.
        options: Options that override those of the recipe.
        texts: Options of ``--set`` in a shell, ``OPTION=VALUE``.

    Raises:
        ArgumentError: The recipe has another type, or an option is invalid.
        InputError: The file is not a recipe, or has a placeholder that must be replaced first.
    """
    path = Path(fspath(recipe)) if isinstance(recipe, str | PathLike) else None
    if path is not None:
        recipe = Recipe.read(path)
    elif isinstance(recipe, Mapping):
        recipe = Recipe(**recipe)
    elif not isinstance(recipe, Recipe | None):
        kind = type(recipe).__name__
        raise ArgumentError(f"recipe must be a Recipe, a dict or a path, got {kind}")
    merged = (recipe or Recipe()).with_options(**{**read_set(texts), **options})
    merged.reject_placeholders(path)
    return merged


def read_set(texts: Iterable[str]) -> dict[str, Any]:
    """Return the options of ``--set OPTION=VALUE``.

    Raises:
        ArgumentError: A text has no ``=``, or an option is both a value and a table.

    Example:
        >>> read_set(["keep=first", "mapping.name=Pet name", "value_map.status.a.b=sold"])
        {'keep': 'first', 'mapping': {'name': 'Pet name'}, 'value_map': {'status': {'a.b': 'sold'}}}
    """
    options: dict[str, Any] = {}
    for text in texts:
        name, *_ = re.split(r"[.=]", text, maxsplit=1)
        split = text.rpartition if name in _BY_LABEL else text.partition
        path, equals, value = split("=")
        if not (name and equals):
            raise ArgumentError(
                f"--set must be OPTION=VALUE, such as encoding=cp1252, got {text!r}"
            )
        *tables, last = path.split(".", 2 if name == "value_map" else 1)
        table = options
        for part in tables:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise ArgumentError(f"--set {text}: {part} has a value already")
        # A later value replaces an earlier one, except in options that are lists.
        table[last] = [*table.get(last, ()), value] if name in _LISTS else value
    return options
