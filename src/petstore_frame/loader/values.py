"""Which word of a file stands for which category or status.

In: a caller's ``value_map`` and category labels. Out: both by casefolded word. It sees no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.mapping import field_name
from petstore_frame.models import INT64_MAX, INT64_MIN, PET_STATUSES


class Words(NamedTuple):
    """Category ids and statuses by word; None in place of a table where nothing was given."""

    categories: dict[str, int | None] | None
    statuses: dict[str, str] | None


def read_value_map(
    value_map: Mapping[str, Mapping[Any, Any]] | None, labels: Mapping[int, str]
) -> Words:
    """Put a value map and category labels together.

    A word of ``value_map`` beats a label; a label of two categories is kept as ambiguous.

    Raises:
        InputError: A field that has no words, or a value that could not be sent.
    """
    categories: dict[str, int | None] = {}
    for number, label in labels.items():
        word = label.strip().casefold()
        if word:
            categories[word] = None if categories.get(word, number) != number else number
    statuses: dict[str, str] = {}
    for field, table in (value_map or {}).items():
        match field_name(field):
            case "category_id":
                categories |= {_word(word): _category(value) for word, value in table.items()}
            case "status":
                statuses |= {_word(word): _status(value) for word, value in table.items()}
            case _:
                raise InputError(
                    f"value_map= names {field!r}", hint="it translates category_id and status only"
                )
    return Words(categories or None, statuses or None)


def _word(word: Any) -> str:
    return str(word).strip().casefold()


def _category(value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"value_map= gives {value!r} as a category id", hint="give a whole number")
    number = value.__index__()
    if not INT64_MIN <= number <= INT64_MAX:
        raise InputError(f"value_map= gives {value!r}, which does not fit into 64 bits")
    return int(number)


def _status(value: Any) -> str:
    if value is None or value == "":
        return ""
    if value not in PET_STATUSES:
        raise InputError(
            f"value_map= gives {value!r} as a status",
            hint=f"one of {', '.join(PET_STATUSES)}, or None to leave it out",
        )
    return str(value)
