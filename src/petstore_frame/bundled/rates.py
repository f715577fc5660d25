"""Which faults there are, and how often each comes, as a user says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petstore_frame.errors import nearest
from petstore_frame.schema.arguments import refuse

RATES = {
    "lost-reply": "the answer is cut after the store has acted",
    "refused": "the request is cut before the store sees it",
    "late": "the answer is kept until the client has given up",
    "error-after": "a 500 after the store has acted",
    "busy": "429 or 503, with Retry-After or without, before the store sees the request",
    "repeat": "the store gets the request twice, as from a proxy that sends it again",
    "slow": "the answer takes a second longer",
}
KNOWN = (*RATES, "cap")


def read_faults(given: str | Mapping[str, float]) -> dict[str, float]:
    """Return faults that are given as ``"lost-reply=0.05,cap=20"`` or as a dict.

    Raises:
        ArgumentError: A fault is not known, or a rate is not from 0 to 1.

    Example:
        >>> read_faults("lost-reply=0.05,cap=20")
        {'lost-reply': 0.05, 'cap': 20.0}
    """
    if isinstance(given, str):
        parts = (part.partition("=") for part in given.split(",") if part.strip())
        pairs: list[tuple[str, Any]] = [(name, value) for name, _, value in parts]
    elif isinstance(given, Mapping):
        pairs = [(str(name), value) for name, value in given.items()]
    else:
        refuse(f"faults is text such as 'lost-reply=0.05,cap=20', or a dict, got {given!r}")
    faults: dict[str, float] = {}
    for word, value in pairs:
        name = word.strip().replace("_", "-")
        if name not in KNOWN:
            refuse(f"faults: there is no fault {name!r}{nearest(name, KNOWN)}")
        try:
            faults[name] = float(value)
        except ValueError:
            refuse(f"faults: {name} is a number, got {value!r}")
        if name == "cap" and faults[name] not in range(1, 101):
            refuse(f"faults: cap is the pets of a page, from 1 to 100, got {value!r}")
        if name != "cap" and not 0 <= faults[name] <= 1:
            refuse(f"faults: {name} is a rate from 0 to 1, such as 0.05, got {value!r}")
    if sum(rate for name, rate in faults.items() if name not in ("slow", "cap")) > 1:
        refuse("faults: the rates add up to more than 1, and a request meets at most one fault")
    return faults
