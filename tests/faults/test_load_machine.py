"""Whole stories of files, spreadsheets, colleagues and crashes, drawn at random, keep the promises.

The model is a dict of the user's animals by their names, which differ. Possible duplicates are
answered by somebody who knows the animals. No animal is in the store twice, and at the end each one
is there, or a result lists why it is not.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import petstore_frame as pf
from faults.flaky_store import CUT_201, DOUBTFUL, HARMLESS, KEY, FlakyStore
from petstore_frame.errors import ArgumentError, LoadStoppedError
from petstore_frame.loader import view_of
from petstore_frame.loader.journal import store_pets
from petstore_frame.loader.journal.database import place_of, reading
from petstore_frame.loader.journal.rows import read_imports
from petstore_frame.loader.loading import run_import
from petstore_frame.loader.results.load_result import ImportView
from petstore_frame.loader.row_state import UNCONFIRMED_STATES, State
from petstore_frame.loader.sending.pool import SessionClocks, wait_for
from petstore_frame.loader.source import Recipe
from petstore_frame.transport import IdempotencyKey
from shop import Shop, frame_of

HEADER = "tag,name,categoryId,seen"
PAGE = 5  # pets
SPELLINGS = ("{}\u200b", "\ufeff{}", "{}*", "AUS-{}", "{}/26", "{}.0")
SPOILT = "9" * 20  # no category id that can be sent
# Sessions wait on a clock that is ten times as fast as ours.
LIMITS = {"workers": 4, "first_patience_s": 10.0, "patience_s": 10.0, "progress": False}
FAST = SessionClocks(
    clock=lambda: 10 * time.monotonic(),
    wait=lambda inbox, wait_s: wait_for(inbox, None if wait_s is None else wait_s / 10),
)
FAULTS = [None, *(f for f in (*DOUBTFUL, *CUT_201, *HARMLESS, "400", "401") if "stall" not in f)]
LISTED = (State.INVALID, State.REJECTED, State.GONE, State.POSSIBLE_DUPLICATE, *UNCONFIRMED_STATES)

Faults = Sequence[str | None]
forms = st.sampled_from(["csv", "excel", "pandas"])
some_faults = st.lists(st.sampled_from(FAULTS), max_size=8)
crashes = st.none() | st.integers(1, 12)
picks = st.integers(0, 99)


class Crash(BaseException):
    """The end of a process, without any farewell."""


@dataclass(frozen=True)
class Row:
    """A row of a file, which may be spoilt or spelled in another way."""

    tag: str
    name: str
    category: str

    def __str__(self) -> str:
        return f"{self.tag},{self.name},{self.category},2026-05-01"


class Stories(RuleBasedStateMachine):
    """One office and a colleague, a store that may honor idempotency keys, files with a key."""

    honors_keys = False
    key: tuple[str, ...] = ("tag",)

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(store_pets, "LAG_S", 0.0)  # this store shows at once what it has
        self.place = tempfile.TemporaryDirectory()
        self.store = FlakyStore(
            honors_keys=self.honors_keys, has_links=True, page_cap=PAGE, late_s=0.01
        )
        keys = IdempotencyKey(3600) if self.honors_keys else None
        self.client = pf.Client(
            self.store.base_url, KEY, timeout=5.0, retry_timeout=0, idempotency=keys
        )
        self.mine = Shop(Path(self.place.name, "mine"), self.client, self.store)
        self.his = Shop(Path(self.place.name, "his"), self.client, self.store)
        self.animals: dict[str, Row] = {}  # as they are, by name
        self.wanted: Counter[str] = Counter()
        self.files: list[list[Row]] = []
        self.fix_files: list[list[list[str]]] = []
        self.has_backup = False
        self.lost: set[str] = set()  # names of pets that the store lost
        self.reused: set[str] = set()  # names of animals with the numbers of others

    # -- moves

    @rule(
        spoilt=st.lists(st.booleans(), min_size=1, max_size=6),
        form=forms, faults=some_faults, crash_at=crashes,
    )  # fmt: skip
    def a_new_file(
        self, spoilt: list[bool], form: str, faults: Faults, crash_at: int | None
    ) -> None:
        # More of one cause stop the file.
        spoilt[2:] = [False] * len(spoilt[2:])
        rows = [self._new_row() for _ in spoilt]
        rows = [
            replace(row, category=SPOILT) if is_spoilt else row
            for row, is_spoilt in zip(rows, spoilt, strict=True)
        ]
        self._load_new(rows, form, faults=faults, crash_at=crash_at)

    @rule(pick=picks, form=forms, faults=some_faults, crash_at=crashes)
    @precondition(lambda self: self.files)
    def the_same_file_again(
        self, pick: int, form: str, faults: Faults, crash_at: int | None
    ) -> None:
        self._load(self._pick(pick), form, faults=faults, crash_at=crash_at)

    @rule(pick=picks, other=picks, form=forms, how=st.sampled_from(["sorted", "part", "joined"]))
    @precondition(lambda self: self.files)
    def the_rows_in_another_file(self, pick: int, other: int, form: str, how: str) -> None:
        rows = self._pick(pick)
        if how == "sorted":
            rows = rows[::-1]
        elif how == "part":
            rows = rows[: len(rows) // 2 + 1]
        else:
            names = {row.name for row in rows}
            rows = [*rows, *(row for row in self._pick(other) if row.name not in names)]
        if [row.category for row in rows].count(SPOILT) < 3:
            self._load_new(rows, form)

    @rule(pick=picks, faults=some_faults)
    @precondition(lambda self: self.files)
    def a_growing_file(self, pick: int, faults: Faults) -> None:
        self._load_new([*self._pick(pick), self._new_row()], faults=faults)

    @rule(pick=picks, new=st.integers(0, 2))
    @precondition(lambda self: self.files)
    def a_new_program_with_new_numbers(self, pick: int, new: int) -> None:
        rows = [replace(row, tag=f"N{len(self.files)}{row.tag}") for row in self._pick(pick)]
        self._load_new([*rows, *(self._new_row() for _ in range(new))])

    @rule(pick=picks, spelling=st.sampled_from(SPELLINGS), form=forms)
    @precondition(lambda self: self.key and self.files)
    def keys_that_look_the_same(self, pick: int, spelling: str, form: str) -> None:
        rows = [replace(row, tag=spelling.format(row.tag)) for row in self._pick(pick)]
        self._load_new(rows, "csv" if spelling == "{}.0" else form)

    @rule(pick=picks)
    @precondition(lambda self: self.key and self.files)
    def numbers_that_start_again(self, pick: int) -> None:
        before = self._pick(pick)
        rows = [replace(self._new_row(), tag=row.tag) for row in before]
        self.reused |= {row.name for row in [*before, *rows]}
        self._load_new(rows)

    @rule(pick=picks, count=st.integers(1, 3))
    @precondition(lambda self: self.files)
    def a_list_joined_with_that_of_a_colleague(self, pick: int, count: int) -> None:
        if any(map(self._is_unconfirmed, self.animals)):
            return  # nobody can see what is on its way
        his = [self._new_row() for _ in range(count)]
        self._load(his, office=self.his)
        self._load_new([*self._pick(pick), *his])

    @rule(pick=picks, at=picks, faults=some_faults)
    @precondition(lambda self: self.files)
    def a_cell_of_the_file_is_corrected(self, pick: int, at: int, faults: Faults) -> None:
        rows = self._pick(pick)
        spoilt = [row for row in rows if row.category == SPOILT]
        if spoilt:
            row = spoilt[at % len(spoilt)]
            right = replace(row, category=self.animals[row.name].category)
            self._load_new([right if source is row else source for source in rows], faults=faults)

    @rule(pick=picks, form=st.sampled_from(["csv", "excel"]), faults=some_faults, times=picks)
    def a_fix_file(self, pick: int, form: str, faults: Faults, times: int) -> None:
        """Corrected once, or wrongly first and then rightly."""
        # No precondition: what a crash leaves behind is not the same in each run of a story.
        if self.fix_files:
            fix = self.fix_files[pick % len(self.fix_files)]
            if times % 2:
                self._load_fix(fix, form, category="no number")
            self._load_fix(fix, form, faults=faults)

    @rule(pick=picks, onto=st.integers(1, 4))
    def a_row_of_a_fix_file_is_dragged(self, pick: int, onto: int) -> None:
        if not self.fix_files:
            return  # what a crash leaves behind is not the same in each run of a story
        header, row, *_ = self.fix_files[pick % len(self.fix_files)]
        new = self._new_row()
        values = {"tag": new.tag, "name": new.name, "categoryId": new.category}
        origin, _, number = row[header.index("_pf_row")].rpartition("-")
        values["_pf_row"] = f"{origin}-{int(number) + onto}"
        dragged = [values.get(name, cell) for name, cell in zip(header, row, strict=True)]
        pets = set(self.store.pets)
        with suppress(pf.errors.InputError):  # there is no such row
            self._run(self.mine, self.mine.write_rows(header, dragged))
        names = {self.store.pets[pet_id]["name"] for pet_id in set(self.store.pets) - pets}
        for name in names - {new.name}:  # the row that was named had no animal yet
            assert not self.wanted[name] or self.store_counts()[name] <= 1
        self._load_new([new])

    @rule(pick=picks, option=st.sampled_from([{"duplicates": "create"}, {"as_new": True}]))
    @precondition(lambda self: self.files)
    def an_option_left_in_a_script(self, pick: int, option: dict[str, Any]) -> None:
        """Without a key, ``create`` adds nothing that was not listed before."""
        if bool(self.key) is ("duplicates" in option):
            return  # with a key, the user says so; without, the page about keys says what it does
        rows = [*self._pick(pick), self._new_row()]
        self.store.fault_of = lambda number: None
        with suppress(ArgumentError):
            self._run(self.mine, self._saved(self.mine, rows, "csv"), **option)
        self._load_new(rows)

    @rule(pick=picks, form=forms)
    @precondition(lambda self: self.files)
    def a_dry_run(self, pick: int, form: str) -> None:
        """It says what the same call would do, and sends nothing."""
        rows = self._pick(pick)
        self.store.fault_of = lambda number: None
        source = self._saved(self.mine, rows, form)
        posts = self.store.posts
        rehearsed = _states(self._run(self.mine, source, dry_run=True))
        assert self.store.posts == posts
        done = _states(self._run(self.mine, source))
        if self.honors_keys:  # what is unconfirmed is repeated under its key
            for states in (rehearsed, done):
                states["created"] += states.pop("unconfirmed", 0)
        assert rehearsed == done, f"rehearsed {rehearsed}, done {done}"

    @rule(pick=picks, after=st.integers(0, 3))
    def a_stop_then_another_file_then_resume(self, pick: int, after: int) -> None:
        """Rows that were not sent are no animals: another file sends them, resuming does not."""
        rows = [self._new_row() for _ in range(4)]
        self._load_new(rows, faults=[*[None] * after, "401"])
        self._load_new([*rows, self._new_row()])
        self.resume()

    @rule()
    def a_backup(self) -> None:
        if self.mine.journal.exists():
            self.mine.copy_journal()
            self.has_backup = True

    @rule()
    def the_backup_is_restored(self) -> None:
        if self.has_backup and not any(map(self._is_unconfirmed, self.animals)):
            self.mine.restore_journal()
            self.fix_files.clear()

    @rule()
    def the_journal_is_lost(self) -> None:
        if not any(map(self._is_unconfirmed, self.animals)):
            self.mine.lose_journal()
            self.fix_files.clear()

    @rule(share=st.sampled_from([0, 50, 80]), ids_again=st.booleans())
    @precondition(lambda self: self.files)
    def the_store_loses_pets(self, share: int, ids_again: bool) -> None:
        before = self.store_counts()
        self.store.restore(len(self.store.pets) * share // 100, ids_again=ids_again)
        self.lost |= set(before - self.store_counts())

    @rule()
    def resume(self) -> None:
        self.store.fault_of = lambda number: None
        with suppress(LoadStoppedError):
            pf.resume_loads(self.client, journal=self.mine.journal, progress=False)

    @rule()
    def read_back(self) -> None:
        for result in self._results(self.mine):
            result.reconcile(self.client, grace_s=0.0)

    # -- promises

    @invariant()
    def no_animal_is_there_twice(self) -> None:
        twice = self.store_counts() - self.wanted
        assert not twice, twice

    @invariant()
    def a_pet_belongs_to_one_row(self) -> None:
        for office in (self.mine, self.his):
            own: Counter[int] = Counter()
            for result in self._results(office):
                for row in view_of(result).rows(State.CREATED, State.MATCHED):
                    if row.pet_id is not None and row.other_row is None:
                        own[row.pet_id] += 1
            assert not [pet for pet, count in own.items() if count > 1]

    def teardown(self) -> None:
        """Without faults, each file loaded and fixed leaves each animal in the store, or listed."""
        try:
            listed: set[str] = set()
            for rows in self.files:
                for _ in range(3):  # a row that the store refused is fixed once more
                    result = self._load(rows)
                    fix = self.mine.fix_file(result)
                    if len(fix) > 1:
                        self._load_fix(fix)
                result = self._load(rows)
                listed |= {row.cells[1] for row in view_of(result).rows(*LISTED)}
                # One or two with the key and the category of animals are these, renamed.
                listed |= self.reused & {*result.changed["name"]}
            self.no_animal_is_there_twice()
            there = self.store_counts()
            missing = {name for name in self.wanted if not there[name]} - listed - self.lost
            assert not missing, missing
        finally:
            self.client.close()
            self.store.close()
            self.place.cleanup()
            self.patch.undo()

    # -- how a user works

    def store_counts(self) -> Counter[str]:
        """How many pets of each name are in the store, when all that was sent has arrived."""
        for thread in threading.enumerate():
            if thread.name == "pet-loader":  # of a crash: a process would have taken it along
                thread.join(2)
        self.store.settle()
        return Counter(pet["name"] for pet in list(self.store.pets.values()))

    def _new_row(self) -> Row:
        number = len(self.animals) + 1
        row = Row(f"{number:03}", f"Pet {number}", str(number % 3 + 2))
        self.animals[row.name] = row
        self.wanted[row.name] = 1
        return row

    def _pick(self, pick: int) -> list[Row]:
        return self.files[pick % len(self.files)]

    def _results(self, office: Shop) -> list[pf.LoadResult]:
        """What each import of a journal is now, also one that crashed."""
        path = place_of(office.journal, self.client.base_url)
        if not path.exists():
            return []
        with reading(path) as sql:
            runs = read_imports(sql)
        return [pf.LoadResult(ImportView(path, run.id)) for run in runs]

    def _is_unconfirmed(self, name: str) -> bool:
        return any(
            row.cells[1] == name
            for office in (self.mine, self.his)
            for result in self._results(office)
            for row in view_of(result).rows(*UNCONFIRMED_STATES)
        )

    def _load_new(self, rows: list[Row], form: str = "csv", **options: Any) -> None:
        self.files.append(rows)
        self._load(rows, form, **options)

    def _saved(self, shop: Shop, rows: list[Row], form: str) -> Any:
        lines = [HEADER, *map(str, rows)]
        if form == "pandas":
            return frame_of(*lines)
        if form == "excel":
            return shop.write_excel("list.xlsx", *lines)
        return shop.write("list.csv", *lines)

    def _load(
        self, rows: list[Row], form: str = "csv", *, office: Shop | None = None, **options: Any
    ) -> Any:
        shop = office or self.mine
        return self._answered(shop, self._saved(shop, rows, form), **options)

    def _answered(
        self, shop: Shop, source: Any, *, faults: Faults = (), crash_at: int | None = None
    ) -> Any:
        """Load as a user does who knows which animals are in the store."""
        self.store.fault_of = dict(enumerate(faults, self.store.posts + 1)).get
        with suppress(Crash):
            result = self._run(shop, source, crash_at=crash_at)
            duplicates = [*view_of(result).rows(State.POSSIBLE_DUPLICATE)]
            if duplicates and not any(self._is_unconfirmed(row.cells[1]) for row in duplicates):
                counts = self.store_counts()
                new = [row.line for row in duplicates if not counts[row.cells[1]]]
                result = self._run(shop, source, duplicates="skip", as_new=new)
            if len(result.fix) and shop is self.mine:
                self.fix_files.append(shop.fix_file(result))
            return result
        return None

    def _run(
        self, shop: Shop, source: Any, *, crash_at: int | None = None, **options: Any
    ) -> pf.LoadResult:
        steps_left = [crash_at or 0]

        def step(name: str) -> None:
            steps_left[0] -= 1
            if steps_left[0] == 0:
                raise Crash

        arguments: dict[str, Any] = {**LIMITS, "journal": shop.journal, **options}
        try:
            recipe = Recipe(key=self.key)
            return run_import(source, self.client, recipe, timing=FAST, step=step, **arguments)
        except LoadStoppedError as stopped:
            return stopped.result

    def _load_fix(
        self,
        fix: list[list[str]],
        form: str = "csv",
        faults: Faults = (),
        category: str | None = None,
    ) -> None:
        """Load a fix file with each of its rows as it should be, or with a category."""
        header, *rows = fix
        fixed = [list(row) for row in rows]
        for row in fixed:
            animal = self.animals[row[header.index("name")].removeprefix("'")]
            row[header.index("categoryId")] = category or animal.category
        source = self.mine.write_rows(header, *fixed)
        if form == "excel":
            source = self.mine.write_excel("fixed.xlsx", *source.read_text("utf-8").splitlines())
        self._answered(self.mine, source, faults=faults)


class KeyedByTheStore(Stories):
    """The same against a store that honors idempotency keys."""

    honors_keys = True


class Keyless(Stories):
    """The same without a key."""

    key = ()


def _states(result: pf.LoadResult) -> Counter[str]:
    """Count the states as they are to be; what is created was pending."""
    return Counter(str(row.state).replace("pending", "created") for row in view_of(result).rows())


is_campaign = not settings().derandomize  # new draws, and with --times more of them
pytestmark = [pytest.mark.timeout(0)] if is_campaign else []  # hundreds of stories take longer
# A story takes half a second, so a campaign tells most of them.
STORIES = settings().max_examples if is_campaign else settings().max_examples // 3
for machine in (Stories, KeyedByTheStore, Keyless):
    machine.TestCase.settings = settings(
        max_examples=STORIES,
        stateful_step_count=10,
        suppress_health_check=list(HealthCheck),
    )
TestStories = Stories.TestCase
TestKeyedByTheStore = KeyedByTheStore.TestCase
TestKeyless = Keyless.TestCase
