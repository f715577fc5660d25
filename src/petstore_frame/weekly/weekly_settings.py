"""Reads and checks the settings of the weekly run, a ``weekly.toml``."""

from __future__ import annotations

from datetime import tzinfo
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
)

from petstore_frame.errors import InputError
from petstore_frame.storage import toml_files as toml
from petstore_frame.storage import write_atomically
from petstore_frame.validation import checked_path, time_zone

_INIT = "petstore-frame weekly {} --init"
_TEMPLATE = """\
# Settings of the weekly run. Paths are relative to this file.
# The API key does not belong here: it comes from PETSTORE_API_KEY.
# base_url = "https://store.example/v1"   # or PETSTORE_BASE_URL
journal = "journal"        # import journal, so that nothing is sent twice
output = "reports"         # one folder per day, such as reports/2026-11-16
history = "history"        # one snapshot per day, for what changed since the last one
# timezone = "Europe/Zurich"      # time zone of the days; the default is the machine's
# categories = "categories.csv"   # CSV with the columns id,name
# rename_categories = [4]         # numbers whose names in this list are right, not earlier ones
max_drop = 0.3             # exit code 10 if more than 30% of the pets are gone

# Files of new animals, each kind with its recipe (petstore-frame recipe FILE writes one).
# [[load]]
# files = "inbox/*.csv"
# recipe = "arrivals.toml"

# Your own lists to compare with the store.
# [[compare]]
# list = "ours.xlsx"
# recipe = "ours.toml"
"""


def _from_folder(value: Any, info: ValidationInfo) -> Any:
    """Return a path of the file as seen from the folder of the file."""
    if not isinstance(value, str | Path):
        return value
    folder = info.context
    return Path(folder, value) if isinstance(folder, Path) else Path(value)


def _refuse_file(path: Path) -> Path:
    if path.is_file():
        raise ValueError(f"must be a folder, and {path} is a file")
    return path


SettingsPath = Annotated[Path, BeforeValidator(_from_folder)]
SettingsFolder = Annotated[SettingsPath, AfterValidator(_refuse_file)]


class _Table(BaseModel):
    """A table of the file; an unknown setting is an error."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        validate_default=True,
        arbitrary_types_allowed=True,
    )


class LoadStep(_Table):
    """Files to load, and how to read them."""

    files: SettingsPath
    recipe: SettingsPath | None = None

    def paths(self) -> list[Path]:
        """Return the files in the order of their names, without those of open workbooks."""
        paths = sorted(self.files.parent.glob(self.files.name))
        return [path for path in paths if not path.name.startswith(("~$", "."))]


class CompareStep(_Table):
    """A list to compare with the store, and how to read it."""

    list: SettingsPath
    recipe: SettingsPath | None = None


class WeeklySettings(_Table):
    """The settings of a ``weekly.toml``; its paths are relative to its folder.

    Attributes:
        base_url: Address of the store; None reads PETSTORE_BASE_URL.
        journal: Folder of the import journal; None is the user's state folder.
        output: Folder that contains one folder per day.
        history: Folder of the snapshots.
        timezone: Time zone of the days; None is the machine's.
        categories: CSV of category labels.
        rename_categories: Numbers whose names in a list are right, although earlier files for this
            store gave them other names.
        max_drop: Share of the pets, from 0 to 1, that may be gone; if more are gone, the exit code
            is 10.
        load: Files to load.
        compare: Lists to compare.
    """

    base_url: str | None = None
    journal: SettingsFolder | None = None
    output: SettingsFolder = Path("reports")
    history: SettingsFolder = Path("history")
    timezone: Annotated[tzinfo | None, BeforeValidator(time_zone)] = None
    categories: SettingsPath | None = None
    rename_categories: list[int] = []
    max_drop: Annotated[float | None, Field(ge=0, le=1)] = None
    load: list[LoadStep] = []
    compare: list[CompareStep] = []

    @classmethod
    def read(cls, path: WeeklySettings | str | PathLike[str]) -> WeeklySettings:
        """Read a file; settings that were read before are returned as they are.

        Raises:
            InputError: A setting is invalid; the error has its line and the most similar setting.
        """
        if isinstance(path, cls):
            return path
        path = checked_path("path", path)
        hint = "name a file" if path.is_dir() else f"{_INIT.format(quote(str(path)))} writes one"
        text, values = toml.read_toml(path, "the settings", hint)
        try:
            return cls.model_validate(values, context=path.parent)
        except ValidationError as error:
            raise _settings_error(error, text, path) from None


def _settings_error(error: ValidationError, text: str, path: Path) -> InputError:
    """Return the error of the first wrong setting, without its value, which may be a secret."""
    problem = error.errors(include_url=False)[0]
    setting = [part for part in problem["loc"] if isinstance(part, str)][-1]
    if problem["type"] == "extra_forbidden":
        settings = {name for table in _Table.__subclasses__() for name in table.model_fields}
        return toml.unknown_option(setting, settings, text, path, owner="the weekly run")
    return InputError(
        f"{setting}: {problem['msg'].removeprefix('Value error, ')}",
        path=str(path),
        line=toml.line_of(setting, text),
        hint=f"{_INIT.format('NEW.toml')} lists all settings",
    )


def write_settings(path: str | PathLike[str] = "weekly.toml") -> Path:
    """Write a ``weekly.toml`` with comments, to be edited, and return its path.

    Raises:
        InputError: A file with this name exists; it was not changed.
    """
    path = checked_path("path", path)
    if path.is_file():
        hint = "edit it, or name another file"
        raise InputError("the file exists already and was not changed", path=str(path), hint=hint)
    with write_atomically(path.absolute()) as draft:
        draft.write_text(_TEMPLATE, encoding="utf-8")
    return path
