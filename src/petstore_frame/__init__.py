"""A store's animals in a notebook: read, load, summarize, report, watch.

The names below are the ones that a user may rely on. Each is imported on first use, so that
``import petstore_frame`` stays light and the command line starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {
    "Client": "client",
    "IdempotencyKey": "settings",
    "Page": "page",
    "Inventory": "inventory",
    "Completeness": "inventory",
    "fetch_inventory": "inventory",
    "Summary": "summary",
    "summarize": "summary",
    "completeness": "inventory.seal",
    "StatusCount": "inventory",
    "Verdict": "inventory",
    "History": "history",
    "Diff": "history",
    "Flow": "history",
    "Snapshot": "history",
    "Dashboard": "dashboard",
    "Drawing": "charts",
    "inventory_table": "charts",
    "status_chart": "charts",
    "ageing_chart": "timelines",
    "trend_chart": "timelines",
    "load_csv": "loader.load",
    "load_excel": "loader.load",
    "load_frame": "loader.load",
    "LoadInterrupted": "loader.load",
    "LoadResult": "loader.results",
    "LoadFailedError": "errors",
    "PetSearch": "inventory",
    "PET_COLUMNS": "frame",
    "PET_STATUSES": "models",
    "NewPet": "models",
    "Pet": "models",
    "Server": "server",
    "serve": "server",
    "PetstoreError": "errors",
    "ConfigurationError": "errors",
    "MissingExtraError": "errors",
    "APIStatusError": "errors",
    "BadRequestError": "errors",
    "AuthenticationError": "errors",
    "PermissionDeniedError": "errors",
    "NotFoundError": "errors",
    "ConflictError": "errors",
    "RateLimitError": "errors",
    "ServerError": "errors",
    "APIConnectionError": "errors",
    "APITimeoutError": "errors",
    "ContractError": "errors",
    "CrossOriginError": "errors",
    "PaginationLoopError": "errors",
    "IncompleteInventoryError": "errors",
    "ForeignLinkError": "errors",
    "InputError": "errors",
    "JournalError": "errors",
    "JournalLockedError": "errors",
    "ReportError": "errors",
    "write_report": "report",
    "HistoryError": "errors",
    "HistoryLockedError": "errors",
    "ServiceStartError": "errors",
    "EndpointDeprecatedWarning": "errors",
    "HistoryWarning": "errors",
}

__version__ = "0.1.0"
__all__ = sorted(["__version__", *_HOMES])  # noqa: PLE0605 # the table above is the one list


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
