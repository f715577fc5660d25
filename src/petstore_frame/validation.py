"""Checks arguments before anything is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ContextDecorator
from datetime import tzinfo
from difflib import get_close_matches
from numbers import Integral
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from petstore_frame.errors import ArgumentError

INT64 = range(-(2**63), 2**63)  # the whole numbers of the interface
# At most this many valid names are listed if none is similar.
_MAX_SUGGESTED = 30
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
        raise ArgumentError(
            f"client is a Client, got {type(client).__name__}; make one with pf.Client(base_url, "
            "api_key=...), or with server.client() for a store of pf.serve()"
        )


def whole_number(name: str, value: Any, least: int = INT64[0], most: int = INT64[-1]) -> int:
    """Return a whole number within bounds; numpy's integers are taken too, True and 3.0 are not.

    Example:
        >>> whole_number("pet_id", "3", 1)
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: pet_id is a whole number, got the text '3'
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        kind = "the text " if isinstance(value, str) else ""
        raise ArgumentError(f"{name} is a whole number, got {kind}{value!r}")
    number = int(value)
    if not least <= number <= most:
        bounds = f"{least} to {most}" if most < INT64[-1] or least < 0 else f"{least} or more"
        raise ArgumentError(f"{name} is {bounds}, got {number}")
    return number


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
        raise ArgumentError(f"{name} is one of {', '.join(known)}, got {value!r}{meant}")
    return value


def some_of(name: str, value: Any, choices: Sequence[str]) -> tuple[str, ...]:
    """Return one or more of several texts, given as one text or as a list.

    Example:
        >>> some_of("by", "status", ("status", "category_id"))
        ('status',)
    """
    asked = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    if not asked or any(not isinstance(each, str) or each not in choices for each in asked):
        raise ArgumentError(f"{name} is one or more of {', '.join(choices)}, got {value!r}")
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
        raise ArgumentError(
            f"timezone is the name of a time zone, such as Europe/Zurich, got {value!r}"
        ) from None


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the end of a sentence that refuses a word: what to write instead, or what there is.

    Example:
        >>> nearest("kye", ["key", "keep"]), nearest("colour", ["key", "keep"])
        ("; did you mean 'key'?", '; it has key, keep')
    """
    words = list(known)
    if near := like(str(word), words):
        return f"; did you mean {near!r}?"
    more = ", …" if len(words) > _MAX_SUGGESTED else ""
    return f"; it has {', '.join(words[:_MAX_SUGGESTED])}{more}"


def like(word: str, known: Iterable[str]) -> str | None:
    """Return the one of several words that is most like a word, whatever its case, or None."""
    words = {each.casefold(): each for each in known}
    near = get_close_matches(word.strip().casefold(), words, 1, 0.6)
    return words[near[0]] if near else None
