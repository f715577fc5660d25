"""What a recipe may say: each word once, with its type, its check and its comment."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
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
)

from petstore_frame.errors import ArgumentError, InputError, nearest
from petstore_frame.loader.reading.fields import BLANK, IN_BRACES, CellRules, read_cell, word_of
from petstore_frame.loader.reading.mapping import FIELDS, REQUIRED, field_name
from petstore_frame.loader.reading.toml import line_of
from petstore_frame.loader.record import Suspicion
from petstore_frame.schema.categories import Categories, category_words
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import kind_text

# Words of the key columns that mean that there is no key stand beside those of the fields.
KEY = "key"
NEWEST = re.compile(r"newest:\s*(\S.*)", re.DOTALL)


ValueMap = Mapping[str, Mapping[Any, Any]]
ByField = Mapping[str, Any]
ByColumn = Mapping[str, str | Collection[str]]


class RecipeWords(TypedDict, total=False):
    """The words of a recipe, for type checkers; None says nothing."""

    key: str | Sequence[str] | None
    keep: str | None
    mapping: Mapping[str, str | None] | None
    value_map: ValueMap | None
    otherwise: ByField | None
    defaults: ByField | None
    categories: Categories
    leave_out: ByColumn | None
    only: ByColumn | None
    count: str | None
    accept: str | Collection[str] | None
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


def _labels(categories: Any) -> Any:
    """Return ids by label; or labels by id, where labels recur or look like ids; a path stays.

    A label whose id is a blank stays one.
    """
    if isinstance(categories, str | PathLike):
        return fspath(categories)
    known, blanks = categories, dict[str, Any]()
    if isinstance(categories, Mapping):
        blanks = {each: BLANK for each, value in categories.items()
                  if value == BLANK and not str(each).strip().lstrip("-").isdecimal()}  # fmt: skip
        known = {each: value for each, value in categories.items() if each not in blanks}
    words = {*category_words(known)}
    labels, numbers = dict(words), {label: number for number, label in words}
    has_each_label_once, has_each_id_once = len(numbers) == len(words), len(labels) == len(words)
    is_clear = not any(label.strip().lstrip("-").isdecimal() for label in numbers)
    if has_each_label_once and (is_clear or not has_each_id_once):
        return {**numbers, **blanks}
    if not has_each_id_once:
        raise ValueError("has labels and ids that stand several times; write them as a CSV")
    return {**labels, **blanks}


def _meaning(value: Any) -> Any:
    if type(value).__name__ in ("bool", "bool_"):  # numpy's is no bool
        raise ValueError(f"expected a text or a number, got {value}")
    return "" if value is None else value


_KINDS = [str(kind) for kind in Suspicion]


class RecipeFields(BaseModel):
    """How a file is read: the words of a ``Recipe``, checked.

    Raises:
        ArgumentError: A word is unknown, or its value cannot be used; it names both.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Each description is the comment in a file, and says in a refusal what the word may be.
    key: tuple[str, ...] | None = Field(
        None, description='the column, or columns, that identify an animal; "" if none does'
    )
    keep: str | None = Field(
        None,
        pattern=r"(?s)^(\?|first|last|newest:\s*\S.*)$",
        description="of several rows of one key: first, last, or newest: COLUMN",
    )
    mapping: dict[str, str | None] = Field(
        {}, description='the column of each field, as text: {"name": "Animal"}'
    )
    value_map: dict[str, dict[str, str | int | float]] = Field(
        {}, description='what words mean, by field: {"status": {"in stock": "available"}}'
    )
    otherwise: dict[str, str | int | float] = Field(
        {}, description="what all other words of a field become"
    )
    defaults: dict[str, str | int | float] = Field(
        {}, description="what an empty cell becomes; braces name a column of the file"
    )
    categories: Any = Field({}, description="the number of each label, or a CSV file")
    leave_out: dict[str, tuple[str, ...]] = Field(
        {}, description='rows that are not loaded, by words of a column: {"Outcome": ["DIED"]}'
    )
    only: dict[str, tuple[str, ...]] = Field(
        {}, description='the rows that are loaded, in the same way: {"Place": ["North"]}'
    )
    count: str | None = Field(
        None, pattern=r"\S", description="the column that says how many animals a row stands for"
    )
    accept: frozenset[str] = Field(
        frozenset(), description=f"suspicious rows that are sent all the same: {', '.join(_KINDS)}"
    )
    encoding: str | None = Field(None, description="of a text file that is not UTF-8")
    delimiter: str | None = Field(
        None,
        pattern=r'^[^"\r\n]$',
        description="one character between the cells, no quote and no line end",
    )
    quoting: Literal["strict", "none"] = Field(
        "strict", description="strict, or none to read quotes as letters"
    )
    sheet: str | None = Field(None, description="the name of a workbook's sheet")
    header_row: int | None = Field(
        None, ge=1, description="the row of the header: 1 is the first of the file"
    )
    columns: tuple[str, ...] | None = Field(
        None, description="a list of the columns' names, where the file has no header"
    )
    thousands: Literal[",", "."] | None = Field(
        None, description="the separator in numbers: , or ."
    )
    keep_spaces: bool = Field(False, description="true leaves the outer spaces of names")

    @field_validator("key", "accept", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return _as_tuple(value)

    @field_validator("leave_out", "only", mode="before")
    @classmethod
    def _texts_by_column(cls, table: Any) -> Any:
        is_table = isinstance(table, Mapping)
        return {each: _as_tuple(table[each]) for each in table} if is_table else table

    @field_validator("key", "columns")
    @classmethod
    def _each_once(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        filled = [name for name in names or () if name.strip()]
        if names and not filled:
            raise ValueError("names no column")
        for name in filled:
            if filled.count(name) > 1:
                raise ValueError(f"names the column {name!r} twice")
        return names

    @field_validator("mapping", "value_map", "otherwise", "defaults", mode="before")
    @classmethod
    def _by_field(cls, table: Any, info: ValidationInfo) -> Any:
        """Spell the fields as Python does, and the words of a value map as text."""
        if not isinstance(table, Mapping):
            return table
        known, found = FIELDS if info.field_name != "value_map" else (*FIELDS, KEY), {}
        for word, value in table.items():
            name = KEY if word == KEY and KEY in known else field_name(str(word))
            if name is None:
                raise ValueError(f"there is no field {word!r}{nearest(word, known)}")
            if name in found:
                raise ValueError(f"names the field {name} twice")
            found[name] = value
            if info.field_name == "value_map" and isinstance(value, Mapping):
                found[name] = {str(each): _meaning(value[each]) for each in value}
            elif info.field_name in ("otherwise", "defaults"):
                found[name] = _meaning(value)
        return found

    @field_validator("mapping")
    @classmethod
    def _columns_of_fields(cls, columns: dict[str, str | None]) -> dict[str, str | None]:
        found = {name: column or None for name, column in columns.items()}
        for name in REQUIRED:
            if name in found and found[name] is None:
                raise ValueError(f"the {name} needs a column, or a word of defaults=")
        named = [column for column in found.values() if column not in (None, BLANK)]
        if len({*named}) < len(named):
            raise ValueError("gives one column to two fields; give each its own")
        return found

    @field_validator("categories")
    @classmethod
    def _labels_and_ids(cls, categories: Any) -> Any:
        return _labels(categories)

    @field_validator("accept")
    @classmethod
    def _suspicions(cls, kinds: frozenset[str]) -> frozenset[str]:
        for kind in kinds.difference(_KINDS):
            raise ValueError(f"there is no kind {kind!r}{nearest(kind, _KINDS)}")
        return kinds

    @field_validator("encoding")
    @classmethod
    def _codec(cls, encoding: str) -> str:
        try:
            "".encode(encoding)  # which a codec of bytes refuses
        except LookupError:
            raise ValueError(f"{encoding!r} is no encoding that Python knows") from None
        return encoding

    def __init__(self, **words: Unpack[RecipeWords]) -> None:
        given = {word: value for word, value in words.items() if value is not None}
        try:
            super().__init__(**given)
        except ValidationError as problem:
            raise _refusal(problem) from None
        if isinstance(self.categories, Mapping):  # a file is read with the cells
            self.rules()

    def __repr_args__(self) -> Any:
        return self.given().items()

    def to_dict(self) -> dict[str, Any]:
        """Return its words as values that JSON has; ``Recipe(**values)`` is the same recipe."""
        words = self.model_dump(mode="json", include={*self.given()})
        if self.key is not None and len(self.key) < 2:
            words["key"] = "".join(self.key)
        if self.accept:
            words["accept"] = sorted(self.accept)
        if self.mapping:
            words["mapping"] = {name: column or "" for name, column in self.mapping.items()}
        return words

    def given(self) -> dict[str, Any]:
        """Return the words that say something, in their order."""
        fields = type(self).model_fields
        words = {name: getattr(self, name) for name in fields}
        return {name: value for name, value in words.items() if value != fields[name].default}

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
        # With our labels, as a word may mean one of them.
        said = type(self)(**{"categories": self.categories, **words})
        known = self.given()
        for word in said.model_fields_set:
            value = getattr(said, word)
            is_table = word != "categories" and isinstance(value, Mapping)
            known[word] = _over(known.get(word), value) if is_table else value
        return type(self)(**known)

    @property
    def blanks(self) -> tuple[str, ...]:
        """The words with a question mark without which no file can be read."""
        found = ["key"] if BLANK in (self.key or ()) else []
        keep = (self.keep or "").removeprefix("newest:").strip()
        found += ["keep"] if keep == BLANK and self.key != () else []  # which needs a key
        return (*found, *(f"mapping.{name}" for name, at in self.mapping.items() if at == BLANK))

    def refuse_blanks(self, path: Path | None = None) -> None:
        """Refuse a recipe that leaves open what only a person can say.

        Raises:
            InputError: It names the word, and its line where the recipe's file is known.
        """
        if self.blanks:
            text = "" if path is None else path.read_text(encoding="utf-8-sig")
            what = f"the recipe has a question mark for {' and '.join(self.blanks)}"
            hints = {
                "key": 'name the column, or write key = "" where none identifies an animal',
                "keep": "say which row counts: first, last, or newest: COLUMN",
            }
            hint = hints.get(self.blanks[0], "name the column")
            line = line_of(self.blanks[0].rpartition(".")[2], text)
            raise InputError(what, path=str(path) if path else None, line=line, hint=hint)

    def rules(self) -> CellRules:
        """Return its rules for the cells, ready to look up; a categories file is read here.

        Raises:
            InputError: The categories file cannot be read.
            ArgumentError: The value map or the categories hold a value that cannot be sent.
        """
        labels, listed = self.categories, set[int]()
        given = labels if isinstance(labels, Mapping) else {}
        blanks = [label for label in given if given[label] == BLANK]
        numbers: dict[str, str | None] = dict.fromkeys(map(word_of, blanks), BLANK)
        known = {each: given[each] for each in given if each not in blanks} if given else labels
        for number, label in category_words(known):
            word = word_of(label)
            numbers[word] = str(number) if numbers.get(word, str(number)) == str(number) else None
            listed.add(number)
        of_labels = CellRules(values={"category_id": numbers})
        values: dict[str, dict[str, str | None]] = {"category_id": dict(numbers)}
        for name, table in self.value_map.items():
            for word, value in table.items():
                meant = values.setdefault(name, {})
                meant[word_of(word)] = _sent("value_map", name, value, of_labels)
        otherwise = {
            name: _sent("otherwise", name, value, of_labels)
            for name, value in self.otherwise.items()
        }
        if "name" in otherwise:
            raise ArgumentError("otherwise is about fields with a list of values, not the name")
        for name, value in self.defaults.items():
            if not IN_BRACES.search(str(value)) and not _sent("defaults", name, value, of_labels):
                raise ArgumentError(f"defaults gives {value!r} as the {name}")
        return CellRules(self.keep_spaces, self.thousands, values, otherwise, frozenset(listed))


def _over(old: Any, new: Any) -> Any:
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return new
    return {**old, **{word: _over(old.get(word), value) for word, value in new.items()}}


def _sent(option: str, name: str, value: Any, labels: CellRules) -> str:
    """Return the JSON text of what a word means; "" for an empty cell, BLANK for a blank."""
    if value in ("", BLANK):
        return str(value)
    if name == KEY:
        raise ArgumentError(f'{option} of the key says which words are none, so it gives ""')
    column = FIELD_BY_NAME[name]
    found = read_cell(column, str(value), labels)
    if found.problem is None or found.problem.accept:
        return found.value or ""
    allowed = f"one of {', '.join(column.values)}" if column.values else "a whole number"
    what = f'{option} gives {value!r} as a {column.label.lower()}; it is {allowed}, or "" for none'
    raise ArgumentError(what)


def _refusal(error: ValidationError) -> ArgumentError:
    """Return one error that names the word at fault, and what it may be."""
    problem = error.errors(include_url=False)[0]
    word = str(problem["loc"][0])
    if problem["type"] == "extra_forbidden":
        return ArgumentError(
            f"a recipe has no word {word!r}{nearest(word, RecipeFields.model_fields)}"
        )
    reason = problem.get("ctx", {}).get("error")
    if isinstance(reason, ValueError):
        return ArgumentError(f"{word}= {reason}")
    what = RecipeFields.model_fields[word].description
    return ArgumentError(f"{word}= is {what}; got {_shown(problem['input'])}")


def _shown(value: Any) -> str:
    """Return a value in few characters; of a long one, its type."""
    text = repr(value)
    return text if len(text) <= 60 else kind_text(value)
