"""A number of pets that says whether it is exact, a minimum or approximate."""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias, cast

# Whether the store has exactly, at least or about as many pets as a number says.
Bound: TypeAlias = Literal["exact", "at_least", "about"]
_SYMBOLS: dict[Bound, str] = {"exact": "", "at_least": "≥ ", "about": "≈ "}
_IN_WORDS: dict[Bound, str] = {"exact": "", "at_least": "at least ", "about": "about "}


class StatusCount(int):
    """A number of pets, and whether the store has exactly, at least or about that many.

    It is an int: it compares, adds and sorts like one, and a format such as ``f"{count:,}"``
    shows the number alone. Sums and differences are plain ints. ``str`` marks what is not exact.
    Two StatusCounts are equal if the numbers and the bounds are.

    Args:
        count: Pets that were read.
        bound: ``exact``; ``at_least`` if the store may have more; ``about`` if the store changed
            while it was read, so that it may have more or fewer.

    Example:
        >>> count = StatusCount(1200, "at_least")
        >>> print(count, f"{count:,}", count.in_words, count > 1000, count.is_exact)
        ≥ 1,200 1,200 at least 1,200 True False
    """

    bound: Bound

    def __new__(cls, count: int, bound: Bound = "exact") -> Self:
        number = super().__new__(cls, count)
        number.bound = bound
        return number

    @property
    def count(self) -> int:
        """The number without its bound."""
        return int(self)

    @property
    def is_exact(self) -> bool:
        """Whether the store has exactly this number."""
        return self.bound == "exact"

    @property
    def in_words(self) -> str:
        """The number for a sentence: ``1,200``, ``at least 1,200`` or ``about 1,200``."""
        return f"{_IN_WORDS[self.bound]}{self.count:,}"

    def __eq__(self, other: object) -> bool:
        is_same_bound = not isinstance(other, StatusCount) or self.bound == other.bound
        return is_same_bound and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__

    def __getnewargs__(self) -> tuple[int, Bound]:  # type: ignore[override] # int has one
        return self.count, self.bound

    def __str__(self) -> str:
        return f"{_SYMBOLS[self.bound]}{self.count:,}"

    def __format__(self, spec: str) -> str:
        return format(self.count, spec) if spec else str(self)

    def __repr__(self) -> str:
        return f"<StatusCount: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"count": self.count, "bound": self.bound}


def checked_bound(text: Any) -> Bound:
    """Return a bound that was read from JSON; a ValueError if it is none."""
    if text not in _SYMBOLS:
        raise ValueError(f"bound must be one of {', '.join(_SYMBOLS)}, got {text!r}")
    return cast("Bound", text)
