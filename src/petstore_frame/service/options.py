"""What one run of the service is asked to be."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError


class Options(BaseModel):
    """Settings of one service run; each is refused where it is out of its bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    host: str = "127.0.0.1"
    port: int = Field(0, ge=0, le=65535)  # 0 picks a free one
    database: str | None = None  # SQLAlchemy URL, or path of a SQLite file; None is a fresh store
    api_key: SecretStr | None = None  # beside those in the database
    api_key_file: Path | None = None  # has that key; made when missing
    sample: int = Field(0, ge=0)  # made-up pets for an empty store
    seed: int = 0
    spec_only: bool = False  # leave out every extension of the interface
    parent_pid: int | None = None  # with which this run ends
    log_level: Literal["info", "warning", "error"] = "info"


def explain(error: ValidationError) -> str:
    """Return what is wrong with the options in one line, without their values."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{problem['loc'][0]}: {problem['msg']}" for problem in problems)
