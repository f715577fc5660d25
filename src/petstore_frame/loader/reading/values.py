"""Which text in a file stands for which category or status.

In: a caller's ``value_map`` and category labels. Out: both by casefolded text. It sees no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.schema.models import INT64_MAX, INT64_MIN, PET_STATUSES
from petstore_frame.schema.numeric import as_whole


class Words(NamedTuple):
    """Category ids and statuses by text; None in place of a table where nothing was given."""

    categories: dict[str, int | None] | None
    statuses: dict[str, str] | None


def read_value_map(
    value_map: Mapping[str, Mapping[Any, Any]] | None, labels: Iterable[tuple[int, str]]
) -> Words:
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
    statuses: dict[str, str] = {}
    for field, table in (value_map or {}).items():
        match field_name(str(field)):
            case "category_id":
                categories |= {_word(word): _category(value) for word, value in table.items()}
            case "status":
                statuses |= {_word(word): _status(value) for word, value in table.items()}
            case _:
                raise _refused(f"names {field!r}; it translates category_id and status only")
    return Words(categories or None, statuses or None)


def _word(word: Any) -> str:
    return str(word).strip().casefold()


def _category(value: Any) -> int:
    number = as_whole(value)
    if number is None:
        raise _refused(f"gives {value!r} as a category id; give a whole number")
    if not INT64_MIN <= number <= INT64_MAX:
        raise _refused(f"gives {value!r} as a category id, which does not fit into 64 bits")
    return number


def _status(value: Any) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or value not in PET_STATUSES:
        known = ", ".join(PET_STATUSES)
        raise _refused(f"gives {value!r} as a status; it is one of {known}, or None for no status")
    return str(value)


def _refused(what: str) -> ArgumentError:
    return ArgumentError(f"value_map {what}; nothing was sent")
