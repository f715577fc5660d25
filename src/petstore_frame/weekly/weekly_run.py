"""Runs the weekly job: one reading of the store, and from it one dated folder of files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, date, datetime
from os import PathLike
from pathlib import Path

from petstore_frame.client import Client
from petstore_frame.errors import JournalLockedError, keep
from petstore_frame.exit_codes import ExitCode
from petstore_frame.storage import LockedError, locked, sync
from petstore_frame.weekly.run_log import is_complete, read_runs, write_runs
from petstore_frame.weekly.weekly_outcome import Run
from petstore_frame.weekly.weekly_settings import WeeklySettings
from petstore_frame.weekly.weekly_steps import WeeklySteps

_DRAFT, _LOCK, _WAIT_S = ".writing", ".lock", 10.0


def run(
    path: WeeklySettings | str | PathLike[str] = "weekly.toml",
    *,
    client: Client | None = None,
    now: datetime | None = None,
) -> Run:
    """Load the new files, read the store once, and write one folder for the day.

    If a step fails, the other steps still run, and the folder says what happened. The folder is
    written completely or not at all; the name of a second folder for a day ends in ``-2``.

    Args:
        path: Path of the ``weekly.toml``, or the WeeklySettings that were read from it.
        client: A client of the store; None creates one from ``base_url`` and PETSTORE_API_KEY.
        now: Time of the run, for tests; None is the current time.

    Returns:
        A Run: ``.exit_code``, ``.folder``, and what needs attention.

    Raises:
        InputError: The settings or the log of earlier runs cannot be read. Nothing was sent.
        JournalLockedError: Another run uses the same folder.
    """
    settings = WeeklySettings.read(path)
    started_at = (now or datetime.now(UTC)).astimezone(settings.timezone)
    weekly = Run(started_at.date(), started_at)
    settings.output.mkdir(parents=True, exist_ok=True)
    try:
        with locked(settings.output / _LOCK, wait_s=_WAIT_S):
            _run_and_log(settings, weekly, client, now)
    except LockedError:
        raise JournalLockedError(
            f"another run is working in {settings.output}; wait until it ends, then run again"
        ) from None
    except BaseException as error:
        keep(weekly.inventory, error)
        raise
    return weekly


def _run_and_log(
    settings: WeeklySettings, weekly: Run, client: Client | None, now: datetime | None
) -> None:
    """Run all steps, and add a line to the log whatever happens."""
    earlier_runs = read_runs(settings.output)
    opened_client = nullcontext(client) if client else Client(settings.base_url)
    try:
        with _folder_of_the_day(settings.output, weekly) as draft, opened_client as store:
            WeeklySteps(settings, weekly, store, draft, now, earlier_runs).run_all()
    except BaseException as error:
        weekly.note_error(error)
        error.add_note(f"the weekly run stopped at: {weekly.step}")
        raise
    finally:
        folder = None if weekly.folder is None else weekly.folder.name
        write_runs(settings.output, [*earlier_runs, weekly.as_dict() | {"folder": folder}])


@contextmanager
def _folder_of_the_day(output: Path, weekly: Run) -> Iterator[Path]:
    """Give a folder to write to, and rename it to the day's when all files are in it."""
    draft = output / _DRAFT
    shutil.rmtree(draft, ignore_errors=True)  # the lock is ours, so its writer is dead
    draft.mkdir()
    try:
        yield draft
        for file in draft.rglob("*"):
            sync(file)
        folder = _free_folder(output, weekly.day)
        draft.rename(folder)
        sync(output)
        weekly.folder = folder
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _free_folder(output: Path, day: date) -> Path:
    """Return the folder of a day, or the next free one, such as ``2026-11-16-2``."""
    folder, number = output / day.isoformat(), 1
    while folder.exists():
        number += 1
        folder = output / f"{day.isoformat()}-{number}"
    return folder


def plan(path: WeeklySettings | str | PathLike[str] = "weekly.toml") -> str:
    """Return what a run would load and write, as text; nothing is sent or written."""
    settings = WeeklySettings.read(path)
    lines = []
    for load_step in settings.load:
        names = [file.name for file in load_step.paths()]
        lines.append(f"load {load_step.files}: {', '.join(names) or 'no file is there'}")
    lines += [f"compare {compare_step.list}" for compare_step in settings.compare]
    today = datetime.now(settings.timezone).date()
    return "\n".join([*lines, f"write {_free_folder(settings.output, today)}"])


def check(
    path: WeeklySettings | str | PathLike[str],
    *,
    max_age_days: int = 8,
    today: date | None = None,
) -> tuple[bool, str]:
    """Return whether the latest complete run is recent, and a sentence about it.

    This needs neither the store nor the API key, so a second scheduler can check whether the first
    one ran.

    Args:
        path: Path of the ``weekly.toml``, or the WeeklySettings that were read from it.
        max_age_days: Maximum age of a recent run in days.
        today: Day to count from; None is today in the time zone of the settings.

    Raises:
        InputError: The settings or the log of earlier runs cannot be read.
    """
    settings = WeeklySettings.read(path)
    runs = read_runs(settings.output)
    last_attempt = ""
    if runs:
        sentence = ExitCode[runs[-1]["outcome"].upper()].meaning
        last_attempt = f"; the last run, on {runs[-1]['day']}: {sentence}"
    days = [facts["day"] for facts in runs if is_complete(facts)]
    if not days:
        return False, f"no complete run yet{last_attempt}"
    newest_day = max(days)
    sentence = f"the newest complete run is from {newest_day}"
    current_day = today or datetime.now(settings.timezone).date()
    age_days = (current_day - date.fromisoformat(newest_day)).days
    if age_days > max_age_days:
        return False, f"{sentence}, {age_days} days ago{last_attempt}"
    return True, sentence
