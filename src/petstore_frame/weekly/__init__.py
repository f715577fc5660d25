"""The weekly run: reads the store once, and writes all reports of the week from this reading.

``run`` does everything, ``check`` says whether it was done recently, and ``write_settings`` writes
a ``weekly.toml`` to start from.
"""

from petstore_frame.weekly.weekly_outcome import Run
from petstore_frame.weekly.weekly_run import check, plan, run
from petstore_frame.weekly.weekly_settings import WeeklySettings, write_settings

__all__ = ["Run", "WeeklySettings", "check", "plan", "run", "write_settings"]
