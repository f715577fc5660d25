"""States each word of a recipe once, with its type, its check and its comment."""

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
from pydantic_core import PydanticCustomError

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.row_state import Suspicion
from petstore_frame.loader.source import cell_parsing as fields
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER, FieldReader, word_of
from petstore_frame.loader.source.column_mapping import field_name
from petstore_frame.schema import FIELDS, Categories, Labels
from petstore_frame.storage import toml_files as toml
from petstore_frame.validation import nearest

# Words of the key columns that mean that there is no key stand beside those of the fields.
KEY = "key"


class RecipeOptions(TypedDict, total=False):
    """The words of a recipe, for type checkers; None says nothing."""

    key: str | Sequence[str] | None
    keep: Literal["first", "last", "?"] | None
    order_by: str | None
    mapping: Mapping[str, str | None] | None
    value_map: Mapping[str, Mapping[Any, Any]] | None
    fallback: Mapping[str, Any] | None
    defaults: Mapping[str, Any] | None
    categories: Categories
    exclude: Mapping[str, str | Collection[str]] | None
    include: Mapping[str, str | Collection[str]] | None
    quantity: str | None
    allow: str | Collection[str] | None
    encoding: str | None
    delimiter: str | None
    quoting: Literal["strict", "none"] | None
    sheet: str | None
    header_row: int | None
    columns: Sequence[str] | None
    thousands: Literal[",", "."] | None
    keep_spaces: bool | None


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) and value else value or ()


def _meaning(value: Any) -> Any:
    if type(value).__name__ in ("bool", "bool_"):  # numpy's is no bool
        raise ValueError(f"expected a text or a number, got {value}")
    return "" if value is None else value


def _is_number(label: object) -> bool:
    return str(label).strip().lstrip("-").isdecimal()


class RecipeFields(BaseModel):
    """How a file is read: the words of a ``Recipe``, checked."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    # Each text is the comment in a file, and says in a refusal what the word may be.
    key: tuple[str, ...] | None = None
    """the column, or columns, that identify an animal; "" if none does"""
    keep: Literal["first", "last", "?"] | None = None
    """of several rows of one key: first or last, by the order of the file or by order_by"""
    order_by: str | None = Field(None, pattern=r"\S")
    """the column of dates or numbers that says which row of a key is first or last"""
    mapping: dict[str, str] = {}
    """the column of each field, as text: {"name": "Animal"}"""
    value_map: dict[str, dict[str, str | int | float]] = {}
    """what words mean, by field: {"status": {"in stock": "available"}}"""
    fallback: dict[str, str | int | float] = {}
    """what all other words of a field become"""
    defaults: dict[str, str | int | float] = {}
    """what an empty cell becomes; braces name a column of the file"""
    categories: Any = {}
    """the number of each label, or a CSV file"""
    exclude: dict[str, tuple[str, ...]] = {}
    """rows that are not loaded, by words of a column: {"Outcome": ["DIED"]}"""
    include: dict[str, tuple[str, ...]] = {}
    """the rows that are loaded, in the same way: {"Place": ["North"]}"""
    quantity: str | None = Field(None, pattern=r"\S")
    """the column that says how many animals a row stands for"""
    allow: tuple[Suspicion, ...] = ()
    """kinds of suspicious rows that are sent all the same, such as hidden_row"""
    encoding: str | None = None
    """of a text file that is not UTF-8"""
    delimiter: str | None = Field(None, pattern=r'^[^"\r\n]$')
    """one character between the cells, no quote and no line end"""
    quoting: Literal["strict", "none"] = "strict"
    """strict, or none to read quotes as letters"""
    sheet: str | None = None
    """the name of a workbook's sheet"""
    header_row: int | None = Field(None, ge=1)
    """the row of the header: 1 is the first of the file"""
    columns: tuple[str, ...] | None = None
    """a list of the columns' names, where the file has no header"""
    thousands: Literal[",", "."] | None = None
    """the separator in numbers: , or ."""
    keep_spaces: bool = False
    """true leaves the outer spaces of names"""

    @field_validator("key", "allow", "columns", "exclude", "include", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {column: _as_tuple(words) for column, words in value.items()}
        return _as_tuple(value)

    @field_validator("mapping", "value_map", "fallback", "defaults", mode="before")
    @classmethod
    def _by_field(cls, table: Any, info: ValidationInfo) -> Any:
        """Spell the fields as Python does, and the words of a value map as text."""
        if not isinstance(table, Mapping):
            return table
        found = dict[str, Any]()
        for word, value in table.items():
            is_key = word == KEY and info.field_name == "value_map"
            name = KEY if is_key else field_name(str(word))
            if name is None:
                raise ValueError(f"there is no field {word!r}{nearest(word, FIELDS.sent.names)}")
            if isinstance(value, Mapping):
                said = {str(each): _meaning(meant) for each, meant in value.items()}
                found[name] = found.get(name, {}) | said
            else:
                found[name] = _meaning(value)
        return found

    @field_validator("categories")
    @classmethod
    def _ids_by_label(cls, categories: Any) -> Any:
        """Return labels by id where labels recur or look like ids; the path of a file stays."""
        if isinstance(categories, str | PathLike):
            return fspath(categories)
        blanks = dict[str, str]()
        if isinstance(categories, Mapping):
            blanks = {label: PLACEHOLDER for label, value in categories.items()
                      if value == PLACEHOLDER and not _is_number(label)}  # fmt: skip
            categories = {label: categories[label] for label in categories if label not in blanks}
        words = {*Labels.words(categories)}
        table: dict[Any, Any] = {label: number for number, label in words}
        if len(table) < len(words) or any(map(_is_number, table)):
            table = dict(words)
        if len(table) < len(words):
            raise ValueError("has labels and ids that stand several times; write them as a CSV")
        return {**table, **blanks}

    @field_validator("encoding")
    @classmethod
    def _codec(cls, encoding: str) -> str:
        try:
            "".encode(encoding)  # which a codec of bytes refuses
        except LookupError:
            raise ValueError(f"{encoding!r} is no encoding that Python knows") from None
        return encoding

    @model_validator(mode="after")
    def _has_a_direction(self) -> Self:
        if self.order_by is not None and self.keep is None:
            raise PydanticCustomError("order_by", "order_by= needs keep='last' or keep='first'")
        return self

    def __init__(self, **words: Unpack[RecipeOptions]) -> None:
        given = {word: value for word, value in words.items() if value is not None}
        try:
            super().__init__(**given)
        except ValidationError as problem:
            raise _refusal(problem) from None
        if isinstance(self.categories, Mapping):  # a file is read with the cells
            readers_of(self)

    def __repr_args__(self) -> Any:
        return self.given().items()

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read a recipe from its file; a path in it is relative to it.

        Raises:
            InputError: The file cannot be read, or has a word that no recipe has; with its line.
        """
        place = Path(fspath(path))
        text, words = toml.read_toml(place, "the recipe")
        if isinstance(file := words.get("categories"), str):
            words["categories"] = str(place.parent / file)
        try:
            return cls(**words)
        except ArgumentError as problem:
            what = str(problem)
            named = min((word for word in words if word in what), key=what.find, default="")
            raise InputError(what, path=str(place), line=toml.line_of(named, text)) from None

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the recipe into a file, with a comment per line, and return its path.

        Raises:
            ArgumentError: Something in it cannot stand in a file.
        """
        place, words = Path(fspath(path)), self.to_dict()
        if isinstance(self.categories, str):
            file = Path(self.categories).resolve()
            with suppress(ValueError):  # between drives
                file = Path(os.path.relpath(file, place.parent.resolve()))
            words["categories"] = file.as_posix()
        return toml.write_toml(place, toml.toml_of(words, self.comments()))

    def to_dict(self) -> dict[str, Any]:
        """Return its words as values that JSON has; ``Recipe(**values)`` is the same recipe."""
        words = self.model_dump(mode="json", exclude_defaults=True)
        if self.key is not None and len(self.key) < 2:
            words["key"] = "".join(self.key)
        return words

    def given(self) -> dict[str, Any]:
        """Return the words that say something, in their order."""
        return self.model_dump(exclude_defaults=True)

    @classmethod
    def comments(cls) -> dict[tuple[str, ...], str]:
        """Return what each word says, as the comments of a file."""
        return {(name,): field.description or "" for name, field in cls.model_fields.items()}

    def replace(self, **words: Any) -> Self:
        """Return the recipe with these words in place of its own; None takes a word out."""
        return type(self)(**{**self.given(), **words})

    def with_words(self, **words: Any) -> Self:
        """Return the recipe with these words over its own: they win, and tables are merged.

        Example:
            >>> RecipeFields(mapping={"name": "A"}).with_words(mapping={"status": "B"}).mapping
            {'name': 'A', 'status': 'B'}
        """
        said = self.given()
        for word, value in words.items():
            if value is not None:
                said[word] = value if word == "categories" else _over(said.get(word), value)
        return type(self)(**said)

    def reject_placeholders(self, path: Path | None = None) -> None:
        """Refuse a recipe that leaves open what only a person can say.

        Raises:
            InputError: It names the word, and its line where the recipe's file is known.
        """
        blanks = ["key"] if PLACEHOLDER in (self.key or ()) else []
        if self.key != ():  # both need a key
            blanks += [name for name in ("keep", "order_by") if getattr(self, name) == PLACEHOLDER]
        blanks += [f"mapping.{name}" for name, at in self.mapping.items() if at == PLACEHOLDER]
        if blanks:
            word, _, name = blanks[0].partition(".")
            what = f"the recipe has a placeholder for {' and '.join(blanks)}"
            hint = f"{word}: {type(self).model_fields[word].description}"
            refusal = InputError(what, hint=hint)
            if path is not None:
                text = path.read_text(encoding="utf-8-sig")
                refusal.path, refusal.line = str(path), toml.line_of(name or word, text)
            raise refusal


def readers_of(recipe: RecipeFields) -> dict[str, FieldReader]:
    """Return what reads the cells of each field; a categories file is read here."""
    readers = {
        field.name: FieldReader(field, recipe.thousands, keep_spaces=recipe.keep_spaces)
        for field in FIELDS.sent
    }
    labels, of_categories = recipe.categories, readers["category_id"]
    if isinstance(labels, Mapping):
        blanks = {word_of(label) for label, number in labels.items() if number == PLACEHOLDER}
        of_categories.meanings |= dict.fromkeys(blanks, fields.OPEN)
        labels = {label: number for label, number in labels.items() if number != PLACEHOLDER}
    for number, label in Labels.words(labels):
        of_categories.add_label(label, number)
    for name, value in recipe.defaults.items():
        if not fields.IN_BRACES.search(str(value)):
            readers[name].meaning("defaults", value)  # which refuses what cannot be sent
    for name, value in recipe.fallback.items():
        readers[name].fallback = readers[name].meaning("fallback", value)
    for name, table in recipe.value_map.items():
        if name != KEY:
            meaning = readers[name].meaning
            said = {word_of(word): meaning("value_map", value) for word, value in table.items()}
            readers[name].meanings |= said
        elif any(value not in ("", PLACEHOLDER) for value in table.values()):
            raise ArgumentError('value_map of the key says which words are none, so it gives ""')
    return readers


def _over(old: Any, new: Any) -> Any:
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return new
    return {**old, **{word: _over(old.get(word), value) for word, value in new.items()}}


def _refusal(error: ValidationError) -> ArgumentError:
    """Return one error that names the word at fault, and what it may be."""
    problem = error.errors(include_url=False)[0]
    if not problem["loc"]:  # of two options that do not fit
        return ArgumentError(problem["msg"])
    word = str(problem["loc"][0])
    known = RecipeFields.model_fields
    if word not in known:
        return ArgumentError(f"a recipe has no option {word!r}{nearest(word, known)}")
    about = problem.get("ctx", {})
    if isinstance(reason := about.get("error"), ValueError):
        return ArgumentError(f"{word}= {reason}")
    shown = reprlib.repr(problem["input"])
    allowed = f", one of {about['expected']}" if "expected" in about else ""
    return ArgumentError(f"{word}= is {known[word].description}{allowed}; got {shown}")


# Words whose tables begin with a word of the file; that may hold a "=", what it means does not.
_BY_LABEL = ("categories", "value_map")
_LISTS = ("key", "columns", "allow", "exclude", "include")


def read_set(texts: Iterable[str]) -> dict[str, Any]:
    """Return the words of ``--set OPTION=VALUE``.

    Raises:
        ArgumentError: One has no ``=``, or a word is both a value and a table.

    Example:
        >>> read_set(["keep=first", "mapping.name=Pet name", "value_map.status.a.b=sold"])
        {'keep': 'first', 'mapping': {'name': 'Pet name'}, 'value_map': {'status': {'a.b': 'sold'}}}
    """
    found: dict[str, Any] = {}
    for text in texts:
        word, *_ = re.split(r"[.=]", text, maxsplit=1)
        split = text.rpartition if word in _BY_LABEL else text.partition
        path, equals, value = split("=")
        if not (word and equals):
            raise ArgumentError(f"--set is OPTION=VALUE, such as encoding=cp1252, got {text!r}")
        *tables, last = path.split(".", 2 if word == "value_map" else 1)
        table = found
        for part in tables:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise ArgumentError(f"--set {text}: {part} has a value already")
        # What is added later wins, but for words that take several values.
        table[last] = [*table.get(last, ()), value] if word in _LISTS else value
    return found
