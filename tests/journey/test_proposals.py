"""Every next step that is proposed does what it says when it is pasted as it was printed."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import openpyxl
import pandas as pd
import pytest

import petstore_frame as pf
from journey.shell import typed
from petstore_frame.errors import DuplicatesError, LoadInterrupted, PetstoreError
from petstore_frame.loader.call import Call, Way
from threaded import Server
from unit.loader.staged import change

# A folder, a file and a column that need quotes in Python and in a shell.
FOLDER, FILE, NAME = "the 'kept' ones", 'our "pets" $HOME.csv', "Pet name"
GIVEN: dict[str, Any] = {"journal": FOLDER, "mapping": {"name": NAME}}


class Desk:
    """Where a caller types, in Python and in a shell."""

    def __init__(self, client: pf.Client) -> None:
        self.client, self.before = client, 0
        self.known = {"pf": pf, "client": client}

    @property
    def added(self) -> int:
        """How many pets the store has more than at first."""
        return len(pf.fetch_inventory(self.client)) - self.before

    def write(self, *lines: str, encoding: str = "utf-8") -> None:
        Path(FILE).write_text("\n".join([*lines, ""]), encoding)

    def has(self, *lines: str, **options: Any) -> None:
        """Load a file whose pets are in the store from now on."""
        self.write(*lines)
        self.tell("python", **options)
        self.before += self.added

    def paste(self, call: str) -> Any:
        """Run what was printed, in Python or in a shell."""
        if call.startswith("petstore-frame "):
            return typed(call)
        found = eval(call, self.known)
        if isinstance(found, pf.LoadResult):
            self.known["result"] = found
        return found

    def tell(self, way: str, name: str = FILE, **options: Any) -> str:
        """Load a file in Python or a shell; return what is printed, an error or a result."""
        given = GIVEN | options
        if way == "shell":
            return str(self.paste(str(Call.of("load", name, given, Way.SHELL))).output)
        load = pf.load
        try:
            found: Any = load(name, self.client, **given)
        except (PetstoreError, LoadInterrupted) as problem:
            found = problem
        self.known["result"] = getattr(found, "result", found)
        return str(found)

    def calls(self, way: str, sign: str = "", *, sent: int = 0, **options: Any) -> list[str]:
        """Return the calls with this sign that a load proposes, which sends so many pets."""
        calls = calls_in(self.tell(way, **options))
        assert self.added == sent
        return [call for call in calls if sign in call]


def calls_in(text: str) -> list[str]:
    pattern = r" +(pf\.|result\.|petstore-frame )"
    return [line.strip() for line in text.splitlines() if re.match(pattern, line)]


@pytest.fixture(params=["python", "shell"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def desk(server_here: Server) -> Iterator[Desk]:
    with server_here.client() as client:
        yield Desk(client)


TAGS = f"tag,{NAME},categoryId"
WEEK = [TAGS, *(f"T{at},Animal {at},1" for at in range(6))]
NEXT_WEEK = [*WEEK, "T9,New,2"]
PLAIN: dict[str, Any] = {}
KEY: dict[str, Any] = {"key": "tag"}
KIND = {"mapping": {"name": NAME, "category_id": "Kind"}}
TWICE = [f"{tag},Twice {tag},{kind}" for tag in range(3) for kind in (1, 2)]
IN_HOUSE = [f"{at},Told {at},1,im Haus" for at in range(3)]
TIED = [f"7,Rex,{kind},2026-01-0{day}" for kind, day in ((1, 2), (2, 2), (3, 1))]
NEWEST = KEY | {"keep": "newest: day"}
CARE = [f"Val {at},1,{'in care' if at < 3 else ''}" for at in range(7)]
NAMELESS = [TAGS, *(f"{at},,1" for at in range(3)), "9,Held,1"]


class Case(NamedTuple):
    """A file, a sign of the call that answers what a load asks of it, and what is added in all."""

    lines: list[str]
    sign: str
    added: int
    options: dict[str, Any] = PLAIN
    before: Sequence[str] = ()  # a file that was loaded before
    sent: int = 0  # how many the load sends unasked


CASES = {
    "skip": Case(NEXT_WEEK, "skip", 1, before=WEEK),
    "send": Case(NEXT_WEEK, "send", 7, before=WEEK),
    "the key": Case(NEXT_WEEK, "key", 1, before=WEEK),
    "keys whose zeros are gone": Case([TAGS, "7,Rex,1"], "skip", 0, KEY, [TAGS, "007,Rex,1"]),
    "a default for all": Case(NAMELESS, "Unnamed {tag}", 4, KEY),
    "the rest": Case(NAMELESS, "max", 1, KEY),
    "odd ids": Case([f"{NAME},categoryId", *["Zero,0"] * 3], "accept", 3),
    "a row of each key": Case([TAGS, *TWICE], "keep", 3, KEY),
    "rows that are equally new": Case([f"{TAGS},day", *TIED], "leave", 1, NEWEST),
    "each label": Case([f"{NAME},Kind", "A,Dog", "B,Cat", "C,Dog", "D,Cat"], "Dog", 4, KIND),
    "a value that few have": Case([f"{NAME},categoryId,status", *CARE], "care", 7, sent=4),
    "a recipe": Case(
        [f"tag,{NAME},categoryId,Zustand", *IN_HOUSE, "9,Told,1,sold"], "own", 4,
        {"recipe": "our 'own'.toml", "mapping": None},
    ),
    "columns": Case(["Tiername,Kategorie", "Run,1"], "Tiername", 1, {"mapping": None}),
    "the delimiter": Case([f"{NAME}|categoryId", "Run|1"], "|", 1, {"delimiter": ";"}),
    "the encoding": Case([f"{NAME},categoryId", "Zo\xeb,1"], "1252", 1, {"check_store": False}),
    "the header row": Case(
        ["A list", "", f"{NAME},categoryId", "Titled,1"], "3", 1, {"check_store": False}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_call_that_is_proposed_does_what_it_says(desk: Desk, way: str, name: str) -> None:
    """Until the call is made nothing else is sent, and made a second time it sends nothing."""
    pf.Recipe(mapping={"name": NAME, "status": "Zustand"}, key="tag").write("our 'own'.toml")
    case = CASES[name]
    if case.before:
        desk.has(*case.before, **case.options)
    desk.write(*case.lines, encoding="cp1252")
    call = desk.calls(way, case.sign, sent=case.sent, **case.options)[0]
    for label, number in (("Dog", 1), ("Cat", 2)):  # each has a place for its number
        call = call.replace(f"{label}=…", f"{label}={number}")
        call = call.replace(f"'{label}': '…'", f"'{label}': {number}")
    for _ in range(2):
        desk.paste(call)
        assert desk.added == case.added


def test_a_colleagues_load_is_adopted(desk: Desk, way: str) -> None:
    """The first answer takes the pets of the store for those of the file."""
    desk.has(*WEEK, journal="colleague")
    desk.paste(desk.calls(way)[0])
    desk.tell("python")
    assert (desk.added, desk.known["result"].counts["adopted"]) == (0, 6)


def test_own_pets_are_compared_first(desk: Desk) -> None:
    """A frame that was fetched is compared by the first proposal, and nothing is sent."""
    desk.has(*WEEK)
    frame = pf.fetch_inventory(desk.client).frame.head(5)
    with pytest.raises(DuplicatesError) as asked:
        pf.load(frame, desk.client, journal="empty")
    first, *_ = calls_in(str(asked.value))
    found = desk.paste(first.replace("frame,", "pf.fetch_inventory(client).frame.head(5),", 1))
    assert set(found.frame["kind"].iloc[:5]) <= {"same", "ambiguous"}
    assert desk.added == 0


def test_a_fix_file_is_loaded_as_proposed(desk: Desk, way: str) -> None:
    """Written, corrected and loaded by the calls that are named, each record is created."""
    desk.write(f"{NAME},Kind,n", "Rex,Dog,1", "Bo,Cat,2", "Al,Dog,3", ",Dog,4")
    labels = {"category_id": {"Dog": 1, "Cat": 2}}
    write, load = calls_in(desk.tell(way, **KIND, value_map=labels))[-2:]
    desk.paste(write)
    fix = Path("results/fix.csv")
    fix.write_text(fix.read_text("utf-8-sig").replace("\n,Dog", "\nNamed,Dog"), "utf-8")
    desk.paste(load)
    assert desk.added == 4


def test_a_missing_part_is_named_by_what_installs_it(desk: Desk, way: str, monkeypatch) -> None:
    """The command names an extra of the project, which brings the library that was missing."""
    openpyxl.Workbook().save("book.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert "python -m pip install 'petstore-frame[excel]'" in desk.tell(way, "book.xlsx")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    brought = project["project"]["optional-dependencies"]["excel"]
    assert any(each.startswith("openpyxl") for each in brought)


@pytest.mark.parametrize("names_the_file", [True, False])
def test_an_interrupted_load_goes_on_as_proposed(desk: Desk, way: str, names_the_file) -> None:
    """The call that goes on sends the rest into the same journal, with its file and without."""
    desk.write(f"{NAME},categoryId", *(f"Int {at},1" for at in range(30)))

    def stop(counts: dict[str, int]) -> None:
        if counts["created"] > 3:
            raise KeyboardInterrupt

    desk.tell("python", progress=stop, workers=1)
    result = desk.known["result"]
    call, printed = result.call, calls_in(str(result))[0]
    if way == "shell":
        call = replace(call, way=Way.SHELL, function="load")
        printed = str(call)
    desk.paste(printed if names_the_file else call.resume())
    assert desk.added == 30


def test_doubt_is_settled_as_proposed(desk: Desk, way: str) -> None:
    """Reconcile, then resolve, each as printed; nothing is sent a second time."""
    desk.write(f"{NAME},categoryId", "Doubt,1", "Sure,1")
    desk.tell("python")
    result = desk.known["result"]
    change(result, "UPDATE records SET state = 'unknown', pet_id = NULL WHERE record = 1")
    if way == "python":
        assert "result.reconcile(client)" in calls_in(str(result))
        result.reconcile(desk.client, grace_s=0)
        desk.paste(next(each for each in calls_in(str(result)) if "resolve" in each))
    else:
        (call,) = [each for each in calls_in(desk.tell(way)) if "--reconcile" in each]
        left = desk.paste(f"{call} --grace 0")
        desk.paste(next(each for each in calls_in(left.output) if "--resolve" in each))
    assert (result.counts["created"], desk.added) == (2, 2)


def test_the_load_that_a_comparison_proposes_keeps_its_options(desk: Desk, way: str) -> None:
    """What is only in the list is sent, with the journal and the columns of the comparison."""
    desk.has(*WEEK, key="tag")
    desk.write(*NEXT_WEEK)
    given = GIVEN | KEY
    if way == "python":
        text = str(pf.compare(FILE, pf.fetch_inventory(desk.client), **given))
    else:
        text = desk.paste(str(Call.of("compare", FILE, given, Way.SHELL))).output
    (call,) = calls_in(text)
    desk.paste(call)
    assert desk.added == 1


def test_the_question_is_json_for_a_script(desk: Desk) -> None:
    """With --json the facts and the calls are on stdout, and the exit code is 2."""
    desk.has(*WEEK)
    desk.write(*NEXT_WEEK)
    call = Call.of("load", FILE, GIVEN, Way.SHELL)
    done = desk.paste(f"{call} --json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["exit_code"]) == (2, 2)
    assert [case["name"] for case in told["cases"]] == ["equal"]
    assert told["cases"][0]["records"] == 6
    assert told["answers"][0]["options"] == {"duplicates": "skip"}


@pytest.mark.parametrize(
    "options",
    [
        {"key": ["site", "tag no"], "value_map": {"status": {"in 'care'": "available"}}},
        {"categories": {1: "Dog", 2: "Ein 'Hund'"}, "delimiter": "\t"},
        {"categories": pd.Series({1: "Dog", 2: "Cat"})},
        {"columns": ["name"], "header_row": 3, "send_lines": (3, 4), "accept": {"total_row"}},
        {"duplicates": {"similar_key": "skip", "reused_key": "send"}, "check_store": False},
    ],
)
def test_a_call_comes_back_from_json(options: dict[str, Any]) -> None:
    """A journal keeps the call as JSON, and shows the same call from it."""
    call = Call.of("load", Path("a b.csv"), options)
    again = Call.from_json(json.loads(json.dumps(asdict(call))))
    assert again == call
    assert str(again) == str(call)
