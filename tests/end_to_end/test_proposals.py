"""Every next step that is proposed does what it says when it is added, or pasted, as printed."""

from __future__ import annotations

import json
import re
import shlex
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from end_to_end.shell import typed
from petstore_frame.errors import PetstoreError
from petstore_frame.loader.row_state import State
from petstore_frame.loader.source.recipe import read_set
from petstore_frame.questions import to_add
from shop import Shop
from unit.loader.staged import become, change

# A folder, a file and a column that need quotes in Python and in a shell.
FOLDER, FILE, NAME = "the 'kept' ones", 'our "pets" $HOME.csv', "Pet name"
GIVEN: dict[str, Any] = {"journal": FOLDER, "mapping": {"name": NAME}}
_ADD = re.compile(r"(?:^|; )\s*add (.+)$", re.MULTILINE)
_CALL = re.compile(r"^ +((?:pf\.|result\.|petstore-frame ).+)$", re.MULTILINE)


class Desk:
    """Where a caller types, in Python and in a shell."""

    def __init__(self, client: pf.Client) -> None:
        self.client, self.before = client, 0
        self.names = {"pf": pf, "client": client}

    @property
    def added(self) -> int:
        """How many pets the store has more than at first."""
        return len(pf.fetch_inventory(self.client)) - self.before

    def write(self, *lines: str, encoding: str = "utf-8") -> None:
        Path(FILE).write_text("\n".join([*lines, ""]), encoding)

    def has(self, *lines: str, **words: Any) -> None:
        """Load a file whose pets are in the store from now on."""
        self.write(*lines)
        self.load("python", [], words)
        self.before += self.added

    def paste(self, call: str) -> Any:
        """Run a whole call that was printed."""
        if call.startswith("petstore-frame "):
            return typed(call)
        value = eval(call, self.names)
        if isinstance(value, pf.LoadResult):
            self.names["result"] = value
        return value

    def load(self, way: str, added: Sequence[str], words: Mapping[str, Any]) -> str:
        """Load the file with what was added as it was printed; return what is printed then."""
        options = GIVEN | words
        if way == "shell":
            words_typed = [to_add(word, value, "shell") for word, value in options.items()]
            command = ["petstore-frame load", shlex.quote(FILE), *words_typed, *added]
            return str(typed(" ".join(command)).output)
        for text in added:
            for word, value in eval(f"dict({text})").items():
                before = options.get(word)
                is_table = isinstance(before, dict) and isinstance(value, dict)
                options[word] = before | value if is_table and before is not None else value
        try:
            value: Any = pf.load(FILE, self.client, progress=False, **options)
        except PetstoreError as problem:
            value = problem
        self.names["result"] = getattr(value, "result", value)
        return str(value)


@pytest.fixture(params=["python", "shell"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def desk(office: Shop) -> Desk:
    return Desk(office.client)


TAGS = f"tag,{NAME},categoryId"
WEEK = [TAGS, *(f"T{at},Animal {at},1" for at in range(6))]
NEXT_WEEK = [*WEEK, "T9,New,2"]
KEY: dict[str, Any] = {"key": "tag"}
NO_KEY: dict[str, Any] = {"key": ""}  # no column identifies an animal
KIND = {"mapping": {"name": NAME, "category_id": "Kind"}}
TWICE = [f"{tag},Twice {tag},1,{status}" for tag in range(1, 4) for status in ("available", "sold")]
CARE = [f"Val {at},1,{'in care' if at < 3 else ''}" for at in range(7)]
NAMELESS = [TAGS, *(f"{at},,1" for at in range(1, 4)), "9,Held,1"]
ANIMALS = [f"Animal ID,{NAME},categoryId", *(f"A{at % 9},Pet {at % 9},1" for at in range(18))]
PASTED_TWICE = [f"{NAME},categoryId", *["Ada,1", "Bo,2", "Cy,3"] * 2]


class Case(NamedTuple):
    """A file, the beginning of what is to be added, and how many pets there are then."""

    lines: list[str]
    sign: str
    added: int
    words: dict[str, Any] = {}  # noqa: RUF012 # nobody changes it
    filled: Sequence[str] = ()  # what a person writes in the place of each blank
    before: Sequence[str] = ()  # a file that was loaded before
    sent: int = 0  # how many the load sends unasked
    once: bool = False  # whether it is to be added once only


CASES = {
    "skip": Case(NEXT_WEEK, "duplicates skip", 1, NO_KEY, before=WEEK, sent=1),
    "create": Case(NEXT_WEEK, "duplicates create", 7, NO_KEY, before=WEEK, sent=1),
    "only some": Case(NEXT_WEEK, "duplicates skip as_new ?", 2, NO_KEY, ["3"], WEEK, sent=1),
    "skip with a key": Case(
        [TAGS, "7,Rex,1"], "duplicates skip", 0, KEY, before=[TAGS, "007,Rex,1"]
    ),
    "create with a key": Case(
        [TAGS, "7,Rex,1"], "duplicates create", 1, KEY, before=[TAGS, "007,Rex,1"]
    ),
    "the same file again": Case(WEEK, "as_new", 6, NO_KEY, before=WEEK, once=True),
    "a block pasted twice": Case(PASTED_TWICE, "exclude_lines", 3, {"dry_run": True}),
    "a likely key": Case(ANIMALS, "key", 9, {"dry_run": True}, ["Animal ID"]),
    "no likely key": Case(ANIMALS, "key", 18, {"dry_run": True}, [""]),
    "a default for all": Case(NAMELESS, "defaults Unnamed {tag}", 4, KEY),
    "a default without a key": Case(
        [f"{NAME},categoryId", *[",1"] * 3, "Bo,1"], "defaults", 4, filled=["Found"]
    ),
    "the rest": Case(NAMELESS, "max_errors", 1, KEY),
    "few totals": Case([f"{NAME},categoryId", *["Total 3,"] * 3], "exclude_lines", 0),
    "many names like totals": Case(
        [f"{NAME},categoryId", *["Total,3"] * 6], "allow", 6, filled=["total_row"]
    ),
    "which row counts": Case([f"{TAGS},status", *TWICE], "keep", 3, KEY, ["last"]),
    "each label": Case(
        [f"{NAME},Kind", "A,Dog", "B,Cat", "C,Dog", "D,Cat"], "categories", 4, KIND, ["1", "2"]
    ),
    "a word that few have": Case(
        [f"{NAME},categoryId,status", *CARE], "value_map", 7, filled=["available"], sent=4
    ),
    "columns": Case(["Tiername,Kategorie", "Run,1"], "mapping", 1, {"mapping": {}}),
    "the delimiter": Case(
        [f"{NAME}|categoryId", "Run|1"], "delimiter", 1, {"delimiter": ";"}, filled=["|"]
    ),
    "the encoding": Case(
        [f"{NAME},categoryId", "Zo\xeb,1"], "encoding", 1, filled=["cp1252"]
    ),
    "the header row": Case(["A list", "", f"{NAME},categoryId", "Titled,1"], "header_row", 1),
    "points between digits": Case(
        [f"{NAME},categoryId", *(f"P{at},1.001" for at in range(3))], "thousands", 3, filled=["."]
    ),
}  # fmt: skip


def adds_in(text: str) -> list[str]:
    """Return what is to be added, as it was printed."""
    return [found.strip() for found in _ADD.findall(text)]


def _is_of(text: str, sign: str) -> bool:
    words = sign.split(" ") if sign.startswith("duplicates") else sign.split(" ", 1)
    return all(word in text or word.replace("_", "-") in text for word in words)


@pytest.mark.parametrize("name", CASES)
def test_what_is_to_be_added_does_what_it_says(desk: Desk, way: str, name: str) -> None:
    """Until it is added nothing else is sent; added twice it sends nothing more."""
    case = CASES[name]
    if case.before:
        desk.has(*case.before, **case.words)
    desk.write(*case.lines, encoding="cp1252")
    adds = adds_in(desk.load(way, [], case.words))
    assert desk.added == case.sent
    text = next(option for option in adds if _is_of(option, case.sign))
    if case.filled:
        desk.load(way, [text], case.words)
        assert desk.added == case.sent  # a blank is no answer
    for answer in case.filled:
        assert "?" in text  # what is only likely is never filled in
        is_number = answer.isdigit() and way == "python"
        text = text.replace("'?'" if is_number else "?", answer, 1)
    assert "?" not in text
    words = {word: value for word, value in case.words.items() if word != "dry_run"}
    for _ in range(1 if case.once else 2):
        desk.load(way, [text], words)
        assert desk.added == case.added


def test_likely_is_not_settled(desk: Desk) -> None:
    """No long list of lines, no word that empties a cell and no row that counts is proposed."""
    newest = KEY | {"keep": "last", "order_by": "day"}
    tied = [f"7,Rex,{kind},2026-01-0{day}" for kind, day in ((1, 2), (2, 2), (3, 1))]
    for lines, words in (
        ([f"{TAGS},day", *tied], newest),
        ([f"{TAGS},status", *TWICE], KEY),
        ([f"{NAME},categoryId,status", *CARE], {}),
    ):
        desk.write(*lines)
        adds = adds_in(desk.load("python", [], words))
        assert not [option for option in adds if "exclude_lines" in option or "''" in option]
        assert not [option for option in adds if "first" in option or "last" in option]


def test_a_certain_key_is_asked_first(desk: Desk, way: str) -> None:
    """It is the only step while it is open, and nothing is sent without an answer."""
    desk.write(*ANIMALS, "A10,,1", "A11,,1", "A12,,1")
    adds = adds_in(desk.load(way, [], {"dry_run": True}))
    assert adds and all(_is_of(add, "key") for add in adds)
    assert "Animal ID" in desk.load(way, [], {})
    assert desk.added == 0


def test_pets_of_an_export_are_matched(desk: Desk) -> None:
    """A row with the id and name of a pet is that pet; with the id only, it waits for an answer."""
    desk.has(*WEEK)
    typed_rows = pd.DataFrame(pf.fetch_inventory(desk.client).frame.head(5).to_dict("list"))
    typed_rows.loc[4, "name"] = "Renamed"
    result = pf.load(typed_rows, desk.client, journal="empty")
    assert (result.counts["matched"], result.exit_code) == (4, 9)
    result = pf.load(typed_rows, desk.client, journal="empty", duplicates="skip")
    assert (result.counts["matched"], result.exit_code) == (5, 0)
    assert desk.added == 0


def test_a_compare_call_reads_the_file_in_the_same_way(desk: Desk) -> None:
    """It has the path as the user gave it, and each option that the load was given."""
    client, folder = desk.client, Path("lists of May")
    for animal in ("Ada", "Bo", "Cy"):
        client.create_pet(name=animal, category_id=2, status="available")
    folder.mkdir()
    path = folder / "b.csv"
    path.write_text("Tier;Art\nAda;Dog\nBo;Dog\nCy;Dog\n", "utf-8")
    options = {
        "mapping": {"name": "Tier", "category_id": "Art"},
        "defaults": {"status": "available"},
    }
    result = pf.load(str(path), client, value_map={"category_id": {"Dog": 2}}, **options)
    (call,) = [call for call in _CALL.findall(str(result)) if "compare" in call]
    assert repr(str(path)) in call
    assert desk.paste(call).frame["kind"].tolist() == ["same"] * 3


def test_a_fix_file_names_itself(desk: Desk) -> None:
    """Rows of a fix file that still need fixing are corrected in that file."""
    desk.write(f"{NAME},category_id", "Rex,1", ",2", ",3")
    result = pf.load(FILE, desk.client, **GIVEN)
    result.write("out of May")
    fix = Path("out of May/fix.csv")
    fix.write_text(fix.read_text("utf-8-sig").replace("\n,2", "\nBo,2"), "utf-8")
    again = pf.load(str(fix), desk.client, journal=FOLDER)
    assert f"correct it in {fix}, then load it again" in str(again)


def test_a_fix_file_needs_no_word(desk: Desk, way: str) -> None:
    """Written, corrected and loaded by what is printed, each row is created."""
    desk.write(f"{NAME},Kind,n", "Rex,Dog,1", "Bo,Cat,2", "Al,Dog,3", ",Dog,4")
    words = KIND | {"value_map": {"category_id": {"Dog": 1, "Cat": 2}}}
    text = desk.load(way, [], words)
    if way == "shell":
        desk.load(way, [option for option in adds_in(text) if "output" in option], words)
    else:
        desk.paste(next(option for option in _CALL.findall(text) if "write" in option))
    fix = Path("results/fix.csv")
    fix.write_text(fix.read_text("utf-8-sig").replace("\n,Dog", "\nNamed,Dog"), "utf-8")
    desk.paste(next(option for option in _CALL.findall(text) if "fix.csv" in option))
    assert desk.added == 4


def _load_with_doubt(desk: Desk) -> Any:
    """Load a file of which the row of line 3 is then unconfirmed."""
    desk.write(f"{NAME},categoryId", "Sure,1", "Doubt,1")
    desk.load("python", [], {"max_rows": 1})
    result = desk.names["result"]
    now = time.time()
    become(result, 2, State.UNCONFIRMED, first_sent_at=now, sent_at=now)
    return result


def test_unconfirmed_rows_are_settled_as_proposed(desk: Desk, way: str) -> None:
    """Reconcile as printed; then resolve, where a person replaces the placeholder first."""
    result = _load_with_doubt(desk)
    mine, _ = [desk.client.create_pet(name="Doubt", category_id=1).id for _ in range(2)]
    if way == "python":
        assert "result.reconcile(client)" in _CALL.findall(str(result))
        result.reconcile(desk.client, grace_s=0)
        call = next(call for call in _CALL.findall(str(result)) if "resolve" in call)
        assert call == 'result.resolve({3: "?"})'
        with pytest.raises(PetstoreError, match=r"line 3: '\?' is a placeholder"):
            desk.paste(call)
        desk.paste(call.replace('"?"', str(mine)))
    else:
        (flag,) = [add for add in adds_in(desk.load(way, [], {})) if "--reconcile" in add]
        text = desk.load(way, [flag, "--grace 0"], {})
        add = next(add for add in adds_in(text) if "--resolve" in add)
        desk.load(way, [add], {})
        assert result.counts["unconfirmed"] == 1  # a placeholder changes nothing
        desk.load(way, [add.replace("?", str(mine))], {})
    assert (result.counts["created"], result.exit_code, desk.added) == (2, 0, 3)


def test_nothing_is_resolved_that_nothing_proves(desk: Desk) -> None:
    """A store that shows one page proves no absence, so the printed call holds a placeholder."""
    result = _load_with_doubt(desk)
    assert result.exit_code == 3
    result.resolve({3: None})
    assert (result.counts["pending"], result.exit_code) == (1, 1)
    assert "None" not in "".join(_CALL.findall(str(result)))


def test_possible_duplicates_are_json_for_a_script(desk: Desk) -> None:
    """With --json, their number and the exit code 9 are on stdout."""
    desk.has(*WEEK, **NO_KEY)
    desk.write(*NEXT_WEEK)
    printed = json.loads(desk.load("shell", ["--json"], NO_KEY))
    assert (printed["exit_code"], printed["possible_duplicates"], desk.added) == (9, 6, 1)


def test_the_question_is_json_for_a_script(desk: Desk) -> None:
    """With --json, the open question and the option that answers it are on stdout."""
    desk.write(*ANIMALS)
    printed = desk.load("shell", ["--json"], {})
    (question,) = json.loads(printed[printed.index("{") :])["questions"]
    assert question["option"] == ["key"] and "Animal ID" in question["choices"]


def _as_new_of(text: str) -> str:
    (add,) = [add for add in adds_in(text) if _is_of(add, "as_new")]
    return add


def test_rows_that_were_skipped_are_created_as_proposed(desk: Desk, way: str) -> None:
    """A later load names the lines, and creates them once."""
    desk.has(*WEEK, **NO_KEY)
    desk.write(*NEXT_WEEK)
    desk.load("python", [], NO_KEY | {"duplicates": "skip"})
    add = _as_new_of(desk.load(way, [], NO_KEY))
    for _ in range(2):
        desk.load(way, [add], NO_KEY)
        assert desk.added == 7


def test_animals_that_are_gone_are_created_again_as_proposed(desk: Desk, way: str) -> None:
    """The line of an animal that the store no longer shows is named, and created once."""
    desk.has(*WEEK, **NO_KEY)
    lost = "UPDATE animals SET pet_id = 999999, shown_at = 1, settled_at = 1 WHERE row = 1"
    change(desk.names["result"], lost)
    add = _as_new_of(desk.load(way, [], NO_KEY))
    for _ in range(2):
        desk.load(way, [add], NO_KEY)
        assert desk.added == 1


def test_rows_that_were_not_found_are_created_as_proposed(desk: Desk, way: str) -> None:
    """A person names the lines, and each is created once."""
    result = _load_with_doubt(desk)
    become(result, 2, State.NOT_FOUND)
    add = _as_new_of(desk.load(way, [], {}))
    desk.load(way, [add], {})
    assert desk.added == 1  # a blank is no answer
    for _ in range(2):
        desk.load(way, [add.replace("'?'" if way == "python" else "?", "3")], {})
        assert desk.added == 2


def test_a_trial_is_continued_as_proposed(desk: Desk, way: str) -> None:
    """After max_rows, the printed call sends the rest, once."""
    desk.write(f"{NAME},categoryId", *(f"Trial {at},1" for at in range(5)))
    desk.load(way, [], {"max_rows": 2})
    assert desk.added == 2
    if way == "shell":
        text = typed(f"petstore-frame load --resume --journal {shlex.quote(FOLDER)}").output
    else:
        (result,) = pf.resume_loads(desk.client, journal=FOLDER)
        text = str(result)
    (call,) = _CALL.findall(text)
    for _ in range(2):
        desk.paste(call)
        assert desk.added == 5


_WORD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(_WORD, st.sampled_from(["?", "sold"]))
@settings(max_examples=60)
def test_any_word_survives_the_shell_and_a_recipe(word: str, meaning: str) -> None:
    """Whatever a column is called and a cell holds, it comes back from a flag and from TOML."""
    for name, table in {
        "value_map": {"status": {word: meaning}},
        "categories": {word: meaning},
        "mapping": {"name": word},
    }.items():
        flag, text = shlex.split(to_add(name, table, "shell"))
        assert flag == "--set" and read_set([text]) == {name: table}
        assert tomllib.loads(to_add(name, table, "recipe")) == {name: table}
