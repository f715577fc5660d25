"""A store's animals in a notebook: read, load, summarize, report, watch.

The names below are the ones that a user may rely on. Each is imported on first use, so that
``import petstore_frame`` stays light and the command line starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers and editors; the table below is what runs
    from petstore_frame.bundled import samples as samples
    from petstore_frame.bundled.server import Server as Server
    from petstore_frame.bundled.server import serve as serve
    from petstore_frame.charts.bars import status_chart as status_chart
    from petstore_frame.charts.flow import ageing_chart as ageing_chart
    from petstore_frame.charts.pet_list import inventory_table as inventory_table
    from petstore_frame.charts.svg import Drawing as Drawing
    from petstore_frame.charts.trend import trend_chart as trend_chart
    from petstore_frame.client import Client as Client
    from petstore_frame.counts.summary import Summary as Summary
    from petstore_frame.counts.summary import summarize as summarize
    from petstore_frame.counts.tally import CategoryCounts as CategoryCounts
    from petstore_frame.counts.tally import StatusCounts as StatusCounts
    from petstore_frame.dashboard import Dashboard as Dashboard
    from petstore_frame.errors import APIConnectionError as APIConnectionError
    from petstore_frame.errors import APIStatusError as APIStatusError
    from petstore_frame.errors import APITimeoutError as APITimeoutError
    from petstore_frame.errors import ArgumentError as ArgumentError
    from petstore_frame.errors import AuthenticationError as AuthenticationError
    from petstore_frame.errors import BadRequestError as BadRequestError
    from petstore_frame.errors import ClosedError as ClosedError
    from petstore_frame.errors import ConfigurationError as ConfigurationError
    from petstore_frame.errors import ConflictError as ConflictError
    from petstore_frame.errors import ContractError as ContractError
    from petstore_frame.errors import CrossOriginError as CrossOriginError
    from petstore_frame.errors import EndpointDeprecatedWarning as EndpointDeprecatedWarning
    from petstore_frame.errors import ForeignLinkError as ForeignLinkError
    from petstore_frame.errors import HistoryError as HistoryError
    from petstore_frame.errors import HistoryLockedError as HistoryLockedError
    from petstore_frame.errors import HistoryWarning as HistoryWarning
    from petstore_frame.errors import IncompleteInventoryError as IncompleteInventoryError
    from petstore_frame.errors import InputError as InputError
    from petstore_frame.errors import JournalError as JournalError
    from petstore_frame.errors import JournalLockedError as JournalLockedError
    from petstore_frame.errors import LoadFailedError as LoadFailedError
    from petstore_frame.errors import LoadInterrupted as LoadInterrupted
    from petstore_frame.errors import MissingExtraError as MissingExtraError
    from petstore_frame.errors import NotFoundError as NotFoundError
    from petstore_frame.errors import PaginationLoopError as PaginationLoopError
    from petstore_frame.errors import PermissionDeniedError as PermissionDeniedError
    from petstore_frame.errors import PetstoreError as PetstoreError
    from petstore_frame.errors import RateLimitError as RateLimitError
    from petstore_frame.errors import ReportError as ReportError
    from petstore_frame.errors import ServerError as ServerError
    from petstore_frame.errors import ServiceStartError as ServiceStartError
    from petstore_frame.history import Diff as Diff
    from petstore_frame.history import Flow as Flow
    from petstore_frame.history import History as History
    from petstore_frame.history import Snapshot as Snapshot
    from petstore_frame.history import SnapshotProblem as SnapshotProblem
    from petstore_frame.http.headers import Headers as Headers
    from petstore_frame.http.outcome import PostOutcome as PostOutcome
    from petstore_frame.http.outcome import Proof as Proof
    from petstore_frame.http.settings import IdempotencyKey as IdempotencyKey
    from petstore_frame.inventory import Assumption as Assumption
    from petstore_frame.inventory import Completeness as Completeness
    from petstore_frame.inventory import Inventory as Inventory
    from petstore_frame.inventory import PetSearch as PetSearch
    from petstore_frame.inventory import StatusCount as StatusCount
    from petstore_frame.inventory import Verdict as Verdict
    from petstore_frame.inventory import fetch_inventory as fetch_inventory
    from petstore_frame.inventory.find import SearchState as SearchState
    from petstore_frame.inventory.page import Page as Page
    from petstore_frame.inventory.page import UnreadPage as UnreadPage
    from petstore_frame.inventory.result import completeness as completeness
    from petstore_frame.inventory.seal import FrameClaim as FrameClaim
    from petstore_frame.inventory.seal import SealState as SealState
    from petstore_frame.loader.load import load_csv as load_csv
    from petstore_frame.loader.load import load_excel as load_excel
    from petstore_frame.loader.load import load_frame as load_frame
    from petstore_frame.loader.record import Ending as Ending
    from petstore_frame.loader.record import State as State
    from petstore_frame.loader.results.results import LoadResult as LoadResult
    from petstore_frame.loader.settling.reconcile import Reconciliation as Reconciliation
    from petstore_frame.report import write_report as write_report
    from petstore_frame.schema.columns import PetColumns as PetColumns
    from petstore_frame.schema.fields import PET_COLUMNS as PET_COLUMNS
    from petstore_frame.schema.models import PET_STATUSES as PET_STATUSES
    from petstore_frame.schema.models import NewPet as NewPet
    from petstore_frame.schema.models import Pet as Pet

_HOMES: dict[str, str] = {
    "Drawing": "charts.svg",
    "inventory_table": "charts.pet_list",
    "status_chart": "charts.bars",
    "Client": "client",
    "StatusCounts": "counts.tally",
    "CategoryCounts": "counts.tally",
    "Dashboard": "dashboard",
    "APIConnectionError": "errors",
    "APIStatusError": "errors",
    "APITimeoutError": "errors",
    "ArgumentError": "errors",
    "AuthenticationError": "errors",
    "BadRequestError": "errors",
    "ClosedError": "errors",
    "ConfigurationError": "errors",
    "ConflictError": "errors",
    "ContractError": "errors",
    "CrossOriginError": "errors",
    "EndpointDeprecatedWarning": "errors",
    "ForeignLinkError": "errors",
    "HistoryError": "errors",
    "HistoryLockedError": "errors",
    "HistoryWarning": "errors",
    "IncompleteInventoryError": "errors",
    "InputError": "errors",
    "JournalError": "errors",
    "JournalLockedError": "errors",
    "LoadFailedError": "errors",
    "LoadInterrupted": "errors",
    "MissingExtraError": "errors",
    "NotFoundError": "errors",
    "PaginationLoopError": "errors",
    "PermissionDeniedError": "errors",
    "PetstoreError": "errors",
    "RateLimitError": "errors",
    "ReportError": "errors",
    "ServerError": "errors",
    "ServiceStartError": "errors",
    "PET_COLUMNS": "schema.fields",
    "Headers": "http.headers",
    "Diff": "history",
    "Flow": "history",
    "History": "history",
    "Snapshot": "history",
    "SnapshotProblem": "history",
    "Assumption": "inventory",
    "Completeness": "inventory",
    "Inventory": "inventory",
    "PetSearch": "inventory",
    "StatusCount": "inventory",
    "Verdict": "inventory",
    "fetch_inventory": "inventory",
    "SearchState": "inventory.find",
    "completeness": "inventory.result",
    "FrameClaim": "inventory.seal",
    "SealState": "inventory.seal",
    "load_csv": "loader.load",
    "load_excel": "loader.load",
    "load_frame": "loader.load",
    "Reconciliation": "loader.settling.reconcile",
    "Ending": "loader.record",
    "State": "loader.record",
    "LoadResult": "loader.results.results",
    "NewPet": "schema.models",
    "PET_STATUSES": "schema.models",
    "Pet": "schema.models",
    "PetColumns": "schema.columns",
    "PostOutcome": "http.outcome",
    "Proof": "http.outcome",
    "Page": "inventory.page",
    "UnreadPage": "inventory.page",
    "write_report": "report",
    "samples": "bundled.samples",
    "Server": "bundled.server",
    "serve": "bundled.server",
    "IdempotencyKey": "http.settings",
    "Summary": "counts.summary",
    "summarize": "counts.summary",
    "ageing_chart": "charts.flow",
    "trend_chart": "charts.trend",
}

__version__ = "0.1.0"
__all__ = sorted(["__version__", *_HOMES])  # noqa: PLE0605 # the table above is the one list


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{home}")
    value = module if home.endswith(f".{name}") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
