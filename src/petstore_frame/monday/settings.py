"""What a ``monday.toml`` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import tzinfo
from pathlib import Path
from typing import Any

from petstore_frame._internal.arguments import time_zone
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.files.whole import whole_file
from petstore_frame.loader.reading.recipe import line_of, parsed, unknown_word

_TEMPLATE = """\
# What happens on a Monday. Paths are relative to this file.
# The API key is not written here: it comes from PETSTORE_API_KEY.
# base_url = "https://store.example/v1"   # or PETSTORE_BASE_URL
journal = "journal"        # what was sent, so that nothing is sent twice
output = "reports"         # one folder a day, such as reports/2026-11-16
history = "history"        # one snapshot a day, for what changed since the last time
# timezone = "Europe/Zurich"      # of the days; without it the machine's
# categories = "categories.csv"   # category_id,label
max_drop = 0.3             # an alarm where more than 30 % of the pets are gone

# Files of new animals, each kind with its recipe (petstore-frame recipe FILE writes one).
# [[load]]
# files = "inbox/*.csv"
# recipe = "arrivals.toml"

# Lists of our own to compare with the store.
# [[compare]]
# list = "ours.xlsx"
# recipe = "ours.toml"
"""


@dataclass(frozen=True)
class LoadStep:
    """The files to load, and how they are read."""

    files: str
    recipe: str | None = None


@dataclass(frozen=True)
class CompareStep:
    """A list of our own, and how it is read."""

    list: str
    recipe: str | None = None


@dataclass(frozen=True)
class Settings:
    """What a ``monday.toml`` says; paths are relative to its folder.

    Attributes:
        folder: The folder of the file.
        base_url: The store; None is PETSTORE_BASE_URL.
        journal: Folder of the loader's journals; None is the user's state directory.
        output: Folder of the days.
        history: Folder of the snapshots.
        timezone: Name of the time zone of the days; None is the machine's.
        categories: CSV file of ``category_id,label``, or None.
        max_drop: The share of the pets, 0 to 1, whose loss since the last complete run is an
            alarm; None raises none.
        load: The files to load, in order.
        compare: The lists to compare.
    """

    folder: Path
    base_url: str | None = None
    journal: str | None = None
    output: str = "reports"
    history: str = "history"
    timezone: str | None = None
    categories: str | None = None
    max_drop: float | None = None
    load: tuple[LoadStep, ...] = ()
    compare: tuple[CompareStep, ...] = ()

    @classmethod
    def read(cls, path: str | Path) -> Settings:
        """Read a file.

        Raises:
            InputError: It is not TOML, or says something that is not known here; the text has the
                line and the nearest right word.
        """
        path = Path(path).absolute()
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
            hint = f"petstore-frame monday {path.name} --init writes one"
            raise InputError(reason, path=str(path), hint=hint) from None
        words = parsed(text, path)
        _check(words, cls, text, path)
        for name, kind in (("load", LoadStep), ("compare", CompareStep)):
            for table in words.get(name, ()):
                _check(table, kind, text, path)
            words[name] = tuple(kind(**table) for table in words.get(name, ()))
        return cls(path.parent, **words)

    @property
    def zone(self) -> tzinfo | None:
        """The time zone of the days; None is the machine's."""
        return time_zone(self.timezone)

    def place(self, name: str | None) -> Path | None:
        """Return where a path of the file leads."""
        return None if name is None else self.folder / name


def _check(words: Mapping[str, Any], kind: type, text: str, path: Path) -> None:
    """Refuse a word that is not known or lacks, and a value that cannot be meant."""
    known = [each.name for each in fields(kind) if each.name != "folder"]
    for word, value in words.items():
        if word not in known:
            raise unknown_word(word, known, text, path, owner="a Monday")
        if wrong := _wrong(word, value):
            raise InputError(wrong, path=str(path), line=line_of(word, text))
    first = known[0]
    if kind is not Settings and first not in words:
        raise InputError(f"a table of it lacks {first} = …", path=str(path))


def _wrong(word: str, value: Any) -> str | None:
    """Return what is wrong with a value, None where nothing is."""
    if word in ("load", "compare"):
        is_tables = isinstance(value, list) and all(isinstance(each, dict) for each in value)
        return None if is_tables else f"write [[{word}]], with two brackets"
    if word == "max_drop":
        is_share = isinstance(value, int | float) and 0 <= value <= 1
        return None if is_share else f"max_drop is a share from 0 to 1, got {value!r}"
    if not isinstance(value, str):
        return f"{word} is a text in quotes, got {value!r}"
    if word == "timezone":
        try:
            time_zone(value)
        except ArgumentError as problem:
            return str(problem)
    return None


def write_settings(path: str | Path = "monday.toml") -> Path:
    """Write a commented ``monday.toml`` to begin with, and return its path.

    Raises:
        InputError: There is one already.
    """
    path = Path(path)
    if path.exists():
        raise InputError("it is there already, and was left as it is", path=str(path))
    with whole_file(path.absolute()) as draft:
        draft.write_text(_TEMPLATE, encoding="utf-8")
    return path
