"""Parses the options of ``--set OPTION=VALUE`` in a shell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from petstore_frame.errors import ArgumentError

# Options whose tables have texts of the file as keys. These may contain a "="; the values do not.
_BY_LABEL = ("categories", "value_map")
_LISTS = ("key", "columns", "allow", "exclude", "include")


def read_set(texts: Iterable[str]) -> dict[str, Any]:
    """Return the options of ``--set OPTION=VALUE``.

    Raises:
        ArgumentError: A text has no ``=``, or an option is both a value and a table.

    Example:
        >>> read_set(["keep=first", "mapping.name=Pet name", "value_map.status.a.b=sold"])
        {'keep': 'first', 'mapping': {'name': 'Pet name'}, 'value_map': {'status': {'a.b': 'sold'}}}
    """
    options: dict[str, Any] = {}
    for text in texts:
        name, *_ = re.split(r"[.=]", text, maxsplit=1)
        split = text.rpartition if name in _BY_LABEL else text.partition
        path, equals, value = split("=")
        if not (name and equals):
            raise ArgumentError(
                f"--set must be OPTION=VALUE, such as encoding=cp1252, got {text!r}"
            )
        *tables, last = path.split(".", 2 if name == "value_map" else 1)
        table = options
        for part in tables:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise ArgumentError(f"--set {text}: {part} has a value already")
        # A later value replaces an earlier one, except in options that are lists.
        table[last] = [*table.get(last, ()), value] if name in _LISTS else value
    return options
