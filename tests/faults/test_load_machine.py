"""Whole stories of files, spreadsheets, colleagues and crashes, drawn at random, keep the promises.

The model is a dict of the user's animals by their names. No animal is in the store twice, none is
lost unless the user said so, and what a result lists is what the store holds.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import petstore_frame as pf
from faults.flaky_store import CUT_201, DOUBTFUL, HARMLESS, KEY, FlakyStore
from petstore_frame.errors import DuplicatesError, InputError, LoadStoppedError
from petstore_frame.loader import view_of
from petstore_frame.loader.journal import store_check
from petstore_frame.loader.journal.database import place_of, reading
from petstore_frame.loader.journal.rows import RENAMED, read_imports
from petstore_frame.loader.loading import run_import
from petstore_frame.loader.results.import_view import ImportView
from petstore_frame.loader.row_state import FIX_STATES, UNCONFIRMED_STATES, State
from petstore_frame.loader.sending.pool import SessionClocks, wait_for
from petstore_frame.loader.source import Recipe
from petstore_frame.transport import IdempotencyKey
from shop import Shop, frame_of

HEADER = "tag,name,categoryId,seen"
PAGE = 5  # pets
SPELLINGS = ("{}\u200b", "\ufeff{}", "{}*", "AUS-{}", "{}/26")
SPOILT = "9" * 20  # no category id that can be sent
# Sessions wait on a clock that is ten times as fast as ours.
LIMITS = {"workers": 4, "first_patience_s": 10.0, "patience_s": 10.0, "progress": False}
FAST = SessionClocks(
    clock=lambda: 10 * time.monotonic(),
    wait=lambda inbox, wait_s: wait_for(inbox, None if wait_s is None else wait_s / 10),
)
FAULTS = [None, *(f for f in (*DOUBTFUL, *CUT_201, *HARMLESS, "400", "401") if "stall" not in f)]

Faults = list[str | None]
forms = st.sampled_from(["csv", "excel", "pandas"])
some_faults = st.lists(st.sampled_from(FAULTS), max_size=8)
crashes = st.none() | st.integers(1, 12)
offices = st.sampled_from(["mine", "mine", "his"])
picks = st.integers(0, 99)


class Crash(BaseException):
    """The end of a process, without any farewell."""


@dataclass
class Row:
    """A row of a file; the true tag and category are those of its animal."""

    tag: str
    name: str
    category: str

    def __str__(self) -> str:
        return f"{self.tag},{self.name},{self.category},2026-05-01"


@dataclass
class Animal:
    """An animal of the user's, by its name; twins are one of these."""

    tag: str
    category: str
    wanted: int = 1


@dataclass
class Office:
    """What the model knows of an office and its journal."""

    shop: Shop
    seen: set[int] = field(default_factory=set)  # the pets at its last reading, or more
    backup: set[int] | None = None  # those of the journal that was copied

    @property
    def results(self) -> list[pf.LoadResult]:
        """What each import of the journal is now, also one that crashed."""
        path = place_of(self.shop.journal, self.shop.client.base_url)
        if not path.exists():
            return []
        with reading(path) as sql:
            runs = read_imports(sql)
        return [pf.LoadResult(ImportView(path, run.id)) for run in runs]


class Stories(RuleBasedStateMachine):
    """Two offices, one store that may or may not honor idempotency keys, files with a key."""

    honors_keys = False
    key: tuple[str, ...] = ("tag",)

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(store_check, "LAG_S", 0.0)  # this store shows at once what it has
        self.place = tempfile.TemporaryDirectory()
        self.store = FlakyStore(
            honors_keys=self.honors_keys, has_links=True, page_cap=PAGE, late_s=0.01
        )
        keys = IdempotencyKey(3600) if self.honors_keys else None
        self.client = pf.Client(
            self.store.base_url, KEY, timeout=5.0, retry_timeout=0, idempotency=keys
        )
        self.offices = {
            name: Office(Shop(Path(self.place.name, name), self.client, self.store))
            for name in ("mine", "his")
        }
        self.mine = self.offices["mine"]
        self.animals: dict[str, Animal] = {}
        self.files: dict[str, list[Row]] = {}
        self.forms: dict[str, set[str]] = {}  # as what each file was loaded: other paths
        self.loaded: set[str] = set()
        self.fix_files: list[list[list[str]]] = []
        self.shown: dict[str, str] = {}  # the category that I loaded last, by name
        self.lost: set[int] = set()  # the pets that went with a later state of the store
        self.listed_as_gone: set[str] = set()  # animals whose pets may be lost, as a result said
        self.prefixed: set[str] = set()  # animals with two keys
        self.last: pf.LoadResult

    @rule(
        spoilt=st.lists(st.booleans(), min_size=1, max_size=6),
        form=forms, faults=some_faults, crash_at=crashes,
    )  # fmt: skip
    def a_new_file(
        self, spoilt: list[bool], form: str, faults: Faults, crash_at: int | None
    ) -> None:
        # More of one cause refuse the whole file.
        spoilt[2:] = [False] * len(spoilt[2:])
        rows = [self._new_row(category=SPOILT if is_spoilt else None) for is_spoilt in spoilt]
        self._load_new(rows, form, faults=faults, crash_at=crash_at)

    @rule(pick=picks, form=forms, faults=some_faults, crash_at=crashes, office=offices)
    @precondition(lambda self: self.files)
    def the_same_file_again(
        self, pick: int, form: str, faults: Faults, crash_at: int | None, office: str
    ) -> None:
        self._load(self._pick(pick), form, office, faults=faults, crash_at=crash_at)

    @rule(pick=picks, other=picks, form=forms, how=st.sampled_from(["sorted", "part", "both"]))
    @precondition(lambda self: self.files)
    def the_rows_in_another_file(self, pick: int, other: int, form: str, how: str) -> None:
        rows = self.files[self._pick(pick)]
        if how == "sorted":
            rows = rows[::-1]
        elif how == "part":
            rows = rows[: len(rows) // 2 + 1]
        else:
            names = {row.name for row in rows}
            rows = rows + [r for r in self.files[self._pick(other)] if r.name not in names]
        if not self._has_repeated_key(rows) and [r.category for r in rows].count(SPOILT) < 3:
            self._load_new(rows, form)

    @rule(pick=picks, at=picks, category=st.sampled_from("23"), faults=some_faults)
    @precondition(lambda self: self.files)
    def a_cell_is_corrected(self, pick: int, at: int, category: str, faults: Faults) -> None:
        name = self._pick(pick)
        rows = self.files[name]
        row = rows[at % len(rows)]
        # Without a key, another category is another animal, and another file may still have it; so
        # it is under another key that a journal which was lost does not know.
        has_its_key = row.tag == self.animals[row.name].tag
        if (self.key and has_its_key) or not (
            self._may_be_sent(row.name) or self._is_elsewhere(row, name)
        ):
            self.animals[row.name].category = category
            changed = Row(row.tag, row.name, category)
            self.files[name] = [changed if r is row else r for r in rows]
            self._load(name, faults=faults)

    @rule(pick=picks, form=st.sampled_from(["csv", "excel"]), faults=some_faults)
    def a_fix_file(self, pick: int, form: str, faults: Faults) -> None:
        # No precondition: what a crash leaves behind is not the same in each run of a story.
        if self.fix_files:
            header, *rows = self.fix_files[pick % len(self.fix_files)]
            self._load_fix(header, rows, form, faults)

    @rule(pick=picks, faults=st.lists(st.sampled_from([None, "400", "401"]), max_size=4))
    @precondition(lambda self: self.loaded)
    def a_copy_on_purpose(self, pick: int, faults: Faults) -> None:
        name = sorted(self.loaded)[pick % len(self.loaded)]
        fix_files = list(self.fix_files)
        for row in self.files[name]:
            self.animals[row.name].wanted += bool(self.animals[row.name].wanted)
        self._load(name, faults=faults, as_new=True, answer="create")
        while (result := self.last).counts[State.PENDING]:
            self._load(name, as_new=True, answer="create")
        # What cannot be sent is no copy, and nobody fixes it.
        for record in view_of(result).rows(*FIX_STATES):
            animal = self.animals[record.cells[1]]
            animal.wanted -= bool(animal.wanted)
        self.fix_files = fix_files

    @rule(pick=picks, form=forms)
    @precondition(lambda self: self.files)
    def a_rehearsal(self, pick: int, form: str) -> None:
        name = self._pick(pick)
        before = self.store.posts
        source, answers = self._saved(self.mine.shop, name, form), self._said_by_name()
        result = self._run(self.mine, source, duplicates=answers, dry_run=True)
        question = view_of(result).question
        rehearsed = _cases(question) if question else _sorted_states(result)
        assert self.store.posts == before
        done = self._load(name, form)
        if self.honors_keys and isinstance(done, Counter) and isinstance(rehearsed, Counter):
            # What is unconfirmed is repeated under its key.
            for states in (rehearsed, done):
                states["created"] += states.pop("unconfirmed", 0)
        assert rehearsed == done, f"rehearsed {rehearsed}, done {done}"

    @rule(form=st.sampled_from(["csv", "excel"]))
    @precondition(lambda self: self.key)
    def a_key_that_is_an_error(self, form: str) -> None:
        self._load_new([self._new_row(cell="#N/A"), self._new_row()], form)

    @rule(is_spoilt=st.booleans())
    @precondition(lambda self: self.key)
    def two_animals_with_one_key(self, is_spoilt: bool) -> None:
        first = self._new_row(category=SPOILT if is_spoilt else "4")
        second = self._new_row(category="5", tag=first.tag)
        for row in (first, second):
            self.animals[row.name].wanted = 0
        self._load_new([first, second])

    @rule(pick=picks)
    @precondition(lambda self: self.key and self.loaded)
    def keys_are_used_again(self, pick: int) -> None:
        name = sorted(self.loaded)[pick % len(self.loaded)]
        old = self.files[name]
        if all(self.store_counts()[row.name] for row in old):
            tags = [self.animals[row.name].tag for row in old]
            # In the category of the one before it, another name of a key is a new name.
            category = str(7 + len(self.files))
            rows = [self._new_row(category=category, tag=tag) for tag in dict.fromkeys(tags)]
            self._load_new(rows)

    @rule()
    @precondition(lambda self: self.key)
    def keys_with_a_prefix(self) -> None:
        rows = [self._new_row() for _ in range(20)]
        self._load_new(rows)
        if all(self.store_counts()[row.name] for row in rows):
            self.prefixed |= {row.name for row in rows}
            prefixed = [Row(f"SH-{row.tag}", row.name, row.category) for row in rows]
            assert self._load_new(prefixed) is not None

    @rule(pick=picks, spelling=st.sampled_from(SPELLINGS))
    @precondition(lambda self: self.key and self.loaded)
    def keys_that_look_the_same(self, pick: int, spelling: str) -> None:
        rows = self.files[sorted(self.loaded)[pick % len(self.loaded)]]
        names = [row.name for row in rows]
        if self._has_repeated_key(rows) or not all(self.store_counts()[name] for name in names):
            return
        if any(row.tag != self.animals[row.name].tag for row in rows) or self.prefixed & {*names}:
            return
        self.prefixed |= {*names}
        values = [(self.animals[name].tag, name, self.animals[name].category) for name in names]
        self._load_new([Row(spelling.format(tag), *value) for tag, *value in values])

    @rule(
        count=st.integers(1, 4), first=st.sampled_from(["skip", "create"]), sent=st.integers(0, 3)
    )
    def an_answer_is_reversed_twice(self, count: int, first: str, sent: int) -> None:
        """Rows that were not sent follow the last answer; created ones stay, and are listed."""
        rows = [self._new_row() for _ in range(count)]
        self._load_new(rows)
        names, before = [row.name for row in rows], self.store_counts()
        if any(before[name] != 1 or self._is_in_doubt(name) for name in names):
            return
        case = "similar_key" if self.key else "same_content"
        file = f"{len(self.files)}.csv"
        self.files[file] = [Row(f"{row.tag}*", row.name, row.category) for row in rows]
        if self._asked_about(file) != (case,):
            del self.files[file]
            return
        self.prefixed |= {*names}
        faults = [*[None] * sent, "401"] if first == "create" else []
        self._load(file, answer=first, faults=faults)
        for answer in ("create", "skip") if first == "skip" else ("skip", "create"):
            earlier = self.store_counts()
            self._load(file, named={case: answer})
            now = self.store_counts()
            if answer == "create":
                assert all(now[name] == before[name] + 1 for name in names), "not created once"
                continue
            assert now == earlier, "skip sends nothing"
            created = [line for line, name in enumerate(names, 2) if earlier[name] > before[name]]
            assert view_of(self.last).facts.run.facts.get("stays_created", []) == created
        for name in names:
            self.animals[name].wanted += 1

    def _asked_about(self, name: str) -> tuple[str, ...]:
        """Return the cases that a load of a file would ask about."""
        self.store.fault_of = lambda number: None
        source = self.mine.shop.write(name, HEADER, *map(str, self.files[name]))
        question = view_of(self._run(self.mine, source, dry_run=True)).question
        return _cases(question) if question else ()

    @rule(pick=picks, faults=some_faults)
    @precondition(lambda self: self.files)
    def a_small_weekly_file(self, pick: int, faults: Faults) -> None:
        rows = self.files[self._pick(pick)][:2]
        if not self._has_repeated_key(rows):
            self._load_new([*rows, self._new_row()], faults=faults)

    @rule(pick=picks)
    @precondition(lambda self: self.key and self.fix_files)
    def a_row_of_a_fix_file_is_dragged(self, pick: int) -> None:
        header, row, *_ = self.fix_files[pick % len(self.fix_files)]
        new = self._new_row()
        at = {name: header.index(name) for name in ("tag", "name", "categoryId", "_pf_row")}
        dragged = list(row)
        origin, _, number = row[at["_pf_row"]].rpartition("-")
        dragged[at["_pf_row"]] = f"{origin}-{int(number) + 1}"
        dragged[at["tag"]], dragged[at["name"]] = new.tag, new.name
        dragged[at["categoryId"]] = new.category
        source = self.mine.shop.write_rows(header, dragged)
        with suppress(InputError):  # there is no such row
            self._answered(self.mine, source, [new])
        self._load_new([new])

    @rule()
    def a_fetched_frame_with_edited_names(self) -> None:
        for result in self.mine.results:  # what is unconfirmed may be any of the pets
            result.reconcile(self.client, grace_s=0.0)
        frame = pf.fetch_inventory(self.client).frame
        if len(frame) < 3 or any(map(self._is_in_doubt, self.animals)):
            return
        self.store.fault_of = lambda number: None
        pets = set(self.store.pets)
        frame["name"] = frame["name"] + " (vet)"
        options = {"journal": self.mine.shop.journal, "progress": False}
        with suppress(LoadStoppedError, DuplicatesError):  # some may be gone
            pf.load(frame, self.client, duplicates="skip", **options)
        assert set(self.store.pets) == pets, "an edited frame was sent"

    @rule(pick=picks)
    @precondition(lambda self: not self.key and self.loaded)
    def a_twin(self, pick: int) -> None:
        old = self.files[sorted(self.loaded)[pick % len(self.loaded)]][0]
        self.animals[old.name].wanted += 1
        twin = Row(f"T{len(self.files)}", old.name, self.animals[old.name].category)
        self._load_new([twin], answer="create")

    @rule()
    def a_backup(self) -> None:
        if self.mine.shop.journal.exists():
            self.mine.shop.copy_journal()
            self.mine.backup = set(self.mine.seen)

    @rule()
    def the_backup_is_restored(self) -> None:
        if self.mine.backup is None:
            return
        self.mine.shop.restore_journal()
        self.mine.seen = set(self.mine.backup)
        self.fix_files.clear()
        self.shown.clear()  # an older journal has the values of its own day

    @rule()
    def the_journal_is_lost(self) -> None:
        self.mine.shop.lose_journal()
        self.mine.seen = set()
        self.fix_files.clear()

    @rule(share=st.sampled_from([0, 50, 80]), ids_again=st.booleans())
    @precondition(lambda self: self.loaded)
    def the_store_is_restored(self, share: int, ids_again: bool) -> None:
        self.store_counts()
        lost = self.store.restore(len(self.store.pets) * share // 100, ids_again=ids_again)
        self.lost |= lost
        for office in self.offices.values():
            office.seen -= lost
            if office.backup is not None:
                office.backup -= lost

    @rule()
    def resume(self) -> None:
        self.store.fault_of = lambda number: None
        pets = set(self.store.pets)
        # Under its key what is unconfirmed is sent as it was; what differs by now is a change.
        repeated = {name for name in self.animals if self.honors_keys and self._is_in_doubt(name)}
        with suppress(DuplicatesError):
            pf.resume_loads(self.client, journal=self.mine.shop.journal, progress=False)
        for pet in (self.store.pets[pet_id] for pet_id in set(self.store.pets) - pets):
            shown = {SPOILT, self.shown.get(pet["name"], SPOILT)}
            is_old = str(pet["categoryId"]) not in shown and shown != {SPOILT}
            assert pet["name"] in repeated or not is_old, f"{pet} is sent with an old value"
        self._allow_what_nobody_could_see(self.mine, pets)

    @rule()
    def read_back(self) -> None:
        for result in self.mine.results:
            result.reconcile(self.client, grace_s=0.0)

    @invariant()
    def no_animal_is_there_twice(self) -> None:
        wanted = Counter({name: animal.wanted for name, animal in self.animals.items()})
        twice = self.store_counts() - wanted
        assert not twice, twice

    @invariant()
    def what_is_listed_is_what_the_store_holds(self) -> None:
        for office in self.offices.values():
            rows = [row for result in office.results for row in view_of(result).rows()]
            ids = [row.pet_id for row in rows if row.pet_id is not None]
            assert len(ids) == len(set(ids)), "one pet for two records"
            assert set(ids) <= {*self.store.pets, *self.lost}, "a pet that is not there"

    def teardown(self) -> None:
        """Without faults, each file loaded and fixed leaves each animal in the store, or listed."""
        try:
            for name in self.files:
                self._load(name)
                for _ in range(3):  # a row that the store refused is fixed once more
                    header, *rows = self.mine.shop.fix_file(self.last)
                    if rows:
                        self._load_fix(header, rows)
                self._load(name)
            self.resume()
            self.no_animal_is_there_twice()
            self.what_is_listed_is_what_the_store_holds()
            wanted = [name for name, animal in self.animals.items() if animal.wanted]
            lost = {name for name in wanted if not self._may_be_sent(name)} - self.listed_as_gone
            assert not lost, lost
        finally:
            self.client.close()
            self.store.close()
            self.place.cleanup()
            self.patch.undo()

    def store_counts(self) -> Counter[str]:
        """How many pets of each name are in the store, when all that was sent has arrived."""
        for thread in threading.enumerate():
            if thread.name == "pet-loader":  # of a crash: a process would have taken it along
                thread.join(2)
        self.store.settle()
        return Counter(pet["name"] for pet in list(self.store.pets.values()))

    def _new_row(
        self, *, cell: str | None = None, category: str | None = None, tag: str | None = None
    ) -> Row:
        number = len(self.animals) + 1
        animal = Animal(tag or f"{number:03}", "2" if category in (None, SPOILT) else category)
        self.animals[f"Pet {number}"] = animal
        return Row(cell or animal.tag, f"Pet {number}", category or animal.category)

    def _pick(self, pick: int) -> str:
        return list(self.files)[pick % len(self.files)]

    def _has_repeated_key(self, rows: list[Row]) -> bool:
        return any(self.animals[row.name].wanted == 0 for row in rows)

    def _is_in_doubt(self, name: str) -> bool:
        """Whether a result lists a record of that name, or its animal's, as unconfirmed."""
        return any(
            name in (row.payload or b"").decode()
            for office in self.offices.values()
            for result in office.results
            for row in view_of(result).rows()
            if set(UNCONFIRMED_STATES) & {row.state, row.other_row and row.other_row.state}
        )

    def _is_elsewhere(self, row: Row, file: str) -> bool:
        others = [rows for name, rows in self.files.items() if name != file]
        return self.forms[file] != {"csv"} or any(row in rows for rows in others)

    def _may_be_sent(self, name: str) -> bool:
        return bool(self.store_counts()[name]) or self._is_in_doubt(name)

    def _load_new(self, rows: list[Row], form: str = "csv", **options: Any) -> Any:
        name = f"{len(self.files)}.csv"
        self.files[name] = rows
        return self._load(name, form, **options)

    def _saved(self, shop: Shop, name: str, form: str) -> Any:
        self.forms.setdefault(name, set()).add(form)
        lines = [HEADER, *map(str, self.files[name])]
        if form == "pandas":
            return frame_of(*lines)
        if form == "excel":
            return shop.write_excel(f"{name}.xlsx", *lines)
        return shop.write(name, *lines)

    def _load(self, name: str, form: str = "csv", office: str = "mine", **options: Any) -> Any:
        """Load a file; return what its first call said: its question, or its states."""
        loads = self.offices[office]
        source = self._saved(loads.shop, name, form)
        self.loaded.add(name)
        return self._answered(loads, source, self.files[name], **options)

    def _answered(
        self,
        office: Office,
        source: Any,
        rows: list[Row],
        *,
        answer: str | None = None,
        named: dict[str, str] | None = None,
        faults: Sequence[str | None] = (),
        **options: Any,
    ) -> Any:
        """Load as a user does who answers truly; the store may only get what the rows say."""
        self.store.fault_of = dict(enumerate(faults, self.store.posts + 1)).get
        before, pets = self.store_counts(), set(self.store.pets)
        said: Any = None
        if office is self.mine:
            self.shown |= {row.name: SPOILT for row in rows}
        with suppress(Crash):
            answers = self._said_by_name() | (named or {})
            while True:
                try:
                    result = self._run(office, source, duplicates=answers, **options)
                except DuplicatesError as asked:
                    assert self.store_counts() == before
                    cases = _cases(asked.question)
                    assert not answers.keys() & {*cases}, "asked twice"
                    said = said or cases
                    answers |= {
                        case: answer or self._true_answer(case, rows, before) for case in cases
                    }
                else:
                    said = said or _sorted_states(result)
                    break
            self.last, facts = result, view_of(result).facts
            may_be_gone = _names_that_may_be_gone(result)
            self.listed_as_gone |= may_be_gone
            if facts.count(*FIX_STATES) and office is self.mine:
                self.fix_files.append(office.shop.fix_file(result))
            if facts.exit_code == 0:
                there = self.store_counts()
                assert all(there[row.name] or row.name in may_be_gone for row in rows), "not there"
            if office is self.mine:
                self.shown |= {row.name: row.category for row in rows}
        values = {(row.name, row.category) for row in rows}
        sent = [pet for pet_id, pet in self.store.pets.items() if pet_id not in pets]
        assert {(pet["name"], str(pet["categoryId"])) for pet in sent} <= values
        is_asked = isinstance(said, tuple) and {"in_store"} & {*said}
        self._allow_what_nobody_could_see(office, pets, is_asked=bool(is_asked))
        return said

    def _said_by_name(self) -> dict[str, str]:
        """What is said unasked: no listing of one page is surely whole."""
        is_one_page = self.store_counts().total() <= PAGE
        return {"gone": "create"} if self.lost and is_one_page else {}

    def _true_answer(self, case: str, rows: list[Row], before: Counter[str]) -> str:
        if case == "reused_key":
            return "skip" if all(before[row.name] for row in rows) else "create"
        if case == "similar_key":
            is_reused = any(self._has_others_key(row) and not before[row.name] for row in rows)
            return "create" if is_reused else "skip"
        return "create" if case == "gone" else "skip"

    def _has_others_key(self, row: Row) -> bool:
        """Whether another animal had the key of this one before it."""
        tag = self.animals[row.name].tag
        return next(n for n, animal in self.animals.items() if animal.tag == tag) != row.name

    def _run(
        self, office: Office, source: Any, *, crash_at: int | None = None, **options: Any
    ) -> pf.LoadResult:
        left = [crash_at or 0]

        def step(name: str) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise Crash

        given: dict[str, Any] = {**LIMITS, "journal": office.shop.journal, **options}
        try:
            recipe = Recipe(key=self.key)
            return run_import(source, self.client, recipe, timing=FAST, step=step, **given)
        except LoadStoppedError as stopped:
            return stopped.result

    def _load_fix(
        self,
        header: list[str],
        rows: list[list[str]],
        form: str = "csv",
        faults: Sequence[str | None] = (),
    ) -> None:
        """Load a fix file with each of its rows as it should be."""
        at = {name: header.index(name) for name in ("tag", "name", "categoryId")}
        fixed, expected = [list(row) for row in rows], []
        for row in fixed:
            name = row[at["name"]].removeprefix("'")
            animal = self.animals[name]
            row[at["tag"]], row[at["categoryId"]] = animal.tag, animal.category
            expected.append(Row(animal.tag, name, animal.category))
        source = self.mine.shop.write_rows(header, *fixed)
        if form == "excel":
            lines = source.read_text("utf-8").splitlines()
            source = self.mine.shop.write_excel("fixed.xlsx", *lines)
        if not self._has_repeated_key(expected):
            self._answered(self.mine, source, expected, faults=faults)

    def _allow_what_nobody_could_see(
        self, office: Office, before: set[int], *, is_asked: bool = False
    ) -> None:
        """A pet of somebody else's may be there twice, if it was seen before, or is listed.

        A pet of other values is like none.
        """
        there, pets = self.store_counts(), self.store.pets
        results = office.results
        values = {pet_id: (pet["name"], pet["categoryId"]) for pet_id, pet in pets.items()}
        rows = (row for result in results for row in view_of(result).rows())
        # An id that was given again is another pet's.
        made = {row.pet_id for row in rows if values.get(row.pet_id, [""])[0] == row.cells[1]}
        others = {values[pet_id][0] for pet_id in before - made}
        unseen = {values[pet_id] for pet_id in before - made - office.seen}
        twice = {values[pet_id] for pet_id in set(values) - before if values[pet_id][0] in others}
        listed = {name for result in results if twice for name in _names_listed(result)}
        for name, category in twice:
            if name in listed or (name, category) not in unseen:
                self.animals[name].wanted = max(self.animals[name].wanted, there[name])
        if not is_asked:
            office.seen = set(pets)


class KeyedByTheStore(Stories):
    """The same against a store that honors idempotency keys."""

    honors_keys = True


class Keyless(Stories):
    """The same without a key."""

    key = ()


def _names_listed(result: pf.LoadResult) -> set[str]:
    """Return the names of the rows that a result warns of: they equal pets of others."""
    lines = view_of(result).facts.run.facts.get("store_few", [])
    return {row.cells[1] for row in view_of(result).rows() if row.line in lines}


def _names_that_may_be_gone(result: pf.LoadResult) -> set[str]:
    """Return the names of the animals that a result lists as gone or renamed, or without an id."""
    facts = view_of(result).facts.run.facts
    lines = {*facts.get("gone_few", ()), *(entry["line"] for entry in facts.get(RENAMED, ()))}
    names = set[str]()
    for row in view_of(result).rows():
        animal = row.other_row or row
        if row.line in lines or (animal.state is State.CREATED and animal.pet_id is None):
            names.add(row.cells[1])
    return names


def _cases(question: Any) -> tuple[str, ...]:
    return tuple(sorted(case.name for case in question.cases))


def _sorted_states(result: pf.LoadResult) -> Counter[str]:
    """Count the states as they are to be; what is created was pending."""
    return Counter(str(row.state).replace("pending", "created") for row in view_of(result).rows())


is_campaign = not settings().derandomize  # new draws, and with --times more of them
pytestmark = [pytest.mark.timeout(0)] if is_campaign else []  # hundreds of stories take longer
for machine in (Stories, KeyedByTheStore, Keyless):
    machine.TestCase.settings = settings(
        max_examples=settings().max_examples * 2 // 3,
        stateful_step_count=10,
        suppress_health_check=list(HealthCheck),
    )
TestStories = Stories.TestCase
TestKeyedByTheStore = KeyedByTheStore.TestCase
TestKeyless = Keyless.TestCase
