"""Checks the arguments of public functions, and words the errors for wrong ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ContextDecorator
from datetime import tzinfo
from difflib import get_close_matches
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from petstore_frame.errors import ArgumentError

INT64 = range(-(2**63), 2**63)  # the integers that the interface allows
# Number of valid names that an error lists if none is similar.
_MAX_SUGGESTED = 30
_NOTHING_SENT = "; nothing was sent"


class before_sending(ContextDecorator):  # noqa: N801 # reads like a function, as contextlib's classes do
    """Add "nothing was sent" to each ArgumentError of a block or a decorated function.

    Use it only for calls that would have sent a request.
    """

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, ArgumentError) and _NOTHING_SENT not in error.message:
            raise nothing_sent(error) from None


def nothing_sent(error: ArgumentError) -> ArgumentError:
    """Return the error with "nothing was sent" at its end."""
    return ArgumentError(f"{error.message}{_NOTHING_SENT}", add=error.add)


@before_sending()
def checked_client(client: Any, operation: str) -> None:
    """Raise an ArgumentError unless the client has a method of this name."""
    if not callable(getattr(client, operation, None)):
        raise wrong_client(client)


def wrong_client(client: Any) -> ArgumentError:
    """Return the error for an argument that is not a client."""
    # The message omits the value, because it may be an API key.
    return ArgumentError(
        f"client must be a Client, got {type(client).__name__}; make one with "
        "pf.Client(base_url, api_key=...), or with server.client() for a store of pf.serve()"
    )


def checked_integer(
    name: str, value: Any, minimum: int = INT64[0], maximum: int = INT64[-1]
) -> int:
    """Return an integer within bounds; numpy integers are accepted, True and 3.0 are not.

    Example:
        >>> checked_integer("limit", 500, 1, 100)
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: limit must be between 1 and 100, got 500
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        kind = "the text " if isinstance(value, str) else ""
        raise ArgumentError(f"{name} must be a whole number, got {kind}{value!r}")
    number = int(value)
    if minimum <= number <= maximum:
        return number
    bounds = f"{minimum} or more"
    if maximum < INT64[-1] or minimum < 0:
        bounds = f"between {minimum} and {maximum}"
    raise ArgumentError(f"{name} must be {bounds}, got {number}")


def checked_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return a text that must be one of the choices.

    Example:
        >>> checked_choice("period", "day", ["week", "month"])
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: period must be one of week, month, got 'day'
    """
    valid = tuple(choices)
    if isinstance(value, str) and value in valid:
        return value
    match = closest_match(str(value), valid)
    suggestion = f" (did you mean {match!r}?)" if match else ""
    raise ArgumentError(f"{name} must be one of {', '.join(valid)}, got {value!r}{suggestion}")


def checked_choices(name: str, value: Any, choices: Sequence[str]) -> tuple[str, ...]:
    """Return one or more of the choices, passed as one text or as a list.

    Example:
        >>> checked_choices("by", "status", ("status", "category_id"))
        ('status',)
    """
    is_single = isinstance(value, str) or not isinstance(value, Iterable)
    texts = [value] if is_single else list(value)
    if not texts or any(not isinstance(text, str) or text not in choices for text in texts):
        raise ArgumentError(f"{name} must be one or more of {', '.join(choices)}, got {value!r}")
    return tuple(texts)


def time_zone(value: Any) -> tzinfo | None:
    """Return the time zone with a name; None, for the time zone of the machine, stays None.

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
            f"timezone must be the name of a time zone, such as Europe/Zurich, got {value!r}"
        ) from None


def suggest(name: object, valid_names: Iterable[str]) -> str:
    """Return the end of an error about an unknown name: the closest valid name, or all of them.

    Example:
        >>> suggest("kye", ["key", "keep"]), suggest("color", ["key", "keep"])
        ("; did you mean 'key'?", '; it has key, keep')
    """
    names = list(valid_names)
    match = closest_match(str(name), names)
    if match:
        return f"; did you mean {match!r}?"
    more = ", …" if len(names) > _MAX_SUGGESTED else ""
    return f"; it has {', '.join(names[:_MAX_SUGGESTED])}{more}"


def closest_match(text: str, choices: Iterable[str], min_similarity: float = 0.6) -> str | None:
    """Return the choice that is most similar to a text, ignoring case; None if none is similar."""
    folded_choices = {choice.casefold(): choice for choice in choices}
    matches = get_close_matches(text.strip().casefold(), folded_choices, 1, min_similarity)
    return folded_choices[matches[0]] if matches else None


def refuse_file(argument: str, folder: str | PathLike[str]) -> None:
    """Refuse the path of a file where a folder is expected.

    Raises:
        ArgumentError: The path is a file.
    """
    if Path(folder).is_file():
        raise ArgumentError(f"{argument} must be a folder, and {str(folder)!r} is a file")
