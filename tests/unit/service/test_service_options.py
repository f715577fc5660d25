"""What one run of the service may be asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from petstore_frame.service.options import Options, explain

WRONG = {"port": 70_000, "sample": -1, "log_level": "loud", "colour": "red"}


@pytest.mark.parametrize("name", WRONG)
def test_a_setting_outside_its_bounds_is_refused(name: str) -> None:
    """One line names the setting, and never shows a key."""
    with pytest.raises(ValidationError) as refused:
        Options(**{name: WRONG[name], "api_key": "secret"})
    assert explain(refused.value).startswith(f"{name}: ")
    assert "secret" not in explain(refused.value) + str(refused.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--log-level", "loud"], "error: log_level: "),
        (["--api-key-file", "nokey/x.key", "--port", "0"], "the folder nokey does not exist"),
    ],
)
def test_a_wrong_option_is_refused_at_the_command_line(
    words: list[str], said: str, tmp_path: Path
) -> None:
    """It ends with code 2 and one sentence, before a database or a socket is opened."""
    command = [sys.executable, "-m", "petstore_frame", "serve", *words]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert said in ended.stderr and len(ended.stderr.splitlines()) == 1
