"""Which column of a file holds which field of a pet.

In: a header, and the caller's mapping. Out: column names by field, or the reason why they cannot
be found. It looks at headers only, never at a record.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from petstore_frame._internal.voice import Advice
from petstore_frame.errors import InputError

FIELDS: tuple[str, ...] = ("name", "category_id", "status")
REQUIRED: tuple[str, ...] = ("name", "category_id")
OWN_PREFIX = "_pf_"

# The first spelling that a header has wins, so a file with both "category" (text) and
# "category_id" (a number) is read by its number.
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "name": ("name",),
    "category_id": ("categoryid", "category"),
    "status": ("status",),
}
# Words that a column of each field often has; they are proposed, never assumed.
_LIKELY: dict[str, tuple[str, ...]] = {
    "name": ("name", "animal"),
    "category_id": ("category", "kind", "type", "species"),
    "status": ("status", "state", "availability"),
}
_SPACES = str.maketrans("", "", " _-\t\r\n")


def normalise(name: str) -> str:
    """Return a column's name as headers are compared.

    Example:
        >>> normalise(" Category ID ")
        'categoryid'
    """
    return unicodedata.normalize("NFKC", name).casefold().translate(_SPACES)


def find_columns(
    header: Sequence[str],
    mapping: Mapping[str, str] | None = None,
    *,
    may_lack_header: bool = True,
) -> dict[str, str]:
    """Return the file's column for each field that it has.

    Args:
        header: The column names, in order.
        mapping: Column names by field, where the header does not show them.
        may_lack_header: What was read as the header may be a record; never in a frame.

    Returns:
        ``name`` and ``category_id`` always, ``status`` where there is one.

    Raises:
        InputError: A required column is missing, a name is there twice, or two columns claim
            one field.
    """
    _refuse_twins(header)
    given = _by_field(mapping or {}, header)
    found = {
        field: given[field] if field in given else _find_field(field, header, given)
        for field in FIELDS
    }
    missing = [field for field in REQUIRED if found[field] is None]
    if missing:
        raise InputError(
            f"no column for {' and '.join(missing)} among {_listed(header)}",
            hint=_which_columns(found, header, may_lack_header=may_lack_header),
        )
    return {field: column for field, column in found.items() if column is not None}


def _which_columns(
    found: Mapping[str, str | None], header: Sequence[str], *, may_lack_header: bool
) -> Advice:
    """Propose a column for each field that has none, where one looks like it."""
    free = [name for name in header if name not in found.values()]
    likely: dict[str, str] = {}
    for field in reversed(FIELDS):  # "name" last: a "Category name" is a category
        column = _likely(field, free) if found[field] is None else None
        if column is not None:
            likely[field] = column
            free.remove(column)
    wanted = {
        field: likely.get(field, "<name of the column>")
        for field in FIELDS
        if field in likely or (found[field] is None and field in REQUIRED)
    }
    mapping = ("mapping", wanted)
    if not may_lack_header:
        return Advice("name the column: {}", mapping)
    return Advice(
        "name the column: {}; a file without a header needs {}",
        mapping,
        ("columns", [*REQUIRED, "status"]),
        by_hand="choose the column; a file without a header needs one as its first line",
    )


def _likely(field: str, free: Sequence[str]) -> str | None:
    """Return the one column that has a word of a field in its name, or None."""
    for word in _LIKELY[field]:
        alike = [name for name in free if word in normalise(name)]
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


def field_name(text: str) -> str | None:
    """Return the field that a name means (``categoryId`` is ``category_id``), or None."""
    word = normalise(text)
    return next((field for field in FIELDS if word in _SPELLINGS[field]), None)


def _refuse_twins(header: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in header:
        if name.strip() and name in seen:
            raise InputError(
                f"the header names the column {name!r} twice",
                column=name,
                hint="rename one of the two; which one counts cannot be guessed",
            )
        seen.add(name)


def _by_field(mapping: Mapping[str, str], header: Sequence[str]) -> dict[str, str]:
    given = {
        field: find_given("mapping", column, header)
        for word, column in mapping.items()
        if (field := field_name(word)) is not None
    }
    if len(set(given.values())) < len(given):
        raise InputError(
            Advice(
                "{} gives one column to two fields",
                ("mapping",),
                by_hand="one column was chosen for two fields",
            ),
            hint="give each its own",
        )
    return given


def find_given(option: str, column: str, header: Sequence[str]) -> str:
    """Return the column that an option names, as the file spells it.

    Raises:
        InputError: The file has no such column.
    """
    if column in header:
        return column
    alike = [name for name in header if normalise(name) == normalise(column)]
    if len(alike) == 1:
        return alike[0]
    raise InputError(
        Advice(
            "{} names the column {}, which is not among {}",
            (option,),
            repr(column),
            _listed(header),
            by_hand=f"the column {column!r} is not among {_listed(header)}",
        ),
        hint="spell it as the file does",
    )


def _find_field(field: str, header: Sequence[str], given: Mapping[str, str]) -> str | None:
    free = [name for name in header if name not in given.values()]
    for spelling in _SPELLINGS[field]:
        alike = [name for name in free if normalise(name) == spelling]
        if len(alike) > 1:
            raise InputError(
                f"the columns {_listed(alike)} both look like {field}",
                column=alike[1],
                hint=Advice(
                    "name the one to use: {}, or rename one",
                    ("mapping", {field: alike[0]}),
                    by_hand="choose the one to use, or rename one",
                ),
            )
        if alike:
            return alike[0]
    return None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:60]) for name in names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown or "no columns"
