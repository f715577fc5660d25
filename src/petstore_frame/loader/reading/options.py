"""What a caller may say of how a file is read: each word checked before anything is opened."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from os import PathLike
from typing import Any, Literal, NoReturn

from petstore_frame._internal.arguments import before_sending, true_or_false, whole_number
from petstore_frame.errors import ArgumentError
from petstore_frame.loader.call import Advice
from petstore_frame.loader.reading.fields import CellError, Rules, read_cell, word_of
from petstore_frame.loader.reading.mapping import FIELDS, REQUIRED, Mapped, field_name
from petstore_frame.loader.record import Suspicion
from petstore_frame.schema.categories import Categories, category_words
from petstore_frame.schema.models import FIELD_BY_NAME

ValueMap = Mapping[str, Mapping[Any, Any]]
ByField = Mapping[str, Any]
ByColumn = Mapping[str, str | Collection[str]]
_EXAMPLE = ("mapping", {"name": "Animal"})
# Words of the key columns that mean that there is no key stand beside those of the fields.
KEY = "key"
NEWEST = re.compile(r"newest:\s*(\S.*)", re.DOTALL)
_TEXT_OF_BRACES = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Options:
    """How a file or a frame is read.

    Raises:
        ArgumentError: One of them cannot be used; it names the value and what is allowed.

    Example:
        >>> Options(key="animal_id").key
        ('animal_id',)
        >>> Options(delimiter="::")
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
        self._check_names()
        self._check_cells()
        self._check_layout()
        if not isinstance(self.categories, str | PathLike):  # a file is read with the cells
            self._set(categories=_plain_categories(self.categories))
            self.rules()

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check_names(self) -> None:
        """Check the options that name columns."""
        if self.mapping is not None:
            self._set(mapping=_checked_mapping(self.mapping))
        key = _texts("key", self.key or (), "names the column that identifies an animal")
        columns = self.columns
        if columns is not None:
            if isinstance(columns, str):
                _refuse("{} is a list of column names, got {}", ("columns",), _shown(columns))
            columns = _texts("columns", columns, "is a list of column names")
            if not any(map(str.strip, columns)):
                _refuse("{} names no column, got {}", ("columns",), _shown(columns))
        if not all(map(str.strip, key)):
            what = "{} names the column that identifies an animal, got {}"
            _refuse(what, ("key",), _shown(self.key))
        for option, names in (("key", key), ("columns", columns or ())):
            if twice := [name for name in names if name.strip() and names.count(name) > 1]:
                _refuse("{} names the column {} twice", (option,), repr(twice[0]))
        if self.count is not None and not (isinstance(self.count, str) and self.count.strip()):
            what = "{} names the column that says how many animals a row stands for, got {}"
            _refuse(what, ("count",), _shown(self.count))
        keep = self.keep
        if keep is not None and not (
            isinstance(keep, str) and (keep in ("first", "last") or NEWEST.fullmatch(keep))
        ):
            _refuse("{} is 'first', 'last' or 'newest: COLUMN', got {}", ("keep",), _shown(keep))
        self._set(key=key, columns=columns)

    def _check_cells(self) -> None:
        """Check the options that say what cells mean."""
        accept = _texts("accept", self.accept or (), "lists kinds of suspicious records")
        if not {*accept} <= {*Suspicion}:
            what = f"lists what is sent after all, out of {', '.join(Suspicion)}"
            _refuse("{} {}, got {}", ("accept",), what, _shown(self.accept))
        maps = self.value_map
        if maps is not None and not (
            isinstance(maps, Mapping) and all(isinstance(each, Mapping) for each in maps.values())
        ):
            what = "goes from field to values by word, as in {'status': {'in stock': 'available'}}"
            _refuse("{} {}, got {}", ("value_map",), what, _shown(maps))
        value_map = {
            name: {str(word): "" if value is None else value for word, value in table.items()}
            for name, table in _by_field("value_map", maps, (KEY,)).items()
        }
        self._set(
            accept=frozenset(map(str, accept)),
            value_map=value_map or None,
            otherwise=_by_field("otherwise", self.otherwise) or None,
            defaults=_by_field("defaults", self.defaults) or None,
            leave_out=_by_column("leave_out", self.leave_out),
            only=_by_column("only", self.only),
        )
        if "name" in (self.otherwise or {}):
            _refuse("{} names the field name, which has no list of values", ("otherwise",))

    def _check_layout(self) -> None:
        """Check the options that say how a file is laid out."""
        sign = self.delimiter
        if sign is not None and not (isinstance(sign, str) and len(sign) == 1):
            sign = '"'
        if sign is not None and sign in '"\r\n':
            what = "is one character, not a quote or a line end"
            _refuse("{} {}, got {}", ("delimiter",), what, _shown(self.delimiter))
        if self.encoding is not None and not _is_codec(self.encoding):
            what = "{} is the name of a text encoding, got {}"
            _refuse(what, ("encoding",), _shown(self.encoding))
        if self.sheet is not None and not isinstance(self.sheet, str):
            _refuse("{} is the name of a sheet, got {}", ("sheet",), _shown(self.sheet))
        if self.header_row is not None:
            self._set(header_row=whole_number("header_row", self.header_row, 1))
        for option, known in (
            ("quoting", ("strict", "none")),
            ("thousands", (None, ",", ".")),
            ("duplicates", ("refuse", "skip", "send")),
        ):
            if (value := getattr(self, option)) not in known:
                words = " or ".join(repr(each) for each in known if each is not None)
                _refuse("{} is {}, got {}", (option,), words, _shown(value))
        true_or_false("keep_spaces", self.keep_spaces)

    def rules(self) -> Rules:
        """Return what it says of the cells, ready to be looked up; a categories file is read here.

        Raises:
            InputError: The categories file cannot be read.
            ArgumentError: The value map or the categories hold what could not be sent.
        """
        numbers: dict[str, str | None] = {}
        listed = set[int]()
        for number, label in category_words(self.categories):
            word = word_of(label)
            numbers[word] = str(number) if numbers.get(word, str(number)) == str(number) else None
            listed.add(number)
        known = Rules(accept=frozenset(Suspicion), values={"category_id": numbers})
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
        return Rules(
            self.keep_spaces,
            self.thousands,
            frozenset(self.accept),
            values,
            others,
            frozenset(listed),
        )

    def given(self) -> dict[str, Any]:
        """Return the options that say something, by name in their order."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            each.name: found[each.name]
            for each in fields(self)
            if found[each.name] is not each.default
            # A Series of categories has no truth value, and is never the default.
            and (each.name == "categories" or found[each.name] not in (each.default, frozenset()))
        }


def columns_in(text: str) -> list[str]:
    """Return the columns that a default names in braces.

    Example:
        >>> columns_in("Unnamed {Tag no}")
        ['Tag no']
    """
    return _TEXT_OF_BRACES.findall(text)


def filled_in(text: str, cells: Mapping[str, str]) -> str:
    """Return a default with the cells of the columns that it names; empty where one is empty."""
    if not all(cells[column].strip() for column in columns_in(text)):
        return ""
    return _TEXT_OF_BRACES.sub(lambda found: cells[found[1]].strip(), text)


def merged(base: Any, given: Mapping[str, Any]) -> Any:
    """Return options with others that win; None gives none, and tables are merged by their words.

    Example:
        >>> merged(Options(mapping={"name": "A"}), {"mapping": {"status": "B"}}).mapping
        {'name': 'A', 'status': 'B'}
    """
    words = dict(base.given())
    for name, value in given.items():
        if value is None:
            continue
        old, words[name] = words.get(name), value
        if name != "categories" and isinstance(old, Mapping) and isinstance(value, Mapping):
            checked = type(base)(**{name: value})
            words[name] = _merged_tables(old, getattr(checked, name) or {})
    return type(base)(**words)


def _merged_tables(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    both = {**old, **new}
    for name in old.keys() & new.keys():
        if isinstance(old[name], Mapping):
            both[name] = {**old[name], **new[name]}
    return both


def _sent(name: str, value: Any, known: Rules, option: str = "value_map") -> str:
    """Return the JSON text of what a word is to mean; "" for an empty cell."""
    if name == KEY:
        if value != "":
            _refuse("{} of the key says which words are none, so it gives ''", (option,))
        return ""
    column = FIELD_BY_NAME[name]
    if value is None or value == "":
        return ""
    if type(value).__name__ in ("bool", "bool_") and column.dtype != "boolean":
        what = f"{option} gives {value!r} as a {column.label.lower()}; give a whole number"
        raise ArgumentError(f"{what}; nothing was sent")
    try:
        return read_cell(column, str(value), known)[0] or ""
    except CellError as refused:
        allowed = "give a whole number" if column.dtype == "int64" else refused.problem.message
        if column.values:
            allowed = f"it is one of {', '.join(column.values)}, or '' for none"
        what = f"{option} gives {value!r} as a {column.label.lower()}; {allowed}"
        raise ArgumentError(f"{what}; nothing was sent") from None


def _plain_categories(categories: Any) -> Categories:
    """Return categories as labels by id, or as ids by label where an id has several."""
    words = category_words(categories)
    labels, numbers = dict(words), {label: number for number, label in words}
    if len(labels) == len(words):
        return labels or None
    return numbers if len(numbers) == len({*words}) else categories


def _checked_mapping(mapping: Any) -> dict[str, str | None] | None:
    example = "goes from field to column, as in {}"
    if not isinstance(mapping, Mapping):
        _refuse(f"{{}} {example}, got {{}}", ("mapping",), _EXAMPLE, _shown(mapping))
    columns: dict[str, str | None] = {}
    for word, given in mapping.items():
        name = field_name(word) if isinstance(word, str) else None
        if name is None:
            text = (
                f"{{}} names the field {{}}; the fields are {', '.join(FIELDS)}, and it {example}"
            )
            _refuse(text, ("mapping",), _shown(word), _EXAMPLE)
        if name in columns:
            _refuse("{} names the field {} twice", ("mapping",), name)
        column = None if given == "" and name not in REQUIRED else given
        if not isinstance(column, str) and (column is not None or name in REQUIRED):
            text = "{} names the column {}, which is not text; columns are named as text: {}"
            _refuse(text, ("mapping",), _shown(column), _shown(str(column)))
        if column is not None and column in columns.values():
            text = "gives one column to two fields; give each its own"
            by_hand = "one column was chosen for two fields; give each its own"
            _refuse(f"{{}} {text}", ("mapping",), by_hand=by_hand)
        columns[name] = column
    return columns or None


def _by_field(option: str, table: Any, more: Collection[str] = ()) -> dict[str, Any]:
    """Return a table with the fields by their names."""
    if table is None:
        return {}
    if not isinstance(table, Mapping):
        _refuse("{} goes from field to value, got {}", (option,), _shown(table))
    found: dict[str, Any] = {}
    for word, value in table.items():
        name = str(word) if word in more else field_name(str(word))
        if name is None:
            known = ", ".join((*FIELDS, *more))
            _refuse("{} names {}; the fields are {}", (option,), repr(word), known)
        if not isinstance(value, str | int | float | Mapping | None):
            _refuse("{} gives {} as a {}", (option,), _shown(value), name)
        found[name] = "" if value is None else value
    return found


def _by_column(option: str, table: Any) -> dict[str, tuple[str, ...]] | None:
    """Return a table of the texts that each column may hold."""
    if table is None:
        return None
    if not isinstance(table, Mapping):
        what = "goes from column to values, as in {'Outcome': ['DIED']}"
        _refuse("{} {}, got {}", (option,), what, _shown(table))
    return {
        str(column): _texts(option, values, "goes from column to texts")
        for column, values in table.items()
    } or None


def _texts(option: str, value: Any, what: str) -> tuple[str, ...]:
    """Return one text as a tuple of one, and several as a tuple."""
    if isinstance(value, str):
        return (value,)
    is_list = isinstance(value, Collection) and not isinstance(value, bytes | Mapping)
    if not is_list or not all(isinstance(text, str) for text in value):
        _refuse("{} {}, got {}", (option,), what, _shown(value))
    return tuple(value)


def _is_codec(encoding: Any) -> bool:
    try:
        return isinstance("".encode(encoding), bytes)
    except (LookupError, TypeError, ValueError):
        return False


def _shown(value: Any) -> str:
    """Return a value in few characters; of a long one, its type."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _refuse(text: str, *parts: str | tuple[Any, ...], by_hand: str | None = None) -> NoReturn:
    """Raise an ArgumentError; nothing was sent."""
    raise ArgumentError(Advice(f"{text}; nothing was sent", *parts, by_hand=by_hand))
