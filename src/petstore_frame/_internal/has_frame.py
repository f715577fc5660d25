"""Errors that point to ``.frame`` when somebody uses a result as if it were its table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

# Attributes of version 0.2, each with the one that has taken its place.
RENAMED = {
    "claim": "completeness",
    "source": "origin",
    "run": "import_id",
    "run_id": "import_id",
    "repeats": "question",
    "is_from_earlier_run": "sent_now",
}


class HasFrame:
    """A result whose table is a DataFrame, ``frame``."""

    # Other attributes that hold an object, and the kind of each.
    _parts: ClassVar[Mapping[str, type]] = {}

    def _columns(self) -> Collection[str]:
        """Return the columns of ``frame`` that are known without building it."""
        return ()

    if not TYPE_CHECKING:  # type checkers find these mistakes by themselves

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # a property failed: it says why
            where = "" if name.startswith("_") else f"; {self._where(name)}"
            raise AttributeError(f"{self._kind()} has no attribute {name!r}{where}")

        def __getitem__(self, key: object) -> Any:
            is_column = isinstance(key, str) and key in self._columns()
            column = f": .frame[{key!r}]" if is_column else ""
            raise TypeError(f"{self._kind()} has no columns; its table is .frame{column}")

        def __iter__(self) -> Any:
            raise TypeError(
                f"{self._kind()} is not iterable; its table is .frame: .frame.itertuples()"
            )

    def _kind(self) -> str:
        name = type(self).__name__
        return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"

    def _where(self, name: str) -> str:
        import pandas as pd

        if name in RENAMED and hasattr(self, RENAMED[name]):
            return f"it is .{RENAMED[name]} now"
        if hasattr(pd.DataFrame, name):
            return f"its table is .frame: .frame.{name}"
        if name in self._columns():
            return f"its table is .frame: .frame[{name!r}]"
        for part, kind in self._parts.items():
            if hasattr(kind, name) or name in getattr(kind, "__dataclass_fields__", ()):
                return f".{part} has it: .{part}.{name}"
        return "its table is .frame"
