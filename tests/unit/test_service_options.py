"""What one run of the service may be asked for."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from petstore_frame.cli import app
from petstore_frame.service.options import Options, explain

WRONG = {
    "port": 70_000,
    "sample": -1,
    "after_sunset": "never",
    "log_level": "loud",
    "workers": 0,
    "colour": "red",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_setting_outside_its_bounds_is_refused(name: str) -> None:
    """One line names the setting, and never shows a key."""
    with pytest.raises(ValidationError) as refused:
        Options(**{name: WRONG[name], "api_key": "secret"})
    assert explain(refused.value).startswith(f"{name}: ")
    assert "secret" not in explain(refused.value) + str(refused.value)


@pytest.mark.parametrize("database", [None, "store.sqlite3"])
def test_several_workers_need_postgresql(database: str | None) -> None:
    """SQLite has one writer, and a store of no name is one process's own."""
    with pytest.raises(ValidationError, match="needs PostgreSQL"):
        Options(workers=2, database=database)


@pytest.mark.parametrize("words", [["--log-level", "loud"], ["--workers", "0"]])
def test_a_wrong_option_is_refused_at_the_command_line(words: list[str]) -> None:
    """It ends with code 2 and one sentence, before a database or a socket is opened."""
    ended: Any = CliRunner().invoke(app, ["serve", *words])
    assert ended.exit_code == 2
    assert "Traceback" not in ended.output
