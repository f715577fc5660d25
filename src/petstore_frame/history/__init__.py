"""What changed between dates, from snapshots kept on disk."""

from petstore_frame.history.changes import Diff, diff
from petstore_frame.history.flow import Flow
from petstore_frame.history.history import History, HistoryOption, open_history
from petstore_frame.history.queries import STATEMENTS, statement
from petstore_frame.history.snapshot import Snapshot, SnapshotProblem

__all__ = [
    "STATEMENTS",
    "Diff",
    "Flow",
    "History",
    "HistoryOption",
    "Snapshot",
    "SnapshotProblem",
    "diff",
    "open_history",
    "statement",
]
