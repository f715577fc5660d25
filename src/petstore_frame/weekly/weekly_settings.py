"""Reads and checks a ``weekly.toml``."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

import petstore_frame as pf
from petstore_frame.storage import toml_files as toml
from petstore_frame.storage import whole_file
from petstore_frame.validation import time_zone

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


def _placed(value: Any, given: Any) -> Any:
    """Return where a path of the file leads, as seen from its folder."""
    return Path(given.context, value) if isinstance(value, str | Path) else value


Place = Annotated[Path, BeforeValidator(_placed)]


class _Table(
    BaseModel, extra="forbid", frozen=True, strict=True, validate_default=True,
    arbitrary_types_allowed=True,
):  # fmt: skip
    """What a table of the file says; an unknown word is refused."""


class LoadStep(_Table):
    """The files to load, and how they are read."""

    files: Place
    recipe: Place | None = None

    def paths(self) -> list[Path]:
        """Return the files in the order of their names, without those of open workbooks."""
        found = sorted(self.files.parent.glob(self.files.name))
        return [path for path in found if not path.name.startswith(("~$", "."))]


class CompareStep(_Table):
    """A list of our own, and how it is read."""

    list: Place
    recipe: Place | None = None


class WeeklySettings(_Table):
    """What a ``weekly.toml`` says; its paths are relative to its folder."""

    base_url: str | None = None  # else PETSTORE_BASE_URL
    journal: Place | None = None  # else the user's state directory
    output: Place = Path("reports")  # the folders of the days
    history: Place = Path("history")
    timezone: Annotated[tzinfo | None, BeforeValidator(time_zone)] = None  # else the machine's
    categories: Place | None = None
    max_drop: Annotated[float | None, Field(ge=0, le=1)] = None  # an alarm above this share
    load: list[LoadStep] = []
    compare: list[CompareStep] = []

    @classmethod
    def read(cls, path: str | Path) -> WeeklySettings:
        """Read a file; an InputError has the line of what is wrong, and the nearest right word."""
        path = Path(path).absolute()
        hint = f"petstore-frame weekly {path.name} --init writes one"
        text, words = toml.read_toml(path, "the settings", hint)
        try:
            return cls.model_validate(words, context=path.parent)
        except ValidationError as problem:
            raise _refusal(problem, text, path) from None


def _refusal(error: ValidationError, text: str, path: Path) -> pf.errors.InputError:
    """Return the refusal of the first wrong word, without its value, which may be a secret."""
    problem = error.errors(include_url=False)[0]
    word = [each for each in problem["loc"] if isinstance(each, str)][-1]
    if problem["type"] == "extra_forbidden":
        known = {name for table in _Table.__subclasses__() for name in table.model_fields}
        return toml.unknown_word(word, known, text, path, owner="a Monday")
    what, hint = f"{word}: {problem['msg']}", "petstore-frame weekly NEW.toml --init has every word"
    return pf.errors.InputError(what, path=str(path), line=toml.line_of(word, text), hint=hint)


def write_settings(path: str | Path = "weekly.toml") -> Path:
    """Write a commented ``weekly.toml`` to begin with, and return its path; never over another."""
    path = Path(path)
    if path.exists():
        raise pf.errors.InputError("it is there already, and was left as it is", path=str(path))
    with whole_file(path.absolute()) as draft:
        draft.write_text(_TEMPLATE, encoding="utf-8")
    return path
