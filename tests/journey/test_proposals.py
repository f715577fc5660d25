"""Every next step that is proposed does what it says when it is pasted as it was printed."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pandas as pd
import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.errors import DuplicatesError, LoadInterrupted, PetstoreError
from petstore_frame.loader.call import Call, Way
from threaded import Server

# A folder, a file and a column that need quotes in Python and in a shell.
FOLDER, FILE, NAME = "the 'kept' ones", 'our "pets" $HOME.csv', "Pet name"


class Desk:
    """Where a caller types: a folder with files, Python and a shell."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder, self.server, self.client = folder, server, server.client()
        self.known = {"pf": pf, "client": self.client}
        self.before = len(self.pets)

    @property
    def pets(self) -> list[dict[str, Any]]:
        return pf.fetch_inventory(self.client).frame.to_dict("records")

    @property
    def added(self) -> int:
        """How many pets the store has more than at first."""
        return len(self.pets) - self.before

    def write(self, *lines: str, name: str = FILE) -> str:
        (self.folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
        return name

    def paste(self, call: str) -> Any:
        """Run what was printed, in Python or in a shell."""
        if call.startswith("petstore-frame "):
            return CliRunner().invoke(app, shlex.split(call)[1:])
        self.known["result"] = eval(call, self.known)
        return self.known["result"]

    def tell(self, way: str, name: str = FILE, **options: Any) -> str:
        """Load a file in Python or a shell; return what is printed, an error or a result."""
        given = {"journal": FOLDER, "mapping": {"name": NAME}} | options
        if way == "shell":
            return str(self.paste(str(Call.of("load", name, given, Way.SHELL))).output)
        load = pf.load_excel if name.endswith(".xlsx") else pf.load_csv
        try:
            found: Any = load(name, self.client, **given)
        except (PetstoreError, LoadInterrupted) as problem:
            found = problem
        self.known["result"] = getattr(found, "result", found)
        return str(found)

    def calls(self, way: str, sign: str = "", **options: Any) -> list[str]:
        """Return the calls that a load proposes, those with this sign; it sends nothing."""
        calls = calls_in(self.tell(way, **options))
        assert self.added == 0
        return [call for call in calls if sign in call]


def calls_in(text: str) -> list[str]:
    pattern = r" +(pf\.|result\.|petstore-frame )"
    return [line.strip() for line in text.splitlines() if re.match(pattern, line)]


@pytest.fixture(params=["python", "shell"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def desk(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PETSTORE_BASE_URL", server.base_url)
    monkeypatch.setenv("PETSTORE_API_KEY", server.api_key.get_secret_value())
    desk = Desk(tmp_path, server)
    yield desk
    desk.client.close()


def week(name: str) -> list[str]:
    return [f"tag,{NAME},categoryId", *(f"T{at},Animal {at} of {name},1" for at in range(6))]


@pytest.mark.parametrize(("answer", "added"), [("skip", 1), ("send", 7), ("key", 1)])
def test_each_answer_to_the_question_does_what_it_says(
    desk: Desk, way: str, answer: str, added: int
) -> None:
    """Skip sends what is new, send sends all, and with the key nothing is asked next week."""
    lines = week(f"{way} {answer}")
    desk.write(*lines)
    desk.tell("python")
    desk.before = len(desk.pets)
    desk.write(*lines, f"T9,New {way} {answer},2")
    sign = "key" if answer == "key" else answer
    (call,) = [each for each in desk.calls(way, sign) if ("key" in each) is (answer == "key")]
    desk.paste(call)
    assert desk.added == added
    if answer == "key":
        desk.write(*lines[:3], f"T11,Newest {way},2")
        desk.paste(call)
        assert desk.added == added + 1


def test_the_answer_to_similar_keys_sends_nothing_twice(desk: Desk, way: str) -> None:
    """Keys whose zeros a spreadsheet took are the same animals, and nobody is asked again."""
    lines = [f"00{at},Zero {way} {at},1" for at in range(1, 6)]
    desk.write(f"tag,{NAME},categoryId", *lines)
    desk.tell("python", key="tag")
    desk.before = len(desk.pets)
    desk.write(f"tag,{NAME},categoryId", *(line.lstrip("0") for line in lines))
    desk.paste(desk.calls(way, key="tag")[0])
    desk.tell("python", key="tag")
    assert (desk.added, desk.known["result"].exit_code) == (0, 0)


def test_a_colleagues_load_is_adopted(desk: Desk, way: str) -> None:
    """The first answer takes the pets of the store for those of the file."""
    desk.write(*week(f"colleague {way}"))
    desk.tell("python", journal="colleague")
    desk.before = len(desk.pets)
    desk.paste(desk.calls(way)[0])
    desk.tell("python")
    assert (desk.added, desk.known["result"].counts["adopted"]) == (0, 6)


def test_own_pets_are_compared_first(desk: Desk) -> None:
    """A frame that was fetched is compared by the first proposal, and nothing is sent."""
    desk.write(*week("own"))
    desk.tell("python")
    desk.before = len(desk.pets)
    frame = pf.fetch_inventory(desk.client).frame.head(5)
    with pytest.raises(DuplicatesError) as asked:
        pf.load_frame(frame, desk.client, journal="empty")
    first, *_ = calls_in(str(asked.value))
    found = desk.paste(first.replace("frame,", "pf.fetch_inventory(client).frame.head(5),", 1))
    assert set(found.frame["kind"].iloc[:5]) <= {"same", "ambiguous"}
    assert desk.added == 0


def test_a_fix_file_is_loaded_as_proposed(desk: Desk, way: str) -> None:
    """Written, corrected and loaded by the calls that are named, each record is created."""
    desk.write(f"{NAME},Kind,n", f"Rex {way},Dog,1", f"Bo {way},Cat,2", f"Al {way},Dog,3", ",Dog,4")
    text = desk.tell(
        way,
        mapping={"name": NAME, "category_id": "Kind"},
        value_map={"category_id": {"Dog": 1, "Cat": 2}},
    )
    write, load = calls_in(text)[-2:]
    if way == "python":
        eval(write, desk.known)
    else:
        desk.paste(write)
    fix = Path("results/fix.csv")
    text = fix.read_text("utf-8-sig").replace("\n,Dog", f"\nNamed {way},Dog")
    fix.write_text(text, encoding="utf-8")
    desk.paste(load)
    assert desk.added == 4


def test_values_are_answered_once_for_all(desk: Desk, way: str) -> None:
    """A cause that an option answers has the call that answers it; it keeps the others."""
    rows = [f"Val {way} {at},1,in care" for at in range(3)]
    desk.write(f"{NAME},categoryId,status", *rows, *(f"Ok {way} {at},1," for at in range(4)))
    desk.paste(calls_in(desk.tell(way))[0])
    assert desk.added == 7


@pytest.mark.parametrize(("sign", "added"), [("Unnamed {tag}", 4), ("max", 1)])
def test_nothing_is_sent_while_one_cause_fails_most(
    desk: Desk, way: str, sign: str, added: int
) -> None:
    """The cause is a question: one call answers it for all, another sends the rest."""
    desk.write(f"tag,{NAME},categoryId", *(f"{at},,1" for at in range(3)), f"9,Held {way},1")
    (call,) = desk.calls(way, sign, key="tag")
    if way == "python":  # where it is raised, with its rows
        held = desk.known["result"]
        assert (len(held.fix), held.exit_code) == (3, 4)
    desk.paste(call)
    assert desk.added == added


KEYED = [f"{tag},Twice {{}} {tag},{kind}" for tag in range(3) for kind in (1, 2)]
HELD = {
    "odd ids are accepted": ([f"{NAME},categoryId", *["Zero {},0"] * 3], "accept", {}, 3),
    "a row of each key stands": ([f"tag,{NAME},categoryId", *KEYED], "keep", {"key": "tag"}, 3),
    "each label is there, with a place for its number": (
        [f"{NAME},Kind", "A {},Dog", "B {},Cat", "C {},Dog", "D {},Cat"],
        "Dog",
        {"mapping": {"name": NAME, "category_id": "Kind"}},
        4,
    ),
}


@pytest.mark.parametrize(("lines", "sign", "options", "added"), HELD.values(), ids=HELD)
def test_a_common_cause_is_answered_by_the_call_that_is_proposed(
    desk: Desk, way: str, lines: list[str], sign: str, options: dict[str, Any], added: int
) -> None:
    """One call answers it for all records, with all other options."""
    desk.write(*(line.format(way) for line in lines))
    call = desk.calls(way, sign, **options)[0]
    for label, number in (("Dog", 1), ("Cat", 2)):
        call = call.replace(f"{label}=…", f"{label}={number}")
        call = call.replace(f"'{label}': '…'", f"'{label}': {number}")
    desk.paste(call)
    assert desk.added == added


def test_a_missing_part_is_named_by_what_installs_it(
    desk: Desk, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command names an extra of the project, which brings the library that was missing."""
    openpyxl.Workbook().save("book.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    text = desk.tell(way, "book.xlsx")
    *command, package = shlex.split(text[text.index("python -m pip") :].splitlines()[0])
    extra = package.removeprefix("petstore-frame[").removesuffix("]")
    assert command == ["python", "-m", "pip", "install"]
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    brought = project["project"]["optional-dependencies"][extra]
    assert any(each.startswith("openpyxl") for each in brought)


def test_rows_that_are_equally_new_are_left_by_the_call_that_is_proposed(
    desk: Desk, way: str
) -> None:
    """Two moments that are one are answered at once; the last row of each key stands."""
    days = ["2026-01-31", "2026-01-31", "2026-01-30"]
    lines = [f"{tag},Tied {way} {tag},{kind},{day}" for tag in range(3)
             for kind, day in enumerate(days, 1)]  # fmt: skip
    desk.write(f"tag,{NAME},categoryId,day", *lines)
    desk.paste(desk.calls(way, "leave", key="tag", keep="newest: day")[0])
    assert desk.added == 3
    assert {pet["category_id"] for pet in desk.pets if "Tied" in pet["name"]} == {2}


def test_a_recipe_is_kept_in_what_is_proposed(desk: Desk, way: str) -> None:
    """The call that answers names the recipe as it was named."""
    pf.Recipe(mapping={"name": NAME, "status": "Zustand"}, key="tag").write("our 'own'.toml")
    rows = [f"{at},Told {way} {at},1,im Haus" for at in range(3)]
    desk.write(f"tag,{NAME},categoryId,Zustand", *rows, f"9,Told {way},1,sold")
    call = desk.calls(way, recipe="our 'own'.toml", mapping=None)[0]
    assert "our " in call and "own" in call
    desk.paste(call)
    assert desk.added == 4


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"Tiername,Kategorie\nRun,1\n", {"mapping": None}),
        (b"Pet name|categoryId\nRun,1\n".replace(b"n,", b"n|"), {"delimiter": ";"}),
        (f"{NAME},categoryId\nZo\xeb kept,1\n".encode("cp1252"), {"check_store": False}),
        (f"A list\n\n{NAME},categoryId\nTitled,1\n".encode(), {"check_store": False}),
    ],
    ids=["columns", "delimiter", "encoding", "header row"],
)
def test_a_file_that_cannot_be_read_has_the_call_that_reads_it(
    desk: Desk, way: str, content: bytes, options: dict[str, Any]
) -> None:
    """It is a whole call, with all other options."""
    Path(FILE).write_bytes(content.replace(b"Run", f"Run {way}".encode()))
    desk.paste(desk.calls(way, **options)[0])
    assert desk.added == 1


def test_the_sheet_of_a_workbook_is_named(desk: Desk) -> None:
    """Of several sheets one is proposed, in the call with all other options."""
    book = openpyxl.Workbook()
    for title in ("Our 'own'", "Others"):
        sheet = book.create_sheet(title)
        sheet.append([NAME, "categoryId"])
        sheet.append([f"Sheeted {title}", 1])
    book.remove(book.active)
    book.save("book.xlsx")
    desk.paste(desk.calls("python", name="book.xlsx")[0])
    assert desk.added == 1


@pytest.mark.parametrize("names_the_file", [True, False])
def test_an_interrupted_load_goes_on_as_proposed(
    desk: Desk, way: str, names_the_file: bool
) -> None:
    """The call that goes on sends the rest into the same journal, with its file and without."""
    desk.write(f"{NAME},categoryId", *(f"Int {way} {names_the_file} {at},1" for at in range(30)))

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


class Lossy(httpx.BaseTransport):
    """Sends one request, and loses its answer."""

    def __init__(self, lost: str) -> None:
        self._inner, self._lost = httpx.HTTPTransport(), lost

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._inner.handle_request(request)
        if request.method == "POST" and self._lost in request.read().decode():
            answer.read()
            raise httpx.ReadTimeout("the answer was lost", request=request)
        return answer

    def close(self) -> None:
        self._inner.close()


def test_doubt_is_settled_as_proposed(desk: Desk, way: str) -> None:
    """Reconcile, then resolve, each as printed; nothing is sent a second time."""
    desk.write(f"{NAME},categoryId", f"Doubt {way},1", f"Sure {way},1")
    given = {"journal": FOLDER, "mapping": {"name": NAME}}
    key = desk.server.api_key
    with pf.Client(desk.server.base_url, key, transport=Lossy(f"Doubt {way}")) as lossy:
        result = pf.load_csv(FILE, lossy, **given)
    assert result.counts["unknown"] == 1
    if way == "python":
        (call,) = [each for each in calls_in(str(result)) if "reconcile" in each]
        assert call == "result.reconcile(client)"
        result.reconcile(desk.client, grace_s=0)
        first = next(each for each in calls_in(str(result)) if "resolve" in each)
        eval(first, {"result": result})
    else:
        (call,) = [each for each in calls_in(desk.tell(way)) if "--reconcile" in each]
        left = desk.paste(f"{call} --grace 0")
        desk.paste(next(each for each in calls_in(left.output) if "--resolve" in each))
    assert (result.counts["created"], desk.added) == (2, 2)


def test_the_load_that_a_comparison_proposes_keeps_its_options(desk: Desk, way: str) -> None:
    """What is only in the list is sent, with the journal and the columns of the comparison."""
    lines = week(f"compare {way}")
    desk.write(*lines)
    desk.tell("python", key="tag")
    desk.before = len(desk.pets)
    desk.write(*lines, f"T9,Only listed {way},2")
    given = {"journal": FOLDER, "mapping": {"name": NAME}, "key": "tag"}
    if way == "python":
        text = str(pf.compare(FILE, pf.fetch_inventory(desk.client), **given))
    else:
        text = desk.paste(str(Call.of("compare", FILE, given, Way.SHELL))).output
    (call,) = calls_in(text)
    desk.paste(call)
    assert desk.added == 1


def test_the_question_is_json_for_a_script(desk: Desk) -> None:
    """With --json the facts and the calls are on stdout, and the exit code is 2."""
    lines = week("json")
    desk.write(*lines)
    desk.tell("python")
    desk.write(*lines, "T9,More json,2")
    call = Call.of("load", FILE, {"journal": FOLDER, "mapping": {"name": NAME}}, Way.SHELL)
    done = desk.paste(f"{call} --json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["exit_code"]) == (2, 2)
    assert [case["name"] for case in told["cases"]] == ["equal"]
    assert told["cases"][0]["records"] == 6
    assert told["answers"][0]["options"] == {"duplicates": "skip"}


@pytest.mark.parametrize(
    "options",
    [
        {"key": ["site", "tag no"]},
        {"value_map": {"status": {"in 'care'": "available"}}, "accept": {"total_row"}},
        {"categories": {1: "Dog", 2: "Ein 'Hund'"}, "delimiter": "\t"},
        {"columns": ["name", "category_id"], "header_row": 3, "send_lines": (3, 4)},
        {"duplicates": {"similar_key": "skip", "reused_key": "send"}, "check_store": False},
    ],
)
def test_a_call_comes_back_from_json(options: dict[str, Any]) -> None:
    """A journal keeps the call as JSON, and shows the same call from it."""
    call = Call.of("load_csv", Path("a b.csv"), options)
    again = Call.from_json(json.loads(json.dumps(call.to_json())))
    assert again == call
    assert str(again) == str(call)


def test_a_series_of_labels_is_shown_as_a_dict() -> None:
    """Whatever gives the categories, what is printed can be run."""
    call = Call.of("load_csv", "a.csv", {"categories": pd.Series({1: "Dog", 2: "Cat"})})
    assert str(call) == "pf.load_csv('a.csv', client, categories={1: 'Dog', 2: 'Cat'})"
