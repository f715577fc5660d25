"""Checks the arguments of public functions, and words the errors for wrong ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ContextDecorator
from datetime import tzinfo
from difflib import get_close_matches
from numbers import Integral
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from petstore_frame.errors import ArgumentError, InputError

INT64 = range(-(2**63), 2**63)  # the integers that the interface allows
# Number of valid names that an error lists if none is similar.
_MAX_SUGGESTED = 30
_MAX_SHOWN = 80  # characters of a value in an error
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


def shown(value: object) -> str:
    """Return a value for an error message; of a table or another large value only its type.

    Example:
        >>> shown("cat"), shown([0] * 1000)
        ("'cat'", 'list')
    """
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN and text.isprintable() else type(value).__name__


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
        raise ArgumentError(f"{name} must be a whole number, got {kind}{shown(value)}")
    number = int(value)
    if minimum <= number <= maximum:
        return number
    bounds = f"{minimum} or more"
    if maximum < INT64[-1] or minimum < 0:
        bounds = f"between {minimum} and {maximum}"
    raise ArgumentError(f"{name} must be {bounds}, got {number}")


def listed(value: Any) -> list[Any] | None:
    """Return the items of a list or another iterable; None for a text, a table or a single value.

    Example:
        >>> listed((1, 2)), listed("12"), listed(3)
        ([1, 2], None, None)
    """
    if isinstance(value, (str, bytes, Mapping)):
        return None
    try:
        return list(value)
    except TypeError:  # not iterable, or an Inventory
        return None


def checked_integers(name: str, values: Any, minimum: int = INT64[0]) -> list[int]:
    """Return several integers within a bound; one number or a text is rejected.

    Example:
        >>> checked_integers("lines", "4")
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: lines must be a list of whole numbers, got '4'
    """
    numbers = listed(values)
    if numbers is None:
        raise ArgumentError(f"{name} must be a list of whole numbers, got {shown(values)}")
    return [checked_integer(f"each number of {name}", number, minimum) for number in numbers]


def checked_path(name: str, value: Any) -> Path:
    """Return the path of a file or folder, which may be a text.

    Example:
        >>> checked_path("path", None)
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: path must be a path, as text or a Path, got None
    """
    if not isinstance(value, (str, PathLike)):
        raise ArgumentError(f"{name} must be a path, as text or a Path, got {shown(value)}")
    return Path(fspath(value))


def checked_folder(name: str, value: Any) -> Path:
    """Return the path of a folder, which need not exist; the path of a file is rejected."""
    folder = checked_path(name, value)
    if folder.is_file():
        raise ArgumentError(f"{name} must be a folder, and {str(folder)!r} is a file")
    return folder


def checked_frame(name: str, value: Any, columns: Iterable[str], origin: str) -> None:
    """Raise unless a value is a pandas frame with these columns.

    Args:
        name: The argument.
        value: Its value.
        columns: The columns that are needed; a frame may have more.
        origin: Where the user gets such a frame, such as ``history.trend()``.

    Raises:
        ArgumentError: The value is no frame.
        InputError: A column is missing.
    """
    if not (hasattr(value, "columns") and hasattr(value, "attrs")):  # those of pandas have both
        raise ArgumentError(f"{name} must be {origin}, a DataFrame, got {shown(value)}")
    missing = [column for column in columns if column not in value.columns]
    if missing:
        hint = f"{name} must be {origin}"
        raise InputError(f"{name} lacks {', '.join(missing)}", column=missing[0], hint=hint)


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
    raise ArgumentError(f"{name} must be one of {', '.join(valid)}, got {shown(value)}{suggestion}")


def checked_choices(name: str, value: Any, choices: Sequence[str]) -> tuple[str, ...]:
    """Return one or more of the choices, passed as one text or as a list.

    Example:
        >>> checked_choices("by", "status", ("status", "category_id"))
        ('status',)
    """
    texts = [value] if isinstance(value, str) else listed(value)
    if not texts or any(not isinstance(text, str) or text not in choices for text in texts):
        valid = ", ".join(choices)
        raise ArgumentError(f"{name} must be one or more of {valid}, got {shown(value)}")
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
            f"timezone must be the name of a time zone, such as Europe/Zurich, got {shown(value)}"
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
