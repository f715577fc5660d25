"""Checks arguments before anything is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ContextDecorator
from datetime import tzinfo
from math import inf
from numbers import Integral, Real
from typing import Any, NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from petstore_frame.errors import ArgumentError, like
from petstore_frame.schema.text import kind_text

_NOTHING_SENT = "; nothing was sent"


class before_sending(ContextDecorator):  # noqa: N801 # read as a word before a function
    """Add "nothing was sent" to each refusal in a block or a decorated function.

    Only for calls that would have sent something.
    """

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, refused: BaseException | None, where: object) -> None:
        if isinstance(refused, ArgumentError) and _NOTHING_SENT not in refused.message:
            raise ArgumentError(f"{refused.message}{_NOTHING_SENT}", add=refused.add) from None


@before_sending()
def checked_client(client: Any, operation: str) -> None:
    """Refuse what has no method of this name: an address, a Server, None."""
    if not callable(getattr(client, operation, None)):
        # The message leaves the value out, because it may be a key.
        refuse(
            f"client is a Client, got {kind_text(client)}; make one with pf.Client(base_url, "
            "api_key=...), or with server.client() for a store of pf.serve()"
        )


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number within bounds; numpy's integers are taken too, True and 3.0 are not.

    Example:
        >>> whole_number("pet_id", "3", 1)
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: pet_id is a whole number, got the text '3'
    """
    number = as_whole(value)
    if number is None:
        kind = "the text " if isinstance(value, str) else ""
        refuse(f"{name} is a whole number, got {kind}{value!r}")
    if number < least or (most is not None and number > most):
        bounds = f"{least} or more" if most is None else f"{least} to {most}"
        refuse(f"{name} is {bounds}, got {number}")
    return number


def true_or_false(name: str, value: Any) -> bool:
    """Refuse anything else, such as the text "no"."""
    if not isinstance(value, bool):
        refuse(f"{name} is True or False, got {value!r}")
    return value


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return a text that is one of several.

    Example:
        >>> one_of("period", "day", ["week", "month"])
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: period is one of week, month, got 'day'
    """
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        near = like(str(value), known)
        meant = f" (did you mean {near!r}?)" if near else ""
        refuse(f"{name} is one of {', '.join(known)}, got {value!r}{meant}")
    return value


def some_of(name: str, value: Any, choices: Sequence[str]) -> tuple[str, ...]:
    """Return one or more of several texts, given as one text or as a list.

    Example:
        >>> some_of("by", "status", ("status", "category_id"))
        ('status',)
    """
    asked = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    if not asked or any(not isinstance(each, str) or each not in choices for each in asked):
        refuse(f"{name} is one or more of {', '.join(choices)}, got {value!r}")
    return tuple(asked)


def time_zone(value: Any) -> tzinfo | None:
    """Return the time zone that a caller named; None, the machine's, stays None.

    Example:
        >>> time_zone("Europe/Zurich").key
        'Europe/Zurich'
    """
    if value is None or isinstance(value, tzinfo):
        return value
    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        refuse(f"timezone is the name of a time zone, such as Europe/Zurich, got {value!r}")


def refuse(what: str) -> NoReturn:
    """Raise an ArgumentError with this text."""
    raise ArgumentError(what)


def as_whole(value: Any) -> int | None:
    """Return a whole number as int, numpy's included; None for all else, True and 3.0 included.

    Example:
        >>> [as_whole(value) for value in (3, True, 3.0, "3")]
        [3, None, None, None]
    """
    return None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)


def as_positive(value: Any) -> float | None:
    """Return a finite number above 0 as float, numpy's included; None for all else.

    Example:
        >>> [as_positive(value) for value in (3, 0.5, 0, True, float("inf"), "3")]
        [3.0, 0.5, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of more digits than a float has
        return None
    return number if 0 < number < inf else None
