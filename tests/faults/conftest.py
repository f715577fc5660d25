"""What the tests of failures share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from clocks import timed_client
from faults.flaky_store import KEY, FlakyStore
from faults.load_harness import check_promises, start_child
from petstore_frame.errors import LoadStoppedError
from petstore_frame.loader.load_options import LoadOptions
from petstore_frame.loader.loading import run_import
from petstore_frame.loader.results.load_result import LoadResult
from petstore_frame.loader.row_state import State
from petstore_frame.loader.source import Recipe

STATUSES = ("available", "pending", "sold", "")


@pytest.fixture
def pets_csv(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of so many pets; each name ``copies`` times."""

    def write(count: int, *, copies: int = 1, name: str = "pets.csv", first: int = 1) -> Path:
        kinds = [(number - 1) // copies for number in range(first, first + count)]
        rows = [f"Pet {kind},{kind % 7 + 1},{STATUSES[kind % 4]}" for kind in kinds]
        path = tmp_path / name
        path.write_text("\n".join(["name,categoryId,status", *rows, ""]), encoding="utf-8")
        return path

    return write


@pytest.fixture
def stores() -> Iterator[Callable[..., FlakyStore]]:
    """Open flaky stores, and close them when the test is over."""
    with ExitStack() as opened:
        yield lambda *args, **options: opened.enter_context(FlakyStore(*args, **options))


@pytest.fixture
def run_load(tmp_path: Path, pets_csv) -> Callable[..., LoadResult]:
    """Load a file, or one of so many pets, in this process; a stop is its result."""

    def run(source: Any, store: FlakyStore, **options: Any) -> LoadResult:
        def take(names: set[str]) -> dict[str, Any]:
            return {name: options.pop(name) for name in names & options.keys()}

        rows, reading = take({"copies", "name", "first"}), Recipe(**take(_READING))
        path = pets_csv(source, **rows) if isinstance(source, int) else source
        settings = {"timeout": 10.0, "retry_timeout": 0} | take(_CLIENT)
        loading = {"journal": tmp_path / "journal", "progress": False} | take(_LOADING)
        with timed_client(store.base_url, KEY, **settings) as client:
            try:
                return run_import(path, client, reading, **loading, **options)
            except LoadStoppedError as stopped:
                return stopped.result

    return run


@pytest.fixture
def load_with(stores, run_load) -> Callable[..., tuple[LoadResult, FlakyStore]]:
    """Load a file, or one of so many rows, into a new store with these faults by POST."""

    def run(
        source: int | Path,
        faults: Mapping[int, str] | None = None,
        *,
        store: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> tuple[LoadResult, FlakyStore]:
        made = stores((faults or {}).get, **(store or {}))
        return run_load(source, made, **options), made

    return run


_LOADING = set(LoadOptions.__dataclass_fields__)
_READING = {*Recipe.model_fields}
_CLIENT = {"timeout", "retry_timeout", "idempotency", "sleep"}


@pytest.fixture
def go_on(run_load) -> Callable[..., LoadResult]:
    """Load the records again, and hold that each is in the store once, or unconfirmed."""

    def run(rows: int, store: FlakyStore, **options: Any) -> LoadResult:
        result = run_load(rows, store, **options)
        check_promises(result, store)
        assert result.counts[State.CREATED] + result.counts[State.UNCONFIRMED] == rows
        return result

    return run


@pytest.fixture
def run_child(tmp_path: Path, pets_csv) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Load some pets in a process of its own; returns its exit code and its result, if any."""

    def run(rows: int, store: FlakyStore, **options: Any) -> tuple[int, dict[str, Any]]:
        child = start_child(tmp_path, pets_csv(rows), store, **options)
        result = child.result() or {}
        return child.wait(), result

    return run
