"""The options for reading a file, each checked before anything is opened."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cache
from os import PathLike
from typing import Annotated, Any, Literal, NoReturn

from pydantic import AfterValidator, BeforeValidator, StringConstraints, TypeAdapter

from petstore_frame._internal.arguments import before_sending, true_or_false, whole_number
from petstore_frame.errors import ArgumentError
from petstore_frame.loader.call import Advice
from petstore_frame.loader.reading.fields import CellRules, read_cell, word_of
from petstore_frame.loader.reading.mapping import FIELDS, REQUIRED, Mapped, field_name
from petstore_frame.loader.record import Suspicion
from petstore_frame.schema.categories import Categories, category_words
from petstore_frame.schema.models import FIELD_BY_NAME

ValueMap = Mapping[str, Mapping[Any, Any]]
ByField = Mapping[str, Any]
ByColumn = Mapping[str, str | Collection[str]]
# Words of the key columns that mean that there is no key stand beside those of the fields.
KEY = "key"
NEWEST = re.compile(r"newest:\s*(\S.*)", re.DOTALL)
_EXAMPLE = ("mapping", {"name": "Animal"})
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
        for name, (_, what) in _ALLOWED.items():
            if (value := getattr(self, name)) is not None:
                try:
                    object.__setattr__(self, name, _type_of(name).validate_python(value))
                except (LookupError, TypeError, ValueError):
                    _refuse("{} {}, got {}", (name,), what, _shown(value))
        for name in ("key", "columns"):
            names = getattr(self, name) or ()
            if twice := [each for each in names if each.strip() and names.count(each) > 1]:
                _refuse("{} names the column {} twice", (name,), repr(twice[0]))
        if self.columns is not None and not any(map(str.strip, self.columns)):
            _refuse("{} names no column, got {}", ("columns",), _shown(self.columns))
        tables = {
            "mapping": _checked_mapping(self.mapping),
            "value_map": _by_field("value_map", self.value_map, (KEY,)),
            "otherwise": _by_field("otherwise", self.otherwise),
            "defaults": _by_field("defaults", self.defaults),
            "leave_out": self.leave_out,
            "only": self.only,
        }
        if "name" in (tables["otherwise"] or ()):
            _refuse("{} names the field name, which has no list of values", ("otherwise",))
        for name, table in tables.items():
            object.__setattr__(self, name, table or None)
        if self.header_row is not None:
            row = whole_number("header_row", self.header_row, 1)
            object.__setattr__(self, "header_row", row)
        true_or_false("keep_spaces", self.keep_spaces)
        if not isinstance(self.categories, str | PathLike):  # a file is read with the cells
            object.__setattr__(self, "categories", _plain_categories(self.categories))
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
        known = CellRules(accept=frozenset(Suspicion), values={"category_id": numbers})
        values: dict[str, dict[str, str | None]] = {"category_id": dict(numbers)}
        for name, table in (self.value_map or {}).items():
            read = {word_of(word): _sent(name, value, known) for word, value in table.items()}
            values.setdefault(name, {}).update(read)
        others = {
            name: _sent(name, value, known, "otherwise")
            for name, value in (self.otherwise or {}).items()
        }
        for name, value in (self.defaults or {}).items():
            if not columns_in(str(value)) and not _sent(name, value, known, "defaults"):
                _refuse("{} gives {} as the {}", ("defaults",), repr(value), name)
        accept = frozenset(self.accept)
        return CellRules(
            self.keep_spaces, self.thousands, accept, values, others, frozenset(listed)
        )

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
        old = words.get(name)
        if name != "categories" and isinstance(old, Mapping) and isinstance(value, Mapping):
            new = getattr(type(base)(**{name: value}), name) or {}
            words[name] = {**old, **new}
            for word in old.keys() & new.keys():
                if isinstance(old[word], Mapping):
                    words[name][word] = {**old[word], **new[word]}
        elif value is not None:
            words[name] = value
    return type(base)(**words)


def _sent(name: str, value: Any, known: CellRules, option: str = "value_map") -> str:
    """Return the JSON text of the value for a word; "" for an empty cell."""
    if name == KEY:
        if value != "":
            _refuse("{} of the key says which words are none, so it gives ''", (option,))
        return ""
    if value == "":
        return ""
    column = FIELD_BY_NAME[name]
    is_bool = type(value).__name__ in ("bool", "bool_") and column.dtype != "boolean"
    found = read_cell(column, str(value), known)
    if found.problem is None and not is_bool:
        return found.value or ""
    allowed = "give a whole number" if column.dtype == "int64" or is_bool else ""
    if column.values:
        allowed = f"it is one of {', '.join(column.values)}, or '' for none"
    elif not allowed and found.problem is not None:
        allowed = found.problem.message
    what = f"{option} gives {value!r} as a {column.label.lower()}; {allowed}"
    raise ArgumentError(f"{what}; nothing was sent")


def _plain_categories(categories: Any) -> Categories:
    """Return categories as labels by id, or as ids by label where an id has several."""
    words = category_words(categories)
    labels, numbers = dict(words), {label: number for number, label in words}
    if len(labels) == len(words):
        return labels or None
    return numbers if len(numbers) == len({*words}) else categories


def _checked_mapping(mapping: Any) -> dict[str, str | None]:
    if not isinstance(mapping, Mapping | None):
        what = "{} goes from field to column, as in {}, got {}"
        _refuse(what, ("mapping",), _EXAMPLE, _shown(mapping))
    columns: dict[str, str | None] = {}
    for word, given in (mapping or {}).items():
        name = field_name(str(word))
        if name is None:
            known = f"the fields are {', '.join(FIELDS)}, and it goes from field to column"
            text = f"{{}} names the field {{}}; {known}, as in {{}}"
            _refuse(text, ("mapping",), _shown(word), _EXAMPLE)
        if name in columns:
            _refuse("{} names the field {} twice", ("mapping",), name)
        column = None if given == "" and name not in REQUIRED else given
        if not isinstance(column, str) and (column is not None or name in REQUIRED):
            text = "{} names the column {}, which is not text; columns are named as text: {}"
            _refuse(text, ("mapping",), _shown(column), _shown(str(column)))
        if column is not None and column in columns.values():
            by_hand = "one column was chosen for two fields; give each its own"
            text = "{} gives one column to two fields; give each its own"
            _refuse(text, ("mapping",), by_hand=by_hand)
        columns[name] = column
    return columns


def _by_field(option: str, table: Any, more: Collection[str] = ()) -> dict[str, Any]:
    """Return a table with the fields by their names."""
    found: dict[str, Any] = {}
    for word, value in (table or {}).items():
        name = str(word) if word in more else field_name(str(word))
        if name is None:
            known = ", ".join((*FIELDS, *more))
            _refuse("{} names {}; the fields are {}", (option,), repr(word), known)
        if not isinstance(value, str | int | float | Mapping | None):
            _refuse("{} gives {} as a {}", (option,), _shown(value), name)
        found[name] = "" if value is None else value
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


def _refuse(text: str, *parts: str | tuple[Any, ...], by_hand: str | None = None) -> NoReturn:
    """Raise an ArgumentError; nothing was sent."""
    raise ArgumentError(Advice(f"{text}; nothing was sent", *parts, by_hand=by_hand))
