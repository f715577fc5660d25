"""The weekly run: one reading of the store, and from it every file that somebody needs.

``run`` does all of it, ``check`` says whether it was done, and ``write_settings`` writes a first
``weekly.toml``.
"""

from petstore_frame.weekly.weekly_outcome import Run, WeeklyOutcome
from petstore_frame.weekly.weekly_run import check, plan, run
from petstore_frame.weekly.weekly_settings import WeeklySettings, write_settings

__all__ = ["Run", "WeeklyOutcome", "WeeklySettings", "check", "plan", "run", "write_settings"]
