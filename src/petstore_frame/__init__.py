"""A store's animals in a notebook: read, load, summarize, report, watch.

``__init__.pyi`` lists the names that a user may rely on. Each is imported on first use (SPEC 1), so
that ``import petstore_frame`` stays light and the command line starts quickly. What is not listed
is in its part: ``petstore_frame.errors``, ``petstore_frame.inventory``, …
"""

from importlib import import_module
from typing import Any

import lazy_loader as lazy

__version__ = "0.1.0"
_attached, __dir__, __all__ = lazy.attach_stub(__name__, __file__)

# On their way out of here.
_MOVED = {
    "Drawing": "charts.svg",
    "StatusCounts": "counts.tally",
    "CategoryCounts": "counts.tally",
    "APITimeoutError": "errors",
    "ClosedError": "errors",
    "ConflictError": "errors",
    "CrossOriginError": "errors",
    "ForeignLinkError": "errors",
    "HistoryError": "errors",
    "HistoryLockedError": "errors",
    "HistoryWarning": "errors",
    "JournalError": "errors",
    "JournalLockedError": "errors",
    "LoadFailedError": "errors",
    "MissingExtraError": "errors",
    "PaginationLoopError": "errors",
    "PermissionDeniedError": "errors",
    "RateLimitError": "errors",
    "ReportError": "errors",
    "ServerError": "errors",
    "ServiceStartError": "errors",
    "Headers": "http.headers",
    "Diff": "history",
    "Flow": "history",
    "Snapshot": "history",
    "SnapshotProblem": "history",
    "Assumption": "inventory",
    "PetSearch": "inventory",
    "StatusCount": "inventory",
    "SearchState": "inventory.find",
    "FrameClaim": "inventory.seal",
    "SealState": "inventory.seal",
    "Reconciliation": "loader.settling.reconcile",
    "Ending": "loader.record",
    "State": "loader.record",
    "PetColumns": "schema.columns",
    "PostOutcome": "http.outcome",
    "Proof": "http.outcome",
    "UnreadPage": "inventory.page",
}


def __getattr__(name: str) -> Any:
    if name in _MOVED:
        return getattr(import_module(f"{__name__}.{_MOVED[name]}"), name)
    return _attached(name)
