"""Monday: one reading of the store, and from it every file that somebody needs.

``run`` does it all, ``check`` tells whether it was done, ``write_settings`` writes a first
``monday.toml``.
"""

from petstore_frame.weekly.weekly_outcome import MondayOutcome, Run
from petstore_frame.weekly.weekly_run import check, plan, run
from petstore_frame.weekly.weekly_settings import MondaySettings, write_settings

__all__ = ["MondayOutcome", "MondaySettings", "Run", "check", "plan", "run", "write_settings"]
