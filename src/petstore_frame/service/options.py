"""What one run of the service is asked to be."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

AfterSunset = Literal["serve", "gone"]
LogLevel = Literal["debug", "info", "warning", "error", "off"]


class Options(BaseModel):
    """Settings of one service run; each is refused where it is out of its bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    host: str = Field("127.0.0.1", description="Address to listen on")
    port: int = Field(0, ge=0, le=65535, description="Port to listen on; 0 picks a free one")
    database: str | None = Field(
        None, description="SQLAlchemy URL, or path of a SQLite file; None is a fresh store"
    )
    api_key: SecretStr | None = Field(None, description="A key beside those in the database")
    api_key_file: Path | None = Field(None, description="File with that key; made when missing")
    sample: int = Field(0, ge=0, description="Made-up pets to put into an empty store")
    seed: int = Field(0, description="Seed of those pets")
    public_url: str | None = Field(None, description="Address that clients use, ending in /v1")
    spec_only: bool = Field(False, description="Leave out every extension of the interface")
    strict: bool = Field(False, description="Refuse unknown body fields and query parameters")
    after_sunset: AfterSunset = Field("serve", description="getPet after its removal date")
    workers: int = Field(1, ge=1, description="Processes; more than one needs PostgreSQL")
    parent_pid: int | None = Field(None, description="Parent process, with which this run ends")
    log_level: LogLevel = Field("info", description="Least severe log line that is written")

    @model_validator(mode="after")
    def _workers_need_postgresql(self) -> Self:
        if self.workers > 1 and not (self.database or "").startswith("postgresql"):
            raise ValueError(
                "more than one worker needs PostgreSQL: --database postgresql+psycopg://..."
            )
        return self


def explain(error: ValidationError) -> str:
    """Return what is wrong with the options in one line, without their values."""
    lines = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        place = "".join(f"{name}: " for name in problem["loc"])
        lines.append(place + problem["msg"].removeprefix("Value error, "))
    return "; ".join(lines)
