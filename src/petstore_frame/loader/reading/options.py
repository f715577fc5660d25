"""The options for reading a file, each checked before anything is opened."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cache
from os import PathLike
from typing import Annotated, Any, Literal, NoReturn

from pydantic import AfterValidator, BeforeValidator, StringConstraints, TypeAdapter

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.reading.fields import CellRules, read_cell, word_of
from petstore_frame.loader.reading.mapping import FIELDS, REQUIRED, Mapped, field_name
from petstore_frame.loader.record import Suspicion
from petstore_frame.schema.arguments import (
    before_sending,
    true_or_false,
    whole_from_text,
    whole_number,
)
from petstore_frame.schema.categories import Categories, category_words
from petstore_frame.schema.models import FIELD_BY_NAME

ValueMap = Mapping[str, Mapping[Any, Any]]
ByField = Mapping[str, Any]
ByColumn = Mapping[str, str | Collection[str]]
# Words of the key columns that mean that there is no key stand beside those of the fields.
KEY = "key"
NEWEST = re.compile(r"newest:\s*(\S.*)", re.DOTALL)
_EXAMPLE = {"name": "Animal"}
_IN_BRACES = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class RecipeOptions:
    """How a file or a frame is read: the words of a ``Recipe``, checked.

    Raises:
        ArgumentError: One of them cannot be used; it names the value and what is allowed.

    Example:
        >>> RecipeOptions(key="animal_id").key
        ('animal_id',)
        >>> RecipeOptions(delimiter="::")
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: delimiter= is one character, ... got '::'; nothing ...
    """

    _: KW_ONLY
    mapping: Mapped | None = None
    value_map: ValueMap | None = None
    otherwise: ByField | None = None
    defaults: ByField | None = None
    categories: Categories = None
    key: Sequence[str] = ()
    keep: str | None = None
    leave_out: ByColumn | None = None
    only: ByColumn | None = None
    count: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quoting: str = "strict"
    sheet: str | None = None
    header_row: int | None = None
    columns: Sequence[str] | None = None
    thousands: str | None = None
    keep_spaces: bool = False
    accept: Collection[str] = ()
    duplicates: Literal["refuse", "skip", "send"] = "refuse"

    @before_sending()
    def __post_init__(self) -> None:
        known: dict[str, Any] = {}
        for name, (_, what) in _ALLOWED.items():
            if (value := getattr(self, name)) is not None:
                try:
                    known[name] = _type_of(name).validate_python(value)
                except (LookupError, TypeError, ValueError):
                    _refuse(f"{name} {what}, got {_shown(value)}")
        for name in ("key", "columns"):
            names = known.get(name) or ()
            if twice := [each for each in names if each.strip() and names.count(each) > 1]:
                _refuse(f"{name} names the column {twice[0]!r} twice")
        if self.columns is not None and not any(map(str.strip, known["columns"])):
            _refuse(f"columns names no column, got {_shown(known['columns'])}")
        known["mapping"] = _checked_mapping(self.mapping)
        for name in ("value_map", "otherwise", "defaults"):
            known[name] = _checked_values(name, known.get(name))
        if "name" in known["otherwise"]:
            _refuse("otherwise names the field name, which has no list of values")
        if self.header_row is not None:
            known["header_row"] = whole_number("header_row", self.header_row, 1)
        true_or_false("keep_spaces", self.keep_spaces)
        is_file = isinstance(self.categories, str | PathLike)  # it is read with the cells
        if not is_file:
            known["categories"] = _plain_categories(self.categories)
        for name, value in known.items():
            is_empty_table = isinstance(value, dict) and not value
            object.__setattr__(self, name, None if is_empty_table else value)
        if not is_file:
            self.rules()

    def rules(self) -> CellRules:
        """Return its rules for the cells, ready to look up; a categories file is read here.

        Raises:
            InputError: The categories file cannot be read.
            ArgumentError: The value map or the categories hold a value that cannot be sent.
        """
        numbers: dict[str, str | None] = {}
        listed = set[int]()
        for number, label in category_words(self.categories):
            word = word_of(label)
            numbers[word] = str(number) if numbers.get(word, str(number)) == str(number) else None
            listed.add(number)
        known = CellRules(values={"category_id": numbers})
        values: dict[str, dict[str, str | None]] = {"category_id": dict(numbers)}
        for name, table in (self.value_map or {}).items():
            for word, value in table.items():
                values.setdefault(name, {})[word_of(word)] = _sent(name, value, known, "value_map")
        otherwise = {
            name: _sent(name, value, known, "otherwise")
            for name, value in (self.otherwise or {}).items()
        }
        for name, value in (self.defaults or {}).items():
            if not columns_in(str(value)) and not _sent(name, value, known, "defaults"):
                _refuse(f"defaults gives {value!r} as the {name}")
        return CellRules(self.keep_spaces, self.thousands, values, otherwise, frozenset(listed))

    def given(self) -> dict[str, Any]:
        """Return the options that say something, by name in their order."""
        found = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        return {
            name: value
            for name, (value, default) in found.items()
            # A Series of categories has no truth value, and is never the default.
            if value is not default
            and (name == "categories" or value not in (default, frozenset()))
        }


def columns_in(text: str) -> list[str]:
    """Return the columns that a default names in braces.

    Example:
        >>> columns_in("Unnamed {Tag no}")
        ['Tag no']
    """
    return _IN_BRACES.findall(text)


def filled_in(text: str, columns: Sequence[str], cells: Sequence[str]) -> str:
    """Return a default with the cells of the columns that it names; empty where one is empty."""
    places = {column: columns.index(column) for column in columns_in(text)}
    found = {column: "".join(cells[at : at + 1]).strip() for column, at in places.items()}
    return _IN_BRACES.sub(lambda each: found[each[1]], text) if all(found.values()) else ""


def merged(base: Any, given: Mapping[str, Any]) -> Any:
    """Return options with new ones put over them; None changes nothing, tables are merged.

    Example:
        >>> merged(RecipeOptions(mapping={"name": "A"}), {"mapping": {"status": "B"}}).mapping
        {'name': 'A', 'status': 'B'}
    """
    words = dict(base.given())
    for name, value in given.items():
        if value is not None:
            is_table = name != "categories" and isinstance(words.get(name), Mapping)
            new = getattr(type(base)(**{name: value}), name) or {} if is_table else value
            words[name] = _over(words[name], new) if is_table else new
    return type(base)(**words)


def _over(old: Any, new: Any) -> Any:
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return new
    return {**old, **{word: _over(old.get(word), value) for word, value in new.items()}}


def _sent(name: str, value: Any, known: CellRules, option: str) -> str:
    """Return the JSON text of the value for a word; "" for an empty cell."""
    if name == KEY and value != "":
        _refuse(f"{option} of the key says which words are none, so it gives ''")
    if value == "":
        return ""
    column = FIELD_BY_NAME[name]
    is_bool = type(value).__name__ in ("bool", "bool_") and column.dtype != "boolean"
    found = read_cell(column, str(value), known)
    if (found.problem is None or found.problem.accept) and not is_bool:
        return found.value or ""
    allowed = "" if found.problem is None else found.problem.message
    if column.values:
        allowed = f"it is one of {', '.join(column.values)}, or '' for none"
    elif column.dtype == "int64" or is_bool:
        allowed = "give a whole number"
    what = f"{option} gives {value!r} as a {column.label.lower()}; {allowed}"
    raise ArgumentError(f"{what}; nothing was sent")


def _plain_categories(categories: Any) -> Categories:
    """Return categories as ids by label, or as labels by id where labels look like ids or recur."""
    words = category_words(categories)
    labels, numbers = dict(words), {label: number for number, label in words}
    has_each_label_once = len(numbers) == len({*words})
    is_clear = has_each_label_once and all(whole_from_text(label) is None for label in numbers)
    if len(labels) == len(words) and not is_clear:
        return labels
    return (numbers or None) if has_each_label_once else categories


def _checked_mapping(mapping: Any) -> dict[str, str | None]:
    if not isinstance(mapping, Mapping | None):
        what = f"mapping goes from field to column, as in {_EXAMPLE}"
        _refuse(f"{what}, got {_shown(mapping)}")
    columns: dict[str, str | None] = {}
    for name, given in _by_field("mapping", mapping).items():
        column = None if given == "" and name not in REQUIRED else given
        if not isinstance(column, str) and (column is not None or name in REQUIRED):
            what = f"mapping names the column {_shown(column)}, which is not text"
            _refuse(f"{what}; columns are named as text: {_shown(str(column))}")
        if column is not None and column in columns.values():
            _refuse("mapping gives one column to two fields; give each its own")
        columns[name] = column
    return columns


def _checked_values(option: str, table: Any) -> dict[str, Any]:
    found = _by_field(option, table, (KEY,) if option == "value_map" else ())
    for name, value in found.items():
        if not isinstance(value, str | int | float | Mapping | None):
            _refuse(f"{option} gives {_shown(value)} as a {name}")
    return {name: "" if value is None else value for name, value in found.items()}


def _by_field(option: str, table: Any, more: Collection[str] = ()) -> dict[str, Any]:
    """Return a table by the fields that its words mean."""
    found: dict[str, Any] = {}
    for word, value in (table or {}).items():
        name = str(word) if word in more else field_name(str(word))
        if name is None:
            what = f"{option} names the field {_shown(word)}; the fields are "
            what += ", ".join((*FIELDS, *more))
            if option == "mapping":
                what += f", and it goes from field to column, as in {_EXAMPLE}"
            _refuse(what)
        if name in found:
            _refuse(f"{option} names the field {name} twice")
        found[name] = value
    return found


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _known_codec(value: str) -> str:
    "".encode(value)  # which a codec of bytes refuses
    return value


_Name = Annotated[str, StringConstraints(pattern=r"\S")]
_Names = Annotated[tuple[_Name, ...], BeforeValidator(_as_tuple)]
_Words = dict[str, Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]]
_Meant = Annotated[Any, BeforeValidator(lambda value: "" if value is None else value)]
_ValueMap = dict[str, dict[Annotated[str, BeforeValidator(str)], _Meant]]
_Keep = Annotated[str, StringConstraints(pattern=r"^(first|last|newest:\s*\S[\s\S]*)$")]
_Sign = Annotated[str, StringConstraints(max_length=1, pattern=r'[^"\r\n]')]
_Kinds = Annotated[
    frozenset[Annotated[str, AfterValidator(lambda value: str(Suspicion(value)))]],
    BeforeValidator(_as_tuple),
]
# What each option may be, and how a refusal says so.
_ALLOWED: dict[str, tuple[Any, str]] = {
    "value_map": (
        _ValueMap,
        "goes from field to values by word, as in {'status': {'in stock': 'available'}}",
    ),
    "otherwise": (dict, "goes from field to value"),
    "defaults": (dict, "goes from field to value"),
    "key": (_Names, "names the column that identifies an animal"),
    "keep": (_Keep, "is 'first', 'last' or 'newest: COLUMN'"),
    "leave_out": (_Words, "goes from column to texts, as in {'Outcome': ['DIED']}"),
    "only": (_Words, "goes from column to texts, as in {'Place': ['North']}"),
    "count": (_Name, "names the column that says how many animals a row stands for"),
    "encoding": (Annotated[str, AfterValidator(_known_codec)], "is the name of a text encoding"),
    "delimiter": (_Sign, "is one character, not a quote or a line end"),
    "quoting": (Literal["strict", "none"], "is 'strict' or 'none'"),
    "sheet": (str, "is the name of a sheet"),
    "columns": (tuple[str, ...], "is a list of column names"),
    "thousands": (Literal[",", "."], "is ',' or '.'"),
    "accept": (_Kinds, f"lists what is sent after all, out of {', '.join(Suspicion)}"),
    "duplicates": (Literal["refuse", "skip", "send"], "is 'refuse', 'skip' or 'send'"),
}


@cache
def _type_of(option: str) -> TypeAdapter[Any]:
    return TypeAdapter(_ALLOWED[option][0])


def _shown(value: Any) -> str:
    """Return a value in few characters; of a long one, its type."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _refuse(what: str) -> NoReturn:
    raise ArgumentError(f"{what}; nothing was sent")
