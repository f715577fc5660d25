"""What changed between dates, from snapshots kept on disk."""

from petstore_frame.history.changes import Diff, diff
from petstore_frame.history.history import History, HistoryOption, open_history
from petstore_frame.history.over_time import Flow
from petstore_frame.history.snapshot import Snapshot, SnapshotProblem

__all__ = [
    "Diff",
    "Flow",
    "History",
    "HistoryOption",
    "Snapshot",
    "SnapshotProblem",
    "diff",
    "open_history",
]
