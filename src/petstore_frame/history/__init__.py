"""What changed between dates, from snapshots kept on disk."""

from petstore_frame.history.changes import IdRange, diff_pets, trend_pets
from petstore_frame.history.diff import Diff
from petstore_frame.history.flow import Flow
from petstore_frame.history.history import History
from petstore_frame.history.opening import HistoryOption, open_history
from petstore_frame.history.snapshots import Snapshot, SnapshotProblem

__all__ = [
    "Diff",
    "Flow",
    "History",
    "HistoryOption",
    "IdRange",
    "Snapshot",
    "SnapshotProblem",
    "diff_pets",
    "open_history",
    "trend_pets",
]
