"""Any order of imports, faults, crashes, edits and reconciling keeps the promises."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from faults.flaky_store import CUT_201, DOUBTFUL, HARMLESS, KEY, FlakyStore
from petstore_frame.client import Client
from petstore_frame.errors import JournalLockedError
from petstore_frame.http.settings import IdempotencyKey
from petstore_frame.loader.journal.database import SUFFIX, holding, reading
from petstore_frame.loader.journal.rows import JournalRow, read_rows, read_runs
from petstore_frame.loader.options import Limits
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.record import State
from petstore_frame.loader.run import load, resume_loads
from petstore_frame.loader.settling.reconcile import reconcile

FAULTS = [None, *(f for f in (*DOUBTFUL, *CUT_201, *HARMLESS, "401") if "stall" not in f)]
KEYS = IdempotencyKey(3600)
# In the store, or listed as in doubt.
HERE = (State.CREATED, State.UNKNOWN, State.ABSENT, State.IN_FLIGHT)


class Crash(BaseException):
    """The end of a process, without any farewell."""


class Imports(RuleBasedStateMachine):
    """One file, one store that may or may not honour keys, and all that can happen to them."""

    has_keys = False

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name)
        self.store = FlakyStore(honours_keys=self.has_keys, late_s=0.01)
        self.client = Client(
            self.store.base_url,
            KEY,
            timeout_s=0.5,
            max_retries=0,
            idempotency=KEYS if self.has_keys else None,
        )
        self.lines = [f"Pet {n // 2},{n % 4 // 2 + 1}," for n in range(16)]
        self.foreign: set[int] = set()
        self.wanted: Counter[tuple] = Counter()

    def _load(self, faults: list[str | None], crash_at: int | None = None) -> None:
        plan = dict(enumerate(faults, self.store.posts + 1))
        self.store.fault_of = plan.get
        path = self.folder / "pets.csv"
        path.write_text("\n".join(["name,categoryId,status", *self.lines]))
        here = Counter((name, int(kind), None) for name, kind, _ in map(_cells, self.lines))
        self.wanted |= here
        left = [crash_at or 0]

        def step(name: str) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise Crash

        with suppress(Crash):
            self.last = load(
                path,
                self.client,
                Recipe(),
                Limits(workers=4, first_patience_s=1.0, patience_s=1.0),
                journal=self.folder / "journal",
                progress=False,
                duplicates="skip",
                step=step,
            )

    @rule(
        faults=st.lists(st.sampled_from(FAULTS), max_size=12),
        crash_at=st.none() | st.integers(1, 12),
    )
    def import_it(self, faults: list[str | None], crash_at: int | None) -> None:
        self._load(faults, crash_at)

    @rule(names=st.lists(st.sampled_from(["Pet 1", "Pet 9", "Zoë"]), min_size=1, max_size=2))
    @precondition(lambda self: len(self.lines) < 24)
    def edit(self, names: list[str]) -> None:
        self.lines = [*(f"{name},1," for name in names), *self.lines]

    @rule()
    @precondition(lambda self: len(self.lines) > 14)
    def shorten(self) -> None:
        del self.lines[len(self.lines) // 2]

    @rule(name=st.sampled_from(["Pet 1", "Pet 3", "Zoë"]))
    def someone_else_adds_a_twin(self, name: str) -> None:
        self.foreign.add(self.store.add({"name": name, "categoryId": 1}))

    @rule()
    def read_back(self) -> None:
        self.store.settle()
        for path, run_id in self._imports():
            reconcile(path, run_id, self.client, grace_s=0.0)

    @rule()
    def resume(self) -> None:
        self.store.fault_of = lambda number: None
        resume_loads(self.client, journal=self.folder / "journal", progress=False)

    @rule()
    def a_second_importer_is_refused(self) -> None:
        for path, _ in self._imports()[:1]:
            with holding(path), pytest.raises(JournalLockedError), holding(path, wait_s=0):
                pass

    def _imports(self) -> list[tuple[Path, str]]:
        found = []
        for path in (self.folder / "journal").glob(f"*{SUFFIX}"):
            with reading(path) as sql:
                found += [(path, run.run_id) for run in read_runs(sql)]
        return found

    def _rows(self) -> list[JournalRow]:
        found: list[JournalRow] = []
        for path, run_id in self._imports():
            with reading(path) as sql:
                found += read_rows(sql, run_id)
        return found

    @invariant()
    def nothing_is_doubled(self) -> None:
        self.store.settle()
        with self.store._lock:
            ours = Counter(
                (pet["name"], pet["categoryId"], pet.get("status"))
                for pet_id, pet in self.store.pets.items()
                if pet_id not in self.foreign
            )
        assert not ours - self.wanted

    @invariant()
    def no_id_is_claimed_twice(self) -> None:
        ids = [row.pet_id for row in self._rows() if row.pet_id is not None]
        assert len(ids) == len(set(ids)) and set(ids) <= set(self.store.pets)

    def teardown(self) -> None:
        """A last import without faults leaves each record in the store, or listed."""
        try:
            self._load([])
            self.resume()
            self._load([])
            self.nothing_is_doubled()
            self.no_id_is_claimed_twice()
            self._check_nothing_is_lost()
        finally:
            self.client.close()
            self.store.close()
            self.place.cleanup()

    def _check_nothing_is_lost(self) -> None:
        pets = self.store.pet_counts()
        left = self.last.counts
        assert left[State.PENDING] == left[State.IN_FLIGHT] == 0
        said: Counter[tuple] = Counter()
        for row in self._rows():
            sent = json.loads(row.payload or b"{}")
            key = (sent["name"], sent["categoryId"], sent.get("status"))
            said[key] += row.state in HERE
        here = Counter((name, int(kind), None) for name, kind, _ in map(_cells, self.lines))
        assert not here - said, "a record of the file is nowhere"
        assert not pets - said - self._foreign_counts(), "a pet that no record knows of"

    def _foreign_counts(self) -> Counter[tuple]:
        return Counter(
            (self.store.pets[pet_id]["name"], self.store.pets[pet_id]["categoryId"], None)
            for pet_id in self.foreign
        )


class ImportsWithKeys(Imports):
    """The same against a store that honours idempotency keys."""

    has_keys = True


def _cells(line: str) -> list[str]:
    return line.split(",")


for machine in (Imports, ImportsWithKeys):
    machine.TestCase.settings = settings(
        max_examples=12,
        stateful_step_count=8,
        suppress_health_check=list(HealthCheck),
    )
TestImports = Imports.TestCase
TestImportsWithKeys = ImportsWithKeys.TestCase
