"""Finds the number of a category that somebody chose or typed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from petstore_frame.errors import ArgumentError

_NUMBERED = re.compile(r"(.+?)\s*\((-?\d+)\)")


class CategoryNumbers(NamedTuple):
    """The names of a store's categories, and the numbers that its pets use."""

    names: Mapping[int, str]
    used: Collection[int] = ()

    @property
    def free_number(self) -> int:
        """A number that neither the store nor the saved settings use."""
        return max([0, *self.names, *self.used]) + 1

    def text(self, number: int) -> str:
        """Return the text of a number in a form."""
        return f"{self.names[number]} ({number})" if number in self.names else str(number)

    def text_of_name(self, label: str) -> str | None:
        """Return the text of a category by its name in any case; None if there is none."""
        number = self._number_of(label)
        return None if number is None else self.text(number)

    def read(self, text: str) -> tuple[int, str | None]:
        """Return the number that a text means, and its name if it is new.

        ``Ferret (9)`` is a new category if neither its name nor its number is in use.

        Raises:
            ArgumentError: It is not a category, or its name or number is in use.
        """
        numbered = _NUMBERED.fullmatch(text)
        if numbered is not None:
            return self._new_or_same(numbered[1], int(numbered[2]))
        if text.removeprefix("-").isdecimal():
            number = int(text)
            if number not in self.names and number not in self.used:
                raise ArgumentError(
                    f"category {number} is new, so it needs a name: type Name ({number})"
                )
            return number, None
        same = self._number_of(text)
        if same is None:
            raise ArgumentError(
                f"no category is called {text!r}; choose one from the list, or type a new one with "
                f"its number: {text} ({self.free_number})"
            )
        return same, None

    def _number_of(self, label: str) -> int | None:
        for number, name in self.names.items():
            if name.casefold() == label.casefold():
                return number
        return None

    def _new_or_same(self, label: str, number: int) -> tuple[int, str | None]:
        name, same_label = self.names.get(number), self._number_of(label)
        if name is not None and name.casefold() == label.casefold():
            return number, None
        if name is not None:
            raise ArgumentError(
                f"category {number} is already called {name}; choose "
                f"{name} ({number}), or type {label} ({self.free_number})"
            )
        if same_label is not None:
            raise ArgumentError(
                f"{label} is already category {same_label}; choose {label} ({same_label})"
            )
        if number in self.used:
            raise ArgumentError(
                f"the store already has pets in category {number}, which has no name yet; type "
                f"{number} if they are the same category, or {label} ({self.free_number})"
            )
        return number, label
