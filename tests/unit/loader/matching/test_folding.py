"""Texts that look the same fold alike, and folding changes nothing that was folded."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from petstore_frame.loader.matching.folding import content_of, core, fold
from petstore_frame.loader.matching.key_cores import core_of_key

INVISIBLE = "\u200b\u200e\ufeff\u00ad\u2060\u202a\u034f\ufe0f\U000e0041\u3164\x00"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212\uff0d\ufe58"
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def spellings(text: str) -> dict[str, str]:
    """Return the ways in which spreadsheets and people write a text without meaning another."""
    return {
        "capitals": text.upper(),
        "no capitals": text.lower(),
        "spaces": f"  {text}\u00a0",
        "an entity": f"{text}&nbsp;",
        "a formula": f'="{text}"',
        "an apostrophe": f"'{text}",
        "quotes": f'"{text}"',
        "typographic quotes": f"\u201c{text}\u201d",
        "Cyrillic": text.replace("A", "\u0410"),
        "Greek": text.replace("A", "\u0391"),
        "full width": text.replace("A", "\uff21"),
        **{f"U+{ord(sign):04X} at the end": f"{text}{sign}" for sign in INVISIBLE},
        **{f"U+{ord(sign):04X} within": f"{text[:1]}{sign}{text[1:]}" for sign in INVISIBLE},
        **{f"U+{ord(dash):04X}": text.replace("-", dash) for dash in DASHES},
    }


@pytest.mark.parametrize("spelling", spellings("A-17"))
def test_texts_that_look_the_same_fold_alike(spelling: str) -> None:
    """What a spreadsheet changes of a text is not seen in its folded form, nor in its core."""
    text = spellings("A-17")[spelling]
    assert (fold(text), core(text)) == ("a-17", "a-17")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Zoe\u0308", "zo\u00eb"),
        ("Zoë", "Zoe"),
        ("O\u2019Brien", "O'Brien"),
        ("O`Brien", "O\u00b4Brien"),
        ("Max  the\tCat", "Max the Cat"),
        ("Straße", "STRASSE"),
        ("Й", "и"),
        ("Tom &amp; Jerry", "Tom & Jerry"),
        ("\uff2cuna", "Luna"),
        ("İpek", "ipek"),
    ],
)
def test_names_that_look_the_same_fold_alike(text: str, other: str) -> None:
    """Accents, quotes, spaces, widths and capitals make no other name."""
    assert content_of(text, 3) == content_of(other, 3) != content_of(other, 4)


@pytest.mark.parametrize(
    ("text", "other"),
    [("が", "か"), ("กิน", "กน"), ("Luna", "Lena"), ("A-1", "A-2"), ("🐶", "🐱"), ("L", "1")],
)
def test_other_texts_stay_other_texts(text: str, other: str) -> None:
    """Marks that make another letter stay; letters and digits that differ are not folded."""
    assert fold(text) != fold(other) and core(text) != core(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AUS-0017", "aus-17"),
        ("aus 17*", "aus-17"),
        ("{AUS17}", "aus-17"),
        ("7.0", "7"),
        ("7,00", "7"),
        ('="007"', "7"),
        ("000", "0"),
        ("\u0661\u0662", "12"),
        ("A7", "a-7"),
        ("#", "=#"),
        ("\u200b", ""),
        ("", ""),
    ],
)
def test_a_core_is_the_groups_of_letters_and_digits(text: str, expected: str) -> None:
    """Signs, zeros at the start and a ``.0`` at the end do not count."""
    assert core(text) == expected


def test_columns_of_a_key_are_compared_one_by_one() -> None:
    """A letter that moves to the next column makes another key."""
    assert core_of_key(["N", "1"]) == core_of_key(["n\u200b", "01"]) != core_of_key(["N1", ""])


@given(texts, st.sampled_from(INVISIBLE), st.integers(0, 8))
def test_an_invisible_character_anywhere_changes_nothing(text: str, sign: str, at: int) -> None:
    """Whatever the text: two that differ in a character that nobody sees fold alike."""
    at = min(at, len(text))
    changed = f"{text[:at]}{sign}{text[at:]}"
    assert fold(changed) == fold(text) and core(changed) == core(text)


@given(texts)
@example("''\"")
@example("&amp;amp;")
def test_folding_twice_changes_nothing(text: str) -> None:
    """A folded text is its own folded form, so that it can be stored and compared."""
    folded = fold(text)
    assert fold(folded) == folded
    assert not {*folded} & {*INVISIBLE}


@given(texts, texts)
def test_texts_that_fold_alike_have_one_core(text: str, other: str) -> None:
    """Who asks about equal cores asks about equal folded texts, too."""
    if fold(text) == fold(other):
        assert core(text) == core(other)
    assert core(fold(text)) == core(text)


def test_every_character_folds_once_and_for_all() -> None:
    """Over Unicode, less its ideographs, folding is stable for each character within a key."""
    for code in range(0x110000):
        if unicodedata.category(chr(code)) in ("Lo", "Cn", "Co", "Cs"):
            continue
        text = f"A{chr(code)}1"
        folded = fold(text)
        assert fold(folded) == folded and core(folded) == core(text), hex(code)


def test_no_character_that_nobody_sees_is_forgotten() -> None:
    """Unicode's format characters are removed, of whatever version this Python has."""
    signs = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"]
    assert [hex(ord(sign)) for sign in signs if fold(f"A{sign}1") != "a1"] == []


def test_every_dash_is_one_dash() -> None:
    """Unicode's dashes fold to the one of the keyboard, but those of scripts with other letters."""
    signs = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Pd"]
    others = {hex(ord(sign)) for sign in signs if fold(f"A{sign}1") != "a-1"}
    assert others <= {"0x58a", "0x1400", "0x2e17", "0x2e1a", "0x2e40", "0x2e5d", "0x301c", "0x3030",
                      "0x30a0", "0x10ead", "0x10d6e"}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["2026-03-10T10:00:00", "2026-03-10T10:00:00Z", "2026-03-10 10:00:00.000", "2026-03-10 10:00",
     "2026-03-10t10:00:00.000Z", "2026-03-10T10:00:00+00:00", "'2026-03-10T10:00"],
)  # fmt: skip
def test_an_instant_has_one_core_in_all_its_spellings(text: str) -> None:
    """A program that writes a T or a Z does not make another key; another second does."""
    assert core(text) == core("2026-03-10 10:00:00")
    assert core(text) not in {core("2026-03-10 10:00:01"), core("2026-03-10 10:00:00.5")}
