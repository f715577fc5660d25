"""What a caller may ask of the loader, checked before anything is read, staged or sent.

How a source is read is ``reading.options.Reading``, which checks itself.
"""

from __future__ import annotations

import math
from numbers import Real
from os import PathLike
from typing import Any, NoReturn

from petstore_frame._internal.arguments import (
    before_sending,
    checked_client,
    checked_id,
    one_of,
    true_or_false,
    whole_number,
)
from petstore_frame._internal.progress import checked_progress
from petstore_frame.errors import ArgumentError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.limits import MOST_WORKERS, Limits

DUPLICATES = ("refuse", "skip", "send")


@before_sending()
def check_sending(
    client: Any, limits: Limits, *, journal: Any, progress: Any, duplicates: Any, **switches: Any
) -> None:
    """Refuse wrong arguments that concern the sending.

    Args:
        client: The store.
        limits: How far to go.
        journal: Folder of the journals.
        progress: The caller's ``progress=``.
        duplicates: What to do with records that equal earlier ones.
        switches: Arguments that are True or False, by name.

    Raises:
        ArgumentError: One of them cannot be used; nothing was sent.
    """
    checked_client(client, "post_pet")
    whole_number("workers", limits.workers, 1, MOST_WORKERS)
    if limits.max_errors is not None:
        whole_number("max_errors", limits.max_errors, 0)
    if journal is not None:
        check_folder("journal", journal)
    checked_progress(progress)
    one_of("duplicates", duplicates, DUPLICATES)
    for name, value in switches.items():
        true_or_false(name, value)


def check_folder(name: str, value: Any) -> None:
    """Refuse what is not a path."""
    if not isinstance(value, str | PathLike):
        _refuse("{} is a folder's path, got {}", (name,), _shown(value))


@before_sending()
def check_settling(
    client: Any,
    *,
    grace_s: Any,
    by_id: Any,
    most_gets: Any,
    resend_absent: Any,
    sole_writer: Any,
) -> None:
    """Refuse wrong arguments of ``reconcile``.

    Raises:
        ArgumentError: One of them cannot be used; nothing was sent.
    """
    checked_client(client, "ask_page")
    is_number = isinstance(grace_s, Real) and not isinstance(grace_s, bool)
    if not is_number or not 0 <= grace_s < math.inf:
        _refuse("{} is a number of seconds, 0 or more, got {}", ("grace_s",), _shown(grace_s))
    whole_number("most_gets", most_gets, 0)
    true_or_false("by_id", by_id)
    true_or_false("resend_absent", resend_absent)
    true_or_false("sole_writer", sole_writer)


def checked_resolution(record: Any, *, pet_id: Any, not_created: Any) -> tuple[int, int | None]:
    """Return the record and the pet of ``resolve``, as plain numbers.

    Raises:
        ArgumentError: One of its arguments cannot be used; nothing was changed.
    """
    true_or_false("not_created", not_created)
    if (pet_id is None) == (not not_created):
        raise ArgumentError("give either pet_id= or not_created=True; nothing was changed")
    return whole_number("record", record, 1), None if pet_id is None else checked_id(pet_id)


def _shown(value: Any) -> str:
    """Return a value in few characters; of a long one, its type."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _refuse(text: str, *parts: str | tuple[Any, ...], by_hand: str | None = None) -> NoReturn:
    raise ArgumentError(Advice(f"{text}; nothing was sent", *parts, by_hand=by_hand))
