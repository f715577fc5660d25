"""The options that say how a source is read, as one value that checks itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NoReturn

from petstore_frame._internal.arguments import before_sending, true_or_false, whole_number
from petstore_frame.errors import ArgumentError
from petstore_frame.loader.advice import Advice
from petstore_frame.loader.reading.mapping import FIELDS, REQUIRED, Mapped, field_name
from petstore_frame.loader.record import Suspicion
from petstore_frame.schema.categories import Categories, category_words
from petstore_frame.schema.models import FIELD_BY_NAME, INT64_MAX, INT64_MIN, SENT_FIELDS, Column
from petstore_frame.schema.numeric import as_whole

ValueMap = Mapping[str, Mapping[Any, Any]]
_EXAMPLE = ("mapping", {"name": "Animal"})
# These are about the layout of one file, so they say nothing about a fix file of its records.
LAYOUT = ("encoding", "delimiter", "quoting", "columns", "header_row", "sheet")


@dataclass(frozen=True)
class Reading:
    """How a file or a frame is read.

    Its fields are the options of ``load_csv`` and ``load_excel`` that say so; ``header_row`` is the
    last row of a header that takes several.

    Raises:
        ArgumentError: One of them cannot be used; it names the value and what is allowed.

    Example:
        >>> Reading(key="animal_id").key
        ('animal_id',)
        >>> Reading(delimiter="::")
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: delimiter= is one character, ... got '::'; nothing ...
    """

    _: KW_ONLY
    mapping: Mapped | None = None
    value_map: ValueMap | None = None
    categories: Categories = None
    key: Sequence[str] = ()
    accept: Collection[str] = ()
    thousands: str | None = None
    keep_spaces: bool = False
    encoding: str | None = None
    delimiter: str | None = None
    quoting: str = "strict"
    columns: Sequence[str] | None = None
    header_row: int | None = None
    sheet: str | None = None

    @before_sending()
    def __post_init__(self) -> None:
        for option in ("key", "accept"):
            given = getattr(self, option)
            if given is None or isinstance(given, str):  # one text is a list of one
                object.__setattr__(self, option, () if given is None else (given,))
        for option, is_allowed, what in _ALLOWED:
            value = getattr(self, option)
            if not (value is None or is_allowed(value)):
                _refuse("{} {}, got {}", (option,), what, _shown(value))
        if self.mapping is not None:
            _check_mapping(self.mapping)
        if self.header_row is not None:
            whole_number("header_row", self.header_row, 1)
        true_or_false("keep_spaces", self.keep_spaces)
        key, columns = tuple(self.key), () if self.columns is None else tuple(self.columns)
        for option, names in (("key", key), ("columns", columns)):
            if twice := [name for name in names if name.strip() and names.count(name) > 1]:
                _refuse("{} names the column {} twice", (option,), repr(twice[0]))
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "accept", frozenset(map(str, self.accept)))

    def rules(self) -> Rules:
        """Return what it says of the cells, ready to be looked up; a categories file is read here.

        Raises:
            InputError: The categories file cannot be read.
            ArgumentError: The value map or the categories hold what could not be sent.
        """
        labels = [(str(number), _word(label)) for number, label in category_words(self.categories)]
        numbers: dict[str, str | None] = {}
        for number, word in labels:
            numbers[word] = number if numbers.get(word, number) == number else None
        values = {"category_id": numbers}
        for name, table in (self.value_map or {}).items():
            column = FIELD_BY_NAME.get(field_name(str(name)) or "")
            if column not in _TRANSLATED:
                known = " and ".join(each.name for each in _TRANSLATED)
                raise _wrong_map(f"names {name!r}; it translates {known} only")
            meant = values.setdefault(column.name, {})
            meant.update((_word(word), _sent(column, value)) for word, value in table.items())
        listed = frozenset(int(number) for number, _ in labels)
        accept = frozenset(self.accept)
        return Rules(self.keep_spaces, self.thousands, accept, values, listed)


@dataclass(frozen=True)
class Rules:
    """What a caller says of the cells.

    Attributes:
        keep_spaces, thousands, accept: As of a ``Reading``.
        values: By field and casefolded text, the JSON text that is sent; "" leaves the field out,
            and None is the label of several categories.
        listed: The ids of the categories that were given; empty where none were.
    """

    keep_spaces: bool = False
    thousands: str | None = None
    accept: frozenset[str] = frozenset()
    values: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    listed: frozenset[int] = frozenset()


_TRANSLATED = tuple(each for each in SENT_FIELDS if each.values or each.name == "category_id")


def _word(word: Any) -> str:
    return str(word).strip().casefold()


def _sent(column: Column, value: Any) -> str:
    """Return the JSON text of what a value map gives; "" for a field that is left out."""
    if column.values:
        if not column.is_required and (value is None or value == ""):
            return ""
        if not isinstance(value, str) or value not in column.values:
            known = f"it is one of {', '.join(column.values)}, or None for none"
            raise _wrong_map(f"gives {value!r} as a {column.name}; {known}")
        return f'"{value}"'
    number = as_whole(value)
    if number is None:
        raise _wrong_map(f"gives {value!r} as a category id; give a whole number")
    if not INT64_MIN <= number <= INT64_MAX:
        raise _wrong_map(f"gives {value!r} as a category id, which is too large")
    return str(number)


def _wrong_map(what: str) -> ArgumentError:
    return ArgumentError(f"value_map {what}; nothing was sent")


def _check_mapping(mapping: Any) -> None:
    example = "goes from field to column, as in {}"
    if not isinstance(mapping, Mapping):
        _refuse(f"{{}} {example}, got {{}}", ("mapping",), _EXAMPLE, _shown(mapping))
    columns: dict[str, str | None] = {}
    for word, column in mapping.items():
        name = field_name(word) if isinstance(word, str) else None
        if name is None:
            text = (
                f"{{}} names the field {{}}; the fields are {', '.join(FIELDS)}, and it {example}"
            )
            _refuse(text, ("mapping",), _shown(word), _EXAMPLE)
        if name in columns:
            _refuse("{} names the field {} twice", ("mapping",), name)
        if not isinstance(column, str) and (column is not None or name in REQUIRED):
            text = "{} names the column {}, which is not text; columns are named as text: {}"
            _refuse(text, ("mapping",), _shown(column), _shown(str(column)))
        if column is not None and column in columns.values():
            text = "gives one column to two fields; give each its own"
            by_hand = "one column was chosen for two fields; give each its own"
            _refuse(f"{{}} {text}", ("mapping",), by_hand=by_hand)
        columns[name] = column


def _is_codec(encoding: Any) -> bool:
    try:
        return isinstance("".encode(encoding), bytes)
    except (LookupError, TypeError, ValueError):
        return False


def _are_texts(value: Any) -> bool:
    is_list = isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)
    return is_list and all(isinstance(text, str) for text in value)


def _are_names(value: Any) -> bool:
    return _are_texts(value) and all(name.strip() for name in value)


# What each option may be besides None.
_ALLOWED: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("key", _are_names, "names the column that identifies an animal"),
    ("accept", lambda value: _are_texts(value) and {*value} <= {*Suspicion},
     f"lists what is sent after all, out of {', '.join(Suspicion)}"),
    ("value_map", lambda value: isinstance(value, Mapping) and all(
        isinstance(table, Mapping) for table in value.values()),
     "goes from field to values by word, as in {'status': {'in stock': 'available'}}"),
    ("columns", _are_texts, "is a list of column names"),
    ("columns", lambda value: any(map(str.strip, value)), "names no column"),
    ("encoding", _is_codec, "is the name of a text encoding"),
    ("delimiter", lambda value: isinstance(value, str) and len(value) == 1
     and value not in '"\r\n', "is one character, not a quote or a line end"),
    ("quoting", lambda value: value in ("strict", "none"), "is 'strict' or 'none'"),
    ("thousands", lambda value: value in (",", "."), "is ',' or '.'"),
    ("sheet", lambda value: isinstance(value, str), "is the name of a sheet"),
)  # fmt: skip


def _shown(value: Any) -> str:
    """Return a value in few characters; of a long one, its type."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _refuse(text: str, *parts: str | tuple[Any, ...], by_hand: str | None = None) -> NoReturn:
    """Raise an ArgumentError; nothing was sent."""
    raise ArgumentError(Advice(f"{text}; nothing was sent", *parts, by_hand=by_hand))
