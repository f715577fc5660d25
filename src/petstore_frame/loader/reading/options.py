"""The options that say how a source is read, as one value that checks itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NoReturn

from petstore_frame._internal.arguments import before_sending, true_or_false, whole_number
from petstore_frame.errors import ArgumentError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.reading.mapping import FIELDS, REQUIRED, Mapped, field_name
from petstore_frame.loader.record import Suspicion
from petstore_frame.schema.categories import Categories, category_words
from petstore_frame.schema.models import FIELD_BY_NAME, INT64_MAX, INT64_MIN, SENT_FIELDS, Column
from petstore_frame.schema.numeric import as_whole

ValueMap = Mapping[str, Mapping[Any, Any]]
# These are about the layout of one file, so they say nothing about a fix file of its records.
LAYOUT = ("encoding", "delimiter", "quoting", "columns", "header_row", "sheet")


@dataclass(frozen=True)
class Reading:
    """How a file or a frame is read.

    Args:
        mapping: Column names by field, where the header does not show them; None for a field
            that no column is to be used for, as in ``{"status": None}``.
        value_map: Values by field and text, as in ``{"status": {"in stock": "available"}}``.
        categories: Labels by category id (dict, Series or CSV path), so that "Dog" is a number.
        key: The column that identifies an animal, or several that do so together.
        accept: Which kinds of suspicious records are sent after all, as in ``["total_row"]``.
        thousands: ``,`` or ``.`` where category ids have their digits grouped.
        keep_spaces: Leave the outer spaces of names.
        encoding: The codec of a text file without a byte order mark that is not UTF-8.
        delimiter: The character between cells; None finds the one that gives the needed columns.
        quoting: ``strict``, or ``none`` to read quotes as letters.
        columns: The column names of a file without a header, or in place of its header.
        header_row: Number of the header's row (its last one where it takes several), 1 for the
            first of the file; None is the first that is not blank.
        sheet: The sheet of a workbook that has several.
        edits: Texts of cells that a person has corrected, by record (1 is the first) and column.

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
    edits: Mapping[tuple[int, str], str] = field(default_factory=dict)

    @before_sending()
    def __post_init__(self) -> None:
        object.__setattr__(self, "key", _checked_key(self.key))
        object.__setattr__(self, "accept", _checked_accept(self.accept))
        _check_mapping(self.mapping)
        _check_value_map(self.value_map)
        _check_encoding(self.encoding)
        _check_delimiter(self.delimiter)
        _check_columns(self.columns)
        if self.header_row is not None:
            whole_number("header_row", self.header_row, 1)
        if self.quoting not in ("strict", "none"):
            _refuse("{} is 'strict' or 'none', got {}", ("quoting",), _shown(self.quoting))
        if self.thousands not in (None, ",", "."):
            _refuse("{} is ',' or '.', got {}", ("thousands",), _shown(self.thousands))
        if not isinstance(self.sheet, str | None):
            _refuse("{} is the name of a sheet, got {}", ("sheet",), _shown(self.sheet))
        true_or_false("keep_spaces", self.keep_spaces)
        _check_edits(self.edits)

    def words(self) -> Words:
        """Return which text stands for which value; a categories file is read here.

        Raises:
            InputError: The categories file cannot be read.
            ArgumentError: The value map or the categories hold what could not be sent.
        """
        return read_words(self.value_map, category_words(self.categories))

    def meaning(self) -> dict[str, Any]:
        """Return the options that change what the same cells mean, by name, as plain values.

        Which column holds which field is not among them: that is the source's ``mapping``.
        Neither is ``accept``, which only lets more records through.
        """
        words = self.words()
        given = {
            "categories": words.categories,
            "values": words.values,
            "thousands": self.thousands,
            "keep_spaces": self.keep_spaces,
        }
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True)
class Words:
    """Which text in a file stands for which value.

    Attributes:
        categories: Category ids by casefolded label; None for a label of several ids.
        listed: The ids of the categories that were given.
        has_categories: Whether the caller said which categories there are.
        values: By field, its values by casefolded text; "" leaves the field out.
    """

    categories: Mapping[str, int | None] = field(default_factory=dict)
    listed: frozenset[int] = frozenset()
    has_categories: bool = False
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def read_words(value_map: ValueMap | None, labels: Sequence[tuple[int, str]] = ()) -> Words:
    """Put a value map and category labels together.

    ``value_map`` has priority over labels; a label of two categories is kept as ambiguous, and
    a category may have several labels.

    Raises:
        ArgumentError: A field that cannot be translated, or a value that could not be sent.
    """
    categories: dict[str, int | None] = {}
    for number, label in labels:
        word = _word(label)
        if word:
            categories[word] = None if categories.get(word, number) != number else number
    values: dict[str, dict[str, str]] = {}
    for name, table in (value_map or {}).items():
        column = FIELD_BY_NAME.get(field_name(str(name)) or "")
        if column is not None and column.name == "category_id":
            categories |= {_word(word): _category(value) for word, value in table.items()}
        elif column is not None and column.values:
            values[column.name] = {_word(w): _choice(column, value) for w, value in table.items()}
        else:
            known = [each.name for each in SENT_FIELDS if each.values or each.name == "category_id"]
            raise _wrong_map(f"names {name!r}; it translates {' and '.join(known)} only")
    listed = frozenset(number for number, _ in labels)
    return Words(categories, listed, bool(labels), values)


def _word(word: Any) -> str:
    return str(word).strip().casefold()


def _category(value: Any) -> int:
    number = as_whole(value)
    if number is None:
        raise _wrong_map(f"gives {value!r} as a category id; give a whole number")
    if not INT64_MIN <= number <= INT64_MAX:
        raise _wrong_map(f"gives {value!r} as a category id, which is too large")
    return number


def _choice(column: Column, value: Any) -> str:
    if not column.is_required and (value is None or value == ""):
        return ""
    if not isinstance(value, str) or value not in column.values:
        known = ", ".join(column.values)
        raise _wrong_map(
            f"gives {value!r} as a {column.name}; it is one of {known}, or None for none"
        )
    return str(value)


def _wrong_map(what: str) -> ArgumentError:
    return ArgumentError(f"value_map {what}; nothing was sent")


def _checked_key(key: Any) -> tuple[str, ...]:
    columns = (key,) if isinstance(key, str) else key
    if columns is None:
        return ()
    is_list = isinstance(columns, Iterable) and not isinstance(columns, bytes | Mapping)
    names = tuple(columns) if is_list else ()
    if not is_list or not all(isinstance(name, str) and name.strip() for name in names):
        _refuse("{} names the column that identifies an animal, got {}", ("key",), _shown(key))
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        _refuse("{} names the column {} twice", ("key",), repr(twice[0]))
    return names


def _checked_accept(accept: Any) -> frozenset[str]:
    known = ", ".join(Suspicion)
    words = (accept,) if isinstance(accept, str) else accept
    if words is None:
        return frozenset()
    is_list = isinstance(words, Collection) and not isinstance(words, bytes | Mapping)
    wrong = [word for word in words if word not in set(Suspicion)] if is_list else [accept]
    if wrong:
        _refuse(f"{{}} lists what is sent after all, out of {known}; got {{}}",
                ("accept",), _shown(wrong[0]))  # fmt: skip
    return frozenset(str(word) for word in words)


def _check_mapping(mapping: Any) -> None:
    example = ("mapping", {"name": "Animal"})
    if mapping is None:
        return
    if not isinstance(mapping, Mapping):
        _refuse(
            "{} goes from field to column, as in {}, got {}",
            ("mapping",),
            example,
            _shown(mapping),
        )
    fields = [field_name(word) if isinstance(word, str) else None for word in mapping]
    for word, name in zip(mapping, fields, strict=True):
        if name is None:
            _refuse(
                f"{{}} names the field {{}}; the fields are {', '.join(FIELDS)}, and it goes from "
                "field to column, as in {}",
                ("mapping",),
                _shown(word),
                example,
            )
        if fields.count(name) > 1:
            _refuse("{} names the field {} twice", ("mapping",), name)
    for field_of, column in zip(fields, mapping.values(), strict=True):
        if column is None and field_of not in REQUIRED:
            continue
        if not isinstance(column, str):
            _refuse(
                "{} names the column {}, which is not text; columns are named as text: {}",
                ("mapping",),
                _shown(column),
                _shown(str(column)),
            )
    columns = [column for column in mapping.values() if column is not None]
    if len(set(columns)) < len(columns):
        _refuse(
            "{} gives one column to two fields; give each its own",
            ("mapping",),
            by_hand="one column was chosen for two fields; give each its own",
        )


def _check_edits(edits: Any) -> None:
    is_table = isinstance(edits, Mapping) and all(
        isinstance(place, tuple)
        and len(place) == 2
        and as_whole(place[0]) is not None
        and isinstance(place[1], str)
        and isinstance(text, str)
        for place, text in edits.items()
    )
    if not is_table:
        _refuse(
            "{} goes from record and column to text, as in {{(2, 'status'): 'sold'}}, got {}",
            ("edits",),
            _shown(edits),
        )


def _check_value_map(value_map: Any) -> None:
    if value_map is None:
        return
    tables = value_map.values() if isinstance(value_map, Mapping) else [value_map]
    if not all(isinstance(table, Mapping) for table in tables):
        _refuse(
            "{} goes from field to values by word, as in "
            "{{'status': {{'in stock': 'available'}}}}, got {}",
            ("value_map",),
            _shown(value_map),
        )


def _check_encoding(encoding: Any) -> None:
    try:
        if encoding is not None:
            "".encode(encoding)
    except (LookupError, TypeError, ValueError):
        _refuse("{} is the name of a text encoding, got {}", ("encoding",), _shown(encoding))


def _check_delimiter(delimiter: Any) -> None:
    if delimiter is None:
        return
    is_sign = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'
    if not is_sign:
        _refuse(
            "{} is one character, not a quote or a line end, got {}",
            ("delimiter",),
            _shown(delimiter),
        )


def _check_columns(columns: Any) -> None:
    if columns is None:
        return
    is_list = isinstance(columns, Sequence) and not isinstance(columns, str | bytes)
    if not is_list or not columns or not all(isinstance(name, str) for name in columns):
        _refuse("{} is a list of column names, got {}", ("columns",), _shown(columns))
    if not any(name.strip() for name in columns):
        _refuse("{} names no column", ("columns",))
    twice = [name for name in columns if name.strip() and columns.count(name) > 1]
    if twice:
        _refuse("{} names the column {} twice", ("columns",), repr(twice[0]))


def _shown(value: Any) -> str:
    """Return a value in few characters; of a long one, its type."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _refuse(text: str, *parts: str | tuple[Any, ...], by_hand: str | None = None) -> NoReturn:
    raise ArgumentError(Advice(f"{text}; nothing was sent", *parts, by_hand=by_hand))
