"""What a ``monday.toml`` says."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from petstore_frame.errors import InputError
from petstore_frame.files.whole import whole_file

DEFAULT_NAME = "monday.toml"
_TEMPLATE = """\
# What happens on a Monday. Paths are relative to this file.
# The API key is not written here: it comes from PETSTORE_API_KEY.
{base_url}
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
        path: The file.
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

    path: Path
    base_url: str | None = None
    journal: str | None = None
    output: str = "reports"
    history: str = "history"
    timezone: str | None = None
    categories: str | None = None
    max_drop: float | None = None
    load: tuple[LoadStep, ...] = field(default=())
    compare: tuple[CompareStep, ...] = field(default=())

    @classmethod
    def read(cls, path: str | Path) -> Settings:
        """Read a file.

        Raises:
            InputError: It is not TOML, or says something that is not known here; the text has the
                line and the nearest right word.
        """
        path = Path(path).absolute()
        try:
            text = path.read_text(encoding="utf-8")
            said = tomllib.loads(text)
        except OSError as problem:
            hint = f"petstore-frame monday {path.name} --init writes one"
            raise InputError(f"{problem.strerror}", path=str(path), hint=hint) from problem
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise InputError(f"not TOML: {problem}", path=str(path)) from problem
        _check_words(path, text, said, cls)
        for name, step in (("load", LoadStep), ("compare", CompareStep)):
            tables = said.get(name, [])
            if not isinstance(tables, list):
                raise InputError(f"write [[{name}]], with two brackets", path=str(path))
            for table in tables:
                _check_words(path, text, table, step)
            said[name] = tuple(step(**table) for table in tables)
        settings = cls(path, **said)
        settings._check(text)
        return settings

    @property
    def folder(self) -> Path:
        """The folder of the file, which its paths start from."""
        return self.path.parent

    @property
    def zone(self) -> tzinfo:
        """The time zone of the days."""
        machine = datetime.now().astimezone().tzinfo
        assert machine is not None
        return machine if self.timezone is None else ZoneInfo(self.timezone)

    def place(self, name: str | None) -> Path | None:
        """Return where a path of the file leads."""
        return None if name is None else self.folder / name

    def _check(self, text: str) -> None:
        """Refuse values that cannot be meant."""
        try:
            _ = self.zone
        except (ZoneInfoNotFoundError, ValueError):
            what = f"timezone = {self.timezone!r} is no time zone, such as Europe/Zurich"
            raise InputError(what, path=str(self.path), line=_line(text, "timezone")) from None
        if self.max_drop is not None and not 0 <= self.max_drop <= 1:
            what = f"max_drop is a share from 0 to 1, got {self.max_drop}"
            raise InputError(what, path=str(self.path), line=_line(text, "max_drop"))


def _check_words(path: Path, text: str, said: Mapping[str, Any], known: type) -> None:
    """Refuse a word that is not known, and a value of another type."""
    types = {each.name: str(each.type) for each in fields(known) if each.name != "path"}
    for word, value in said.items():
        if word not in types:
            near = get_close_matches(word, types, 1, 0.6)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(types)}"
            what = f"there is no setting {word}"
            raise InputError(what, path=str(path), line=_line(text, word), hint=hint)
        is_text = types[word].startswith("str")
        is_number = types[word].startswith("float")
        is_wrong = (is_text and not isinstance(value, str)) or (
            is_number and not (isinstance(value, int | float) and not isinstance(value, bool))
        )
        if is_wrong:
            what = f"{word} is {'a text in quotes' if is_text else 'a number'}, got {value!r}"
            raise InputError(what, path=str(path), line=_line(text, word))
    missing = [name for name in ("files", "list") if name in types and name not in said]
    if missing:
        raise InputError(f"a table of it lacks {missing[0]} = …", path=str(path))


def _line(text: str, word: str) -> int | None:
    """Return the first line that begins with a word, counted from 1."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().strip("[]").split("=")[0].strip().strip("[]\"'") == word:
            return number
    return None


def write_settings(path: str | Path, *, base_url: str | None = None) -> Path:
    """Write a commented ``monday.toml`` to begin with.

    Raises:
        InputError: There is one already.
    """
    path = Path(path)
    if path.exists():
        raise InputError("it is there already, and was left as it is", path=str(path))
    example = '# base_url = "https://store.example/v1"   # or PETSTORE_BASE_URL'
    line = example if base_url is None else f'base_url = "{base_url}"'
    with whole_file(path.absolute()) as draft:
        draft.write_text(_TEMPLATE.format(base_url=line), encoding="utf-8")
    return path
