"""The words of each language mean one thing, and are suggestions."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from petstore_frame import schema
from petstore_frame.schema.words import (
    animal_kinds,
    animal_of,
    comparable,
    month_numbers,
    status_of,
    words_for,
)

LANGUAGES = tomllib.loads((Path(schema.__file__).parent / "words.toml").read_text("utf-8"))


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "nl"])
def test_a_language_has_the_words_of_a_list(language: str) -> None:
    """Columns, statuses, months and animals are known in the languages that we say."""
    words = LANGUAGES[language]
    topics = {"category_maybe", "available", "pending", "sold", "total", "none", "animals"}
    assert topics <= {*words} and len(words["months"]) == 12
    assert {*words["animals"]} == {*LANGUAGES["en"]["animals"]}


def test_a_word_has_one_meaning() -> None:
    """No word is two statuses, two months or two animals, whatever the languages."""
    meanings = defaultdict[str, set[object]](set)
    for words in LANGUAGES.values():
        for status in ("available", "pending", "sold"):
            for word in words.get(status, ()):
                meanings[f"status {comparable(word)}"].add(status)
        for month, names in enumerate(words.get("months", ())):
            for name in names.split():
                meanings[f"month {comparable(name)}"].add(month)
        for animal, names in words.get("animals", {}).items():
            for name in names:
                meanings[f"animal {comparable(name)}"].add(animal)
    assert {word: several for word, several in meanings.items() if len(several) > 1} == {}


@pytest.mark.parametrize(
    ("text", "status"),
    [("Verfügbar", "available"), ("reserviert", "pending"), ("VERMITTELT", "sold"),
     ("adopté", "sold"), ("en espera", "pending"), ("Te koop", "available"), ("Stolen", None)],
)  # fmt: skip
def test_a_word_suggests_a_status(text: str, status: str | None) -> None:
    """Capitals and accents don't count, and other words suggest nothing."""
    assert status_of(text) == status


@pytest.mark.parametrize(
    ("text", "animal"),
    [("Hunde", "dog"), ("chatte", "cat"), ("PAJAROS", "bird"), ("cavia's", "guinea pig"),
     ("Meerschweinchen", "guinea pig"), ("Einhorn", None)],
)  # fmt: skip
def test_a_word_suggests_an_animal(text: str, animal: str | None) -> None:
    """Animals are known in singular and plural."""
    assert animal_of(text) == animal


def test_topics_join_all_languages() -> None:
    """A word is found whatever the language of the file."""
    assert {"tierart", "espece", "especie", "soort", "species"} <= words_for("category_maybe")
    assert month_numbers()["augustus"] == month_numbers()["aout"] == 8


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Wellensittiche", ("budgie", "parrot", "bird")),
        ("CACATOES", ("cockatoo", "parrot", "bird")),
        ("cuyos", ("guinea pig", "rodent")),
        ("goudvissen", ("goldfish", "fish")),
        ("Bartagame", ("bearded dragon", "lizard", "reptile")),
    ],
)
def test_a_kind_of_animal_has_broader_kinds(text: str, kinds: tuple[str, ...]) -> None:
    """A list may have only a broader kind, such as birds for a budgie."""
    assert animal_kinds(text) == kinds


def test_the_same_kinds_are_known_in_five_languages() -> None:
    """Each kind has a word in each language, and the broader kinds are kinds, too."""
    kinds = [{*LANGUAGES[language]["animals"]} for language in ("en", "de", "fr", "es", "nl")]
    broader = LANGUAGES["programs"]["broader"]
    assert all(table == kinds[0] for table in kinds)
    assert {*broader, *broader.values()} <= kinds[0]
