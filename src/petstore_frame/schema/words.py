"""Looks up the words that people and programs write in lists of animals, from ``words.toml``."""

from __future__ import annotations

import tomllib
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any

from petstore_frame.schema.models import PET_STATUSES


def comparable(text: str) -> str:
    """Return a text without accents, spaces and punctuation, in lower case.

    Example:
        >>> comparable("Situación"), comparable("En attente")
        ('situacion', 'enattente')
    """
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in folded if sign.isalnum())


@cache
def written_words(topic: str) -> tuple[str, ...]:
    """Return the words of all languages about a topic, as they are written.

    Example:
        >>> written_words("page")[:3]
        ('page', 'Seite', 'página')
    """
    words = (word for language in _languages() for word in language.get(topic, ()))
    return tuple(dict.fromkeys(words))


@cache
def words_for(topic: str) -> frozenset[str]:
    """Return the words of all languages about a topic, in the form of ``comparable``."""
    return frozenset(map(comparable, written_words(topic)))


@cache
def month_numbers() -> dict[str, int]:
    """Return the number of each month by its names, in the form of ``comparable``.

    Example:
        >>> month_numbers()["marz"], month_numbers()["dec"]
        (3, 12)
    """
    return {
        comparable(name): number
        for language in _languages()
        for number, names in enumerate(language.get("months", ()), 1)
        for name in names.split()
    }


def status_of(text: str) -> str | None:
    """Return the status that a word probably means: a suggestion, which a person must confirm.

    Example:
        >>> status_of("Vermittelt"), status_of("en attente"), status_of("Stolen")
        ('sold', 'pending', None)
    """
    word = comparable(text)
    return next((status for status in PET_STATUSES if word in words_for(status)), None)


def animal_of(text: str) -> str | None:
    """Return the English name of a common kind of animal, or None.

    Example:
        >>> animal_of("Meerschweinchen"), animal_of("Chiens"), animal_of("Yeti")
        ('guinea pig', 'dog', None)
    """
    return _animals().get(comparable(text))


def animal_kinds(text: str) -> tuple[str, ...]:
    """Return the kind of animal that a word names, and the broader kinds, by their English names.

    Example:
        >>> animal_kinds("Wellensittich"), animal_kinds("Yeti")
        (('budgie', 'parrot', 'bird'), ())
    """
    kinds = list[str]()
    kind = animal_of(text)
    while kind is not None:
        kinds.append(kind)
        kind = _broader_kinds().get(kind)
    return tuple(kinds)


@cache
def _broader_kinds() -> dict[str, str]:
    return {
        kind.replace("_", " "): broader.replace("_", " ")
        for language in _languages()
        for kind, broader in language.get("broader", {}).items()
    }


@cache
def _animals() -> dict[str, str]:
    return {
        comparable(name): kind.replace("_", " ")
        for language in _languages()
        for kind, names in language.get("animals", {}).items()
        for name in names
    }


@cache
def _languages() -> tuple[dict[str, Any], ...]:
    text = files("petstore_frame.schema").joinpath("words.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text).values())
