"""Texts that fold alike are asked about: never sent, and never skipped without a message."""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.loader.matching.folding import fold, fold_name
from petstore_frame.loader.matching.key_cores import core_of_key
from petstore_frame.loader.matching.match import MatchingInput, match
from unit.loader.matching.rows import animal, row

# Every assigned character, alone and between others.
ASSIGNED = [
    chr(point)
    for point in range(sys.maxunicode + 1)
    if unicodedata.category(chr(point)) not in ("Cn", "Co", "Cs")
]
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
CHANGES = {
    "capitals": str.swapcase,
    "an accent": lambda text: f"{text[:1]}\u0301{text[1:]}",
    "an invisible character": lambda text: f"{text[:1]}\u200b{text[1:]}",
    "spaces": lambda text: f" {text}\u00a0",
    "quotes": lambda text: f"\u201c{text}\u201d",
    "a formula": lambda text: f'="{text}"',
    "an entity": lambda text: f"{text}&nbsp;",
    "compatibility": lambda text: unicodedata.normalize("NFKD", text),
}


def pairs_that_fold_alike(form: str) -> list[tuple[str, str]]:
    """Return each text of one more character with another that folds alike."""
    groups = defaultdict[str, list[str]](list)
    for sign in ASSIGNED:
        text = form.format(sign)
        groups[fold(text)].append(text)
    return [(group[0], text) for group in groups.values() for text in group[1:]]


def asked_rows(inputs: MatchingInput) -> tuple[dict[str, set[int]], set[int]]:
    """Return the rows that each case asks about, and those that are known without a question."""
    plan = match(inputs, {})
    asked = {str(case.name): {found.row for found in case.matches} for case in plan.cases}
    silent = {*plan.animals, *plan.pets, *plan.same_as} - set().union(*asked.values())
    return asked, silent


def ask_about_names(pairs: list[tuple[str, str]]) -> tuple[dict[str, set[int]], set[int]]:
    animals = [animal(number, before) for number, (before, _) in enumerate(pairs, 1)]
    rows = [row(number, now) for number, (_, now) in enumerate(pairs, 1)]
    return asked_rows(MatchingInput(rows=rows, to_send=len(rows), sent_animals=animals))


def ask_about_keys(pairs: list[tuple[str, str]]) -> tuple[dict[str, set[int]], set[int]]:
    animals_of_core = defaultdict[str, list](list)
    for number, (before, _) in enumerate(pairs, 1):
        animals_of_core[core_of_key([before])].append(animal(number, f"Pet {number}", 1, before))
    rows = [row(number, f"Pet {number}", key=now) for number, (_, now) in enumerate(pairs, 1)]
    inputs = MatchingInput(
        rows=rows, to_send=len(rows), has_keys=True, animals_of_core=animals_of_core
    )
    return asked_rows(inputs)


def test_names_of_all_of_unicode() -> None:
    """For each character: a name that folds like another is asked about."""
    pairs = pairs_that_fold_alike("{}")
    asked, silent = ask_about_names(pairs)
    assert len(pairs) > 5000
    assert asked == {"same_content": {*range(1, len(pairs) + 1)}} and not silent


def test_decorated_names_of_all_of_unicode() -> None:
    """For each character: a name and its decorated form, in turn, are asked about."""
    forms = zip(ASSIGNED, cycle(["*{}", "{} \u2022", "~{}~", "({})", "*[{}]"]))
    pairs = [(sign, form.format(sign)) for sign, form in forms if fold(sign)]
    pairs = [pair for pair in pairs if fold_name(pair[0]) == fold_name(pair[1])]
    assert len(pairs) > 130_000
    asked, silent = ask_about_names(pairs)
    assert asked == {"same_content": {*range(1, len(pairs) + 1)}} and not silent


def test_a_name_keeps_decoration_that_is_all_of_it() -> None:
    """Signs alone are a name, and a number in brackets belongs to it."""
    assert len({fold_name(name) for name in ("***", "*", "()", "~", "[]")}) == 5
    assert fold_name("Luna (2)") != fold_name("Luna")
    assert fold_name("(Luna) (Max)") == "(luna) (max)"


def test_keys_of_all_of_unicode() -> None:
    """For each character in a key: a key that folds like another is asked about."""
    pairs = pairs_that_fold_alike("A{}7")
    asked, silent = ask_about_keys(pairs)
    assert len(pairs) > 5000
    assert asked == {"similar_key": {*range(1, len(pairs) + 1)}} and not silent


@given(texts, st.sampled_from([*CHANGES]))
def test_any_text_that_folds_alike(text: str, change: str) -> None:
    """Whatever the text, and whatever a spreadsheet did to it."""
    changed = CHANGES[change](text)
    if fold(changed) != fold(text):
        return
    assert ask_about_names([(text, changed)]) == ({"same_content": {1}}, set())
    if core_of_key([text]) and changed != text:
        assert ask_about_keys([(text, changed)]) == ({"similar_key": {1}}, set())
