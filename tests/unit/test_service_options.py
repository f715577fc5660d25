"""What one run of the service may be asked for."""

from __future__ import annotations

import math
from typing import Any

import pytest
from typer.testing import CliRunner

from petstore_frame.cli import app
from petstore_frame.service.options import Options

WRONG = {
    "port": (70_000, "port is 0 to 65535, got 70000"),
    "sample": (-1, "sample is 0 or more, got -1"),
    "limit_policy": ("ignore", "limit_policy is refuse or clamp, got 'ignore'"),
    "after_sunset": ("never", "after_sunset is serve or gone, got 'never'"),
    "log_level": ("loud", "log_level is debug, info, warning, error or off, got 'loud'"),
    "rate": (math.nan, "rate is a finite number above 0, got nan"),
    "patience_s": (math.inf, "patience_s is a finite number above 0, got inf"),
    "workers": (0, "workers is 1 or more, got 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_setting_outside_its_bounds_is_refused(name: str) -> None:
    """The text names the setting, what it can be and what it was given."""
    value, text = WRONG[name]
    with pytest.raises(ValueError) as refused:
        Options(**{name: value})
    assert str(refused.value) == text


@pytest.mark.parametrize("rate", [0, -1, math.inf])
def test_a_rate_is_a_finite_number_above_zero(rate: float) -> None:
    """No other number is a rate; None is no limit."""
    with pytest.raises(ValueError, match="rate is a finite number above 0"):
        Options(rate=rate)
    assert Options(rate=None).rate is None


@pytest.mark.parametrize("words", [["--log-level", "loud"], ["--rate", "nan"]])
def test_a_wrong_option_is_refused_at_the_command_line(words: list[str]) -> None:
    """It ends with code 2 and one sentence, before a database or a socket is opened."""
    ended: Any = CliRunner().invoke(app, ["serve", *words])
    assert ended.exit_code == 2
    assert "Traceback" not in ended.output
