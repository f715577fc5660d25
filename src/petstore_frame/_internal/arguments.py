"""Checks of arguments, before anything is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ContextDecorator
from datetime import tzinfo
from functools import wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from petstore_frame.errors import ArgumentError
from petstore_frame.schema.models import INT64_MAX, INT64_MIN, MAX_LIMIT, PET_STATUSES, NewPet
from petstore_frame.schema.numeric import as_positive, as_whole
from petstore_frame.schema.text import kind_text

_NOTHING_SENT = "; nothing was sent"
S = TypeVar("S")
R = TypeVar("R")
P = ParamSpec("P")


class before_sending(ContextDecorator):  # noqa: N801 # read as a word before a function
    """Add "nothing was sent" to each refusal in a block or a decorated function.

    Only for calls that would have sent something.
    """

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, refused: BaseException | None, where: object) -> None:
        if isinstance(refused, ArgumentError) and not str(refused).endswith(_NOTHING_SENT):
            raise ArgumentError(f"{refused}{_NOTHING_SENT}") from None


@before_sending()
def checked_client(client: Any, operation: str) -> None:
    """Refuse anything but a client: an address, a Server, None.

    Args:
        client: What the caller passed as the client.
        operation: The name of a method that it must have.
    """
    if not callable(getattr(client, operation, None)):
        # The message leaves the value out, because it may be a key.
        refuse(
            f"client is a Client, got {kind_text(client)}; make one with pf.Client(base_url, "
            "api_key=...), or with server.client() for a store of pf.serve()"
        )


@before_sending()
def checked_status(status: Any) -> str | None:
    """Return a status of the interface, or None for no filter."""
    if status is not None and not (isinstance(status, str) and status in PET_STATUSES):
        got = _meant(status, PET_STATUSES)
        refuse(f"status is one of {', '.join(PET_STATUSES)}, or None for all, got {got}")
    return status


@before_sending()
def checked_limit(limit: Any) -> int:
    """Return a page's limit within the bounds of the interface."""
    return whole_number("limit", limit, 1, MAX_LIMIT)


@before_sending()
def checked_id(pet_id: Any) -> int:
    """Return a pet's id."""
    return whole_number("pet_id", pet_id, INT64_MIN, INT64_MAX)


def takes_pet_fields(create: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Have ``create_pet`` say what is wrong with arguments that are not a pet's fields."""

    @wraps(create)
    def checked(client: S, /, *given: P.args, **fields: P.kwargs) -> R:
        if given and (isinstance(given[0], NewPet) or hasattr(given[0], "keys")):
            refuse(
                "create_pet takes name=, category_id= and perhaps status=, got "
                f"{kind_text(given[0])}; create_pet(**dict(pet)) takes them from one that has "
                f"no more, pf.load_frame(frame, client) loads a table{_NOTHING_SENT}"
            )
        made: dict[str, Any] = dict(zip(NewPet.model_fields, given, strict=False)) | fields
        NewPet(**made)  # its error names each missing or wrong field
        return create(client, *given, **fields)

    return checked


def renamed(**words: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function answer an argument's old name, ``old="new"``, with the new one."""
    return answered(**{old: f" any more; it is {new}= now" for old, new in words.items()})


def answered(**answers: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function say what to write in place of arguments that it has not."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def checked(*given: P.args, **options: P.kwargs) -> R:
            for name in answers.keys() & options.keys():
                refuse(f"{function.__name__} has no {name}={answers[name]}")
            return function(*given, **options)

        return checked

    return decorate


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


def positive_number(name: str, value: Any) -> float:
    """Return a finite number above 0.

    Example:
        >>> positive_number("rate", 0)
        Traceback (most recent call last):
        petstore_frame.errors.ArgumentError: rate is a number above 0, got 0
    """
    number = as_positive(value)
    if number is None:
        refuse(f"{name} is a number above 0, got {value!r}")
    return number


def true_or_false(name: str, value: Any) -> bool:
    """Return True or False, and refuse anything else, such as the text "no"."""
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
        refuse(f"{name} is one of {', '.join(known)}, got {_meant(value, known)}")
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


def _meant(value: Any, known: Sequence[str]) -> str:
    """Show a value that is none of those known, with the one that it resembles."""
    from difflib import get_close_matches

    near = get_close_matches(str(value).strip().lower(), known, n=1)
    return f"{value!r} (did you mean {near[0]!r}?)" if near else repr(value)
