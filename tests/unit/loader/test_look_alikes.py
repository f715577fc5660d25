"""Rows whose texts fold alike are possible duplicates: neither sent nor matched silently."""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from functools import cache
from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.loader.matching.folding import fold, fold_name
from petstore_frame.loader.matching.key_cores import core_of_key
from petstore_frame.loader.matching.match import match
from petstore_frame.loader.matching.repeated_keys import Keep
from petstore_frame.loader.matching.values import Candidates
from unit.loader.matching.rows import animal, candidates, row

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


@cache
def assigned_characters() -> list[str]:
    """Return every character that Unicode has assigned, without private ones and surrogates."""
    return [
        chr(point)
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) not in ("Cn", "Co", "Cs")
    ]


def pairs_that_fold_alike(form: str) -> list[tuple[str, str]]:
    """Return each text of one more character with another that folds alike."""
    groups = defaultdict[str, list[str]](list)
    for sign in assigned_characters():
        text = form.format(sign)
        groups[fold(text)].append(text)
    return [(group[0], text) for group in groups.values() for text in group[1:]]


def possible_rows(inputs: Candidates) -> tuple[dict[int, set[int]], bool]:
    """Return the possible duplicates by line of the table, and whether a row has an animal."""
    plan = match(inputs, Keep())
    lines = defaultdict[int, set[int]](set)
    for duplicate in plan.possible.values():
        lines[duplicate.table_line].add(duplicate.row)
    return dict(lines), bool(plan.animals or plan.pets or plan.same_as)


def match_names(pairs: list[tuple[str, str]]) -> tuple[dict[int, set[int]], bool]:
    animals = [animal(number, before) for number, (before, _) in enumerate(pairs, 1)]
    rows = [row(number, now) for number, (_, now) in enumerate(pairs, 1)]
    return possible_rows(candidates(rows, animals))


def match_keys(pairs: list[tuple[str, str]]) -> tuple[dict[int, set[int]], bool]:
    animals = [
        animal(number, f"Pet {number}", 1, before) for number, (before, _) in enumerate(pairs, 1)
    ]
    rows = [row(number, f"Row {number}", key=now) for number, (_, now) in enumerate(pairs, 1)]
    return possible_rows(candidates(rows, animals))


def test_names_of_all_of_unicode() -> None:
    """For each character: a name that folds like another is a possible duplicate."""
    pairs = pairs_that_fold_alike("{}")
    assert len(pairs) > 5000
    assert match_names(pairs) == ({5: {*range(1, len(pairs) + 1)}}, False)


def test_decorated_names_of_all_of_unicode(times: int) -> None:
    """For characters of all of Unicode: a name and its decorated form are possible duplicates."""
    step = 1 if times > 1 else 21
    forms = cycle(["*{}", "{} \u2022", "~{}~", "({})", "*[{}]"])
    signs = [sign for sign in assigned_characters()[::step] if fold(sign)]
    pairs = [(sign, form.format(sign)) for sign, form in zip(signs, forms, strict=False)]
    pairs = [pair for pair in pairs if fold_name(pair[0]) == fold_name(pair[1])]
    assert len(pairs) > 130_000 // step
    assert match_names(pairs) == ({5: {*range(1, len(pairs) + 1)}}, False)


def test_a_name_keeps_decoration_that_is_all_of_it() -> None:
    """Signs alone are a name, and a number in brackets belongs to it."""
    assert len({fold_name(name) for name in ("***", "*", "()", "~", "[]")}) == 5
    assert fold_name("Luna (2)") != fold_name("Luna")
    assert fold_name("(Luna) (Max)") == "(luna) (max)"


def test_keys_of_all_of_unicode(times: int) -> None:
    """For each character in a key: a key that folds like another is a possible duplicate."""
    pairs = pairs_that_fold_alike("A{}7")
    assert len(pairs) > 5000
    step = 100 if times > 1 else 400
    for start in range(0, len(pairs), step):  # most have one core, and are compared with each other
        some = pairs[start : start + 100]
        assert match_keys(some) == ({4: {*range(1, len(some) + 1)}}, False)


@given(texts, st.sampled_from([*CHANGES]))
def test_any_text_that_folds_alike(text: str, change: str) -> None:
    """Whatever the text, and whatever a spreadsheet did to it."""
    changed = CHANGES[change](text)
    if fold(changed) != fold(text):
        return
    assert match_names([(text, changed)]) == ({5: {1}}, False)
    if core_of_key([text]) and changed != text:
        assert match_keys([(text, changed)]) == ({4: {1}}, False)
