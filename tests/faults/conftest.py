"""What the tests of failures share."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clocks import timed_client
from faults.flaky_store import KEY, FlakyStore
from faults.load_harness import start_child
from petstore_frame.client import Client
from petstore_frame.errors import LoadStopped
from petstore_frame.loader.options import Limits, LoadOptions
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.run import load
from petstore_frame.loader.settling.reconcile import Reconciliation, reconcile

STATUSES = ("available", "pending", "sold", "")


@pytest.fixture
def pets_csv(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of so many pets; each name ``copies`` times."""

    def write(count: int, *, copies: int = 1, name: str = "pets.csv", first: int = 1) -> Path:
        path = tmp_path / name
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["name", "categoryId", "status"])
            for number in range(first, first + count):
                kind = (number - 1) // copies
                writer.writerow([f"Pet {kind}", kind % 7 + 1, STATUSES[kind % 4]])
        return path

    return write


@pytest.fixture
def stores() -> Iterator[Callable[..., FlakyStore]]:
    """Open flaky stores, and close them when the test is over."""
    opened: list[FlakyStore] = []

    def open_store(*args: Any, **options: Any) -> FlakyStore:
        opened.append(FlakyStore(*args, **options))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def run_load(tmp_path: Path) -> Callable[..., LoadResult]:
    """Load a file into a store with the real client, in this process; a stop is its result."""

    def run(path: Any, store: FlakyStore, **options: Any) -> LoadResult:
        limits = {name: options.pop(name) for name in list(options) if name in _LIMITS}
        client = {name: options.pop(name) for name in list(options) if name in _CLIENT}
        reading = {name: options.pop(name) for name in list(options) if name in _READING}
        settings = {"timeout_s": 10.0, "max_retries": 0} | client
        with timed_client(store.base_url, settings.pop("api_key", KEY), **settings) as made:
            options = {"journal": tmp_path / "journal", "progress": False} | options
            try:
                given = {name: options.pop(name) for name in list(options) if name in _LOADING}
                how = Recipe(**reading), Limits(**limits), LoadOptions(**given)
                return load(path, made, *how, **options)
            except LoadStopped as stopped:
                return stopped.result

    return run


_LIMITS = set(Limits.__dataclass_fields__)
_LOADING = set(LoadOptions.__dataclass_fields__)
_READING = set(Recipe.__dataclass_fields__) - {"duplicates"}
_CLIENT = {"api_key", "timeout_s", "max_retries", "idempotency", "sleep"}


@pytest.fixture
def run_child(tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Load a file in a process of its own; returns its exit code and the counts it printed."""

    def run(path: Path, store: FlakyStore, **wish: Any) -> tuple[int, dict[str, Any]]:
        child = start_child(tmp_path, path, store, out=subprocess.PIPE, **wish)
        out, _ = child.communicate(timeout=60)
        return child.returncode, json.loads(out) if out else {}

    return run


@pytest.fixture
def settle() -> Callable[..., Reconciliation]:
    """Reconcile a result with its store, without a wait."""

    def run(result: LoadResult, store: FlakyStore, **options) -> Reconciliation:
        with Client(store.base_url, KEY, timeout_s=0.5, max_retries=0) as client:
            options = {"grace_s": 0.0, "sole_writer": True} | options
            return reconcile(result.path, result.import_id, client, **options)

    return run
