"""Every next step that is proposed does what it says when it is pasted as it was printed."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pandas as pd
import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.errors import DuplicatesError, LoadInterrupted, LoadStopped
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
            return self.shell(*shlex.split(call)[1:])
        self.known["result"] = eval(call, self.known)
        return self.known["result"]

    def shell(self, *words: str) -> Any:
        return CliRunner().invoke(app, list(words))

    def ask(self, way: str, name: str = FILE, **options: Any) -> list[str]:
        """Load a file that is asked about; return the calls that are proposed, by line."""
        options = {"journal": FOLDER, "mapping": {"name": NAME}, **options}
        if way == "python":
            with pytest.raises(DuplicatesError) as asked:
                pf.load_csv(name, self.client, **options)
            return calls_in(str(asked.value))
        call = Call.of("load", name, options, Way.SHELL)
        done = self.paste(str(call))
        assert done.exit_code == 2, done.output
        return calls_in(done.output)


def calls_in(text: str) -> list[str]:
    return [
        line.strip() for line in text.splitlines() if re.match(r" +(pf\.|petstore-frame )", line)
    ]


def steps_of(result: pf.LoadResult) -> list[str]:
    return [
        line.strip() for line in str(result).splitlines() if re.match(r"  (pf\.|result\.)", line)
    ]


@pytest.fixture
def desk(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PETSTORE_BASE_URL", server.base_url)
    monkeypatch.setenv("PETSTORE_API_KEY", server.api_key.get_secret_value())
    desk = Desk(tmp_path, server)
    yield desk
    desk.client.close()


WEEK = ["tag,Pet name,categoryId", *(f"T{at},Animal {at} of {{}},1" for at in range(6))]


def week(name: str) -> list[str]:
    return [line.format(name) for line in WEEK]


@pytest.mark.parametrize("way", ["python", "shell"])
@pytest.mark.parametrize(("answer", "added"), [("skip", 1), ("send", 7), ("key", 1)])
def test_each_answer_to_the_question_does_what_it_says(
    desk: Desk, way: str, answer: str, added: int
) -> None:
    """Skip sends what is new, send sends all, and with the key nothing is asked next week."""
    lines = week(f"{way} {answer}")
    desk.write(*lines)
    pf.load_csv(FILE, desk.client, journal=FOLDER, mapping={"name": NAME})
    desk.before = len(desk.pets)
    desk.write(*lines, f"T9,New {way} {answer},2")
    calls = desk.ask(way)
    sign = "key" if answer == "key" else f"duplicates='{answer}'"
    words = "--key" if answer == "key" else f"--duplicates {answer}"
    (call,) = [
        each
        for each in calls
        if (sign if way == "python" else words) in each and ("key" in each) is (answer == "key")
    ]
    desk.paste(call)
    assert desk.added == added
    if answer == "key":
        desk.write(*lines[:3], f"T11,Newest {way},2")
        desk.paste(call)
        assert desk.added == added + 1


@pytest.mark.parametrize("way", ["python", "shell"])
def test_the_answer_to_similar_keys_sends_nothing_twice(desk: Desk, way: str) -> None:
    """Keys whose zeros a spreadsheet took are the same animals, and nobody is asked again."""
    lines = [f"00{at},Zero {way} {at},1" for at in range(1, 6)]
    desk.write(f"tag,{NAME},categoryId", *lines)
    options = {"journal": FOLDER, "mapping": {"name": NAME}, "key": "tag"}
    pf.load_csv(FILE, desk.client, **options)
    desk.write(f"tag,{NAME},categoryId", *(line.lstrip("0") for line in lines))
    first, *_ = desk.ask(way, key="tag")
    desk.before = len(desk.pets)
    desk.paste(first)
    again = pf.load_csv(FILE, desk.client, **options)
    assert (desk.added, again.exit_code) == (0, 0)


@pytest.mark.parametrize("way", ["python", "shell"])
def test_a_colleagues_load_is_adopted(desk: Desk, way: str) -> None:
    """The first answer takes the pets of the store for those of the file."""
    desk.write(*week(f"colleague {way}"))
    pf.load_csv(FILE, desk.client, journal="colleague", mapping={"name": NAME})
    desk.before = len(desk.pets)
    first, *_ = desk.ask(way)
    desk.paste(first)
    result = pf.load_csv(FILE, desk.client, journal=FOLDER, mapping={"name": NAME})
    assert (desk.added, result.counts["adopted"]) == (0, 6)


def test_own_pets_are_compared_first(desk: Desk) -> None:
    """A frame that was fetched is compared by the first proposal, and nothing is sent."""
    desk.write(*week("own"))
    pf.load_csv(FILE, desk.client, journal=FOLDER, mapping={"name": NAME})
    desk.before = len(desk.pets)
    frame = pf.fetch_inventory(desk.client).frame.head(5)
    with pytest.raises(DuplicatesError) as asked:
        pf.load_frame(frame, desk.client, journal="empty")
    first, *_ = calls_in(str(asked.value))
    found = desk.paste(first.replace("frame,", "pf.fetch_inventory(client).frame.head(5),", 1))
    assert set(found.frame["kind"].iloc[:5]) <= {"same", "ambiguous"}
    assert desk.added == 0


@pytest.mark.parametrize("way", ["python", "shell"])
def test_a_fix_file_is_loaded_as_proposed(desk: Desk, way: str) -> None:
    """Written, corrected and loaded by the calls that are named, each record is created."""
    desk.write(f"{NAME},Kind,n", f"Rex {way},Dog,1", f"Bo {way},Cat,2", f"Al {way},Dog,3", ",Dog,4")
    options = {"journal": FOLDER, "mapping": {"name": NAME, "category_id": "Kind"}}
    values = {"category_id": {"Dog": 1, "Cat": 2}}
    if way == "python":
        result = pf.load_csv(FILE, desk.client, value_map=values, **options)
        desk.known["result"], calls = result, steps_of(result)
        desk.known["result"].write("results")
        load = calls[-1]
    else:
        done = desk.paste(str(Call.of("load", FILE, {**options, "value_map": values}, Way.SHELL)))
        write, load = calls_in(done.output)[-2:]
        desk.paste(write)
    fix = Path("results/fix.csv")
    text = fix.read_text("utf-8-sig").replace("\n,Dog", f"\nNamed {way},Dog")
    fix.write_text(text, encoding="utf-8")
    desk.paste(load)
    assert desk.added == 4


@pytest.mark.parametrize("way", ["python", "shell"])
def test_values_are_answered_once_for_all(desk: Desk, way: str) -> None:
    """A cause that an option answers has the call that answers it; it keeps the others."""
    rows = [f"Val {way} {at},1,in care" for at in range(3)]
    desk.write(f"{NAME},categoryId,status", *rows, *(f"Ok {way} {at},1," for at in range(4)))
    options = {"journal": FOLDER, "mapping": {"name": NAME}}
    if way == "python":
        (call, *_) = steps_of(pf.load_csv(FILE, desk.client, **options))
    else:
        done = desk.paste(str(Call.of("load", FILE, options, Way.SHELL)))
        (call, *_) = calls_in(done.output)
    desk.paste(call)
    assert desk.added == 7


def held(desk: Desk, way: str, **options: Any) -> list[str]:
    """Load a file of which one cause fails most records; return the calls that are proposed."""
    given = {"journal": FOLDER, "mapping": {"name": NAME}, **options}
    if way == "python":
        with pytest.raises(LoadStopped) as stopped:
            pf.load_csv(FILE, desk.client, **given)
        assert len(stopped.value.result.fix) > 2
        calls = calls_in(str(stopped.value))
    else:
        done = desk.paste(str(Call.of("load", FILE, given, Way.SHELL)))
        assert done.exit_code == 4, done.output
        calls = calls_in(done.output)
    assert desk.added == 0
    return calls


@pytest.mark.parametrize("way", ["python", "shell"])
@pytest.mark.parametrize("answer", ["default", "send"])
def test_nothing_is_sent_while_one_cause_fails_most(desk: Desk, way: str, answer: str) -> None:
    """The cause is a question: one call answers it for all, another sends the rest."""
    desk.write(f"tag,{NAME},categoryId", *(f"{at},,1" for at in range(3)), f"9,Held {way},1")
    calls = held(desk, way, key="tag")
    found = "max" if answer == "send" else "Unnamed {tag}"
    (call,) = [each for each in calls if found in each]
    desk.paste(call)
    assert desk.added == (1 if answer == "send" else 4)


@pytest.mark.parametrize("way", ["python", "shell"])
def test_what_is_suspicious_is_sent_once_it_is_accepted(desk: Desk, way: str) -> None:
    """Odd ids are sent by the call that accepts them."""
    desk.write(f"{NAME},categoryId", *(f"Zero {way} {at},0" for at in range(3)))
    desk.paste(next(each for each in held(desk, way) if "accept" in each))
    assert desk.added == 3


@pytest.mark.parametrize("way", ["python", "shell"])
def test_labels_are_named_by_the_call_that_is_proposed(desk: Desk, way: str) -> None:
    """Each label is in the call, with a place for its number."""
    desk.write(f"{NAME},Kind", f"A {way},Dog", f"B {way},Cat", f"C {way},Dog", f"D {way},Cat")
    calls = held(desk, way, mapping={"name": NAME, "category_id": "Kind"})
    desk.paste(calls[0].replace("Dog=…", "Dog=1").replace("'Dog': '…'", "'Dog': 1")
               .replace("Cat=…", "Cat=2").replace("'Cat': '…'", "'Cat': 2"))  # fmt: skip
    assert desk.added == 4


@pytest.mark.parametrize("way", ["python", "shell"])
def test_the_row_that_stands_is_named_by_the_call_that_is_proposed(desk: Desk, way: str) -> None:
    """Rows of one key that differ are answered at once."""
    lines = [f"{tag},Twice {way} {tag},{kind}" for tag in range(3) for kind in (1, 2)]
    desk.write(f"tag,{NAME},categoryId", *lines)
    desk.paste(next(each for each in held(desk, way, key="tag") if "keep" in each))
    assert desk.added == 3


@pytest.mark.parametrize("way", ["python", "shell"])
def test_rows_that_are_equally_new_are_left_by_the_call_that_is_proposed(
    desk: Desk, way: str
) -> None:
    """Two moments that are one are answered at once; the last row of each key stands."""
    days = ["2026-01-31", "2026-01-31", "2026-01-30"]
    lines = [f"{tag},Tied {way} {tag},{kind},{day}" for tag in range(3)
             for kind, day in enumerate(days, 1)]  # fmt: skip
    desk.write(f"tag,{NAME},categoryId,day", *lines)
    calls = held(desk, way, key="tag", keep="newest: day")
    desk.paste(next(each for each in calls if "leave" in each))
    assert desk.added == 3
    assert {pet["category_id"] for pet in desk.pets if "Tied" in pet["name"]} == {2}


@pytest.mark.parametrize("way", ["python", "shell"])
def test_a_missing_part_is_named_by_what_installs_it(
    desk: Desk, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command names an extra of the project, which brings the library that was missing."""
    openpyxl.Workbook().save("book.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    if way == "python":
        with pytest.raises(pf.errors.MissingExtraError) as refused:
            pf.load_excel("book.xlsx", desk.client)
        text = str(refused.value)
    else:
        text = desk.shell("load", "book.xlsx").output
    *command, package = shlex.split(text[text.index("python -m pip") :])
    extra = package.removeprefix("petstore-frame[").removesuffix("]")
    assert command == ["python", "-m", "pip", "install"]
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    brought = project["project"]["optional-dependencies"][extra]
    assert any(each.startswith("openpyxl") for each in brought)


@pytest.mark.parametrize("way", ["python", "shell"])
def test_a_recipe_is_kept_in_what_is_proposed(desk: Desk, way: str) -> None:
    """The call that answers names the recipe as it was named."""
    pf.Recipe(mapping={"name": NAME, "status": "Zustand"}, key="tag").write("our 'own'.toml")
    rows = [f"{at},Told {way} {at},1,im Haus" for at in range(3)]
    desk.write(f"tag,{NAME},categoryId,Zustand", *rows, f"9,Told {way},1,sold")
    calls = held(desk, way, recipe="our 'own'.toml", mapping=None)
    assert "our " in calls[0] and "own" in calls[0]
    desk.paste(calls[0])
    assert desk.added == 4


@pytest.mark.parametrize("way", ["python", "shell"])
@pytest.mark.parametrize(
    ("content", "given"),
    [
        ("Tiername,Kategorie\nRun {},1\n", {"mapping": None}),
        ("Pet name|categoryId\nRun {},1\n", {"delimiter": ";"}),
    ],
)
def test_columns_are_named_by_the_call_that_is_proposed(
    desk: Desk, way: str, content: str, given: dict[str, Any]
) -> None:
    """Delimiter and columns are proposed in a whole call, which reads the file."""
    Path(FILE).write_text(content.format(way).replace(",", "|" if "|" in content else ","))
    options = {"journal": FOLDER, "mapping": {"name": NAME}, **given}
    if way == "python":
        with pytest.raises(pf.errors.InputError) as refused:
            pf.load_csv(FILE, desk.client, **options)
        calls = calls_in(str(refused.value))
    else:
        calls = calls_in(desk.paste(str(Call.of("load", FILE, options, Way.SHELL))).output)
    desk.paste(calls[0])
    assert desk.added == 1


@pytest.mark.parametrize(
    ("content", "added"),
    [
        (f"{NAME},categoryId\nZo\xeb kept,1\n".encode("cp1252"), 1),
        (f"A list\n\n{NAME},categoryId\nTitled,1\n".encode(), 1),
    ],
)
@pytest.mark.parametrize("way", ["python", "shell"])
def test_a_file_that_cannot_be_read_has_the_call_that_reads_it(
    desk: Desk, way: str, content: bytes, added: int
) -> None:
    """Encoding, header row and delimiter are proposed in a whole call with all other options."""
    Path(FILE).write_bytes(content)
    options = {"journal": FOLDER, "mapping": {"name": NAME}, "check_store": False}
    if way == "python":
        with pytest.raises(pf.errors.InputError) as refused:
            pf.load_csv(FILE, desk.client, **options)
        calls = calls_in(str(refused.value))
    else:
        calls = calls_in(desk.paste(str(Call.of("load", FILE, options, Way.SHELL))).output)
    desk.paste(calls[0])
    assert desk.added == added


def test_the_sheet_of_a_workbook_is_named(desk: Desk) -> None:
    """Of several sheets one is proposed, in the call with all other options."""
    book = openpyxl.Workbook()
    for title in ("Our 'own'", "Others"):
        sheet = book.create_sheet(title)
        sheet.append([NAME, "categoryId"])
        sheet.append([f"Sheeted {title}", 1])
    book.remove(book.active)
    book.save("book.xlsx")
    with pytest.raises(pf.errors.InputError) as refused:
        pf.load_excel("book.xlsx", desk.client, journal=FOLDER, mapping={"name": NAME})
    desk.paste(calls_in(str(refused.value))[0])
    assert desk.added == 1


@pytest.mark.parametrize("way", ["python", "shell"])
def test_an_interrupted_load_goes_on_as_proposed(desk: Desk, way: str) -> None:
    """The call that goes on sends the rest, into the same journal."""
    desk.write(f"{NAME},categoryId", *(f"Int {way} {at},1" for at in range(30)))

    def stop(counts: dict[str, int]) -> None:
        if counts["created"] > 3:
            raise KeyboardInterrupt

    given = {"journal": FOLDER, "mapping": {"name": NAME}}
    with pytest.raises(LoadInterrupted) as stopped:
        pf.load_csv(FILE, desk.client, progress=stop, workers=1, **given)
    result = stopped.value.result
    call = steps_of(result)[0] if way == "python" else str(Call.of("load", FILE, given, Way.SHELL))
    desk.paste(call)
    assert desk.added == 30


@pytest.mark.parametrize("way", list(Way)[:2])
def test_resume_names_the_journal(desk: Desk, way: Way) -> None:
    """What finishes an import without its file finds it in the journal that it is in."""
    desk.write(f"{NAME},categoryId", *(f"Res {way} {at},1" for at in range(30)))

    def stop(counts: dict[str, int]) -> None:
        if counts["created"] > 3:
            raise KeyboardInterrupt

    given = {"journal": FOLDER, "mapping": {"name": NAME}}
    with pytest.raises(LoadInterrupted):
        pf.load_csv(FILE, desk.client, progress=stop, workers=1, **given)
    function = "load" if way is Way.SHELL else "load_csv"
    desk.paste(Call.of(function, FILE, given, way).resume())
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


@pytest.mark.parametrize("way", ["python", "shell"])
def test_doubt_is_settled_as_proposed(desk: Desk, way: str) -> None:
    """Reconcile, then resolve, each as printed; nothing is sent a second time."""
    desk.write(f"{NAME},categoryId", f"Doubt {way},1", f"Sure {way},1")
    given = {"journal": FOLDER, "mapping": {"name": NAME}}
    key = desk.server.api_key
    with pf.Client(desk.server.base_url, key, transport=Lossy(f"Doubt {way}")) as lossy:
        result = pf.load_csv(FILE, lossy, **given)
    assert result.counts["unknown"] == 1
    desk.known["result"] = result
    if way == "python":
        (call,) = [each for each in steps_of(result) if "reconcile" in each]
        desk.known["result"].reconcile(desk.client, grace_s=0)
        assert call == "result.reconcile(client)"
        first = next(each for each in steps_of(result) if "resolve" in each)
        eval(first, {"result": result})
    else:
        done = desk.paste(str(Call.of("load", FILE, given, Way.SHELL)))
        (call,) = [each for each in calls_in(done.output) if "--reconcile" in each]
        left = desk.paste(f"{call} --grace 0")
        first = next(each for each in calls_in(left.output) if "--resolve" in each)
        desk.paste(first)
    assert result.counts["created"] == 2
    assert desk.added == 2


@pytest.mark.parametrize("way", ["python", "shell"])
def test_the_load_that_a_comparison_proposes_keeps_its_options(desk: Desk, way: str) -> None:
    """What is only in the list is sent, with the journal and the columns of the comparison."""
    lines = week(f"compare {way}")
    desk.write(*lines)
    given = {"journal": FOLDER, "mapping": {"name": NAME}, "key": "tag"}
    pf.load_csv(FILE, desk.client, **given)
    desk.before = len(desk.pets)
    desk.write(*lines, f"T9,Only listed {way},2")
    if way == "python":
        inventory = pf.fetch_inventory(desk.client)
        (call,) = calls_in(str(pf.compare(FILE, inventory, **given)))
    else:
        done = desk.paste(str(Call.of("compare", FILE, given, Way.SHELL)))
        (call,) = calls_in(done.output)
    desk.paste(call)
    assert desk.added == 1


def test_the_question_is_json_for_a_script(desk: Desk) -> None:
    """With --json the facts and the calls are on stdout, and the exit code is 2."""
    lines = week("json")
    desk.write(*lines)
    pf.load_csv(FILE, desk.client, journal=FOLDER, mapping={"name": NAME})
    desk.write(*lines, "T9,More json,2")
    call = Call.of("load", FILE, {"journal": FOLDER, "mapping": {"name": NAME}}, Way.SHELL)
    done = desk.shell(*shlex.split(str(call))[1:], "--json")
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
