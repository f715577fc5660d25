"""How a kind of file is read, said once: the value, its file, and what it makes of rows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.errors import ArgumentError, DuplicatesError, InputError
from petstore_frame.loader.causes import Causes
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe, as_recipe
from petstore_frame.loader.record import Record, State
from petstore_frame.stocktake.compare import read_list
from unit import opened

ROOT = Path(__file__).parents[2]
PLACES = [folder / "shared" / "data" / "raw_austin.csv" for folder in ROOT.parents]
AUSTIN = next((path for path in PLACES if path.exists()), PLACES[0])

word = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
column = word.filter(str.strip)
texts = st.lists(word, min_size=1, max_size=3, unique=True)
RECIPES = st.fixed_dictionaries(
    {},
    optional={
        "mapping": st.fixed_dictionaries({"name": column.map("n{}".format)}, optional={
            "status": st.none() | column.map("s{}".format)}),
        "value_map": st.dictionaries(st.sampled_from(["name", "key"]),
                                     st.dictionaries(word, st.just(""), min_size=1), min_size=1)
        | st.dictionaries(st.just("status"), st.dictionaries(
            word, st.sampled_from(["sold", "pending", ""]), min_size=1), min_size=1),
        "otherwise": st.just({"status": ""}) | st.just({"category_id": 7}),
        "defaults": st.fixed_dictionaries({"name": column.map("Unnamed {{{}".format)}),
        "categories": st.dictionaries(st.integers(-9, 99), word, min_size=1)
        | st.dictionaries(word.map("l{}".format), st.integers(0, 3), min_size=1),
        "key": st.lists(column, min_size=1, max_size=3, unique=True),
        "keep": st.sampled_from(["first", "last"]) | column.map("newest: x{}".format),
        "leave_out": st.dictionaries(word, texts, min_size=1, max_size=3),
        "only": st.dictionaries(word, texts, min_size=1, max_size=3),
        "count": column,
        "encoding": st.sampled_from(["cp1252", "utf-16"]),
        "delimiter": st.sampled_from([";", "\t", "|"]),
        "quoting": st.sampled_from(["strict", "none"]),
        "sheet": word,
        "header_row": st.integers(1, 99),
        "columns": st.lists(column, min_size=1, max_size=4, unique=True),
        "thousands": st.sampled_from([",", "."]),
        "keep_spaces": st.booleans(),
        "accept": st.lists(st.sampled_from(["total_row", "hidden_row"]), unique=True),
        "duplicates": st.sampled_from(["refuse", "skip", "send"]),
    },
)  # fmt: skip


def records_of(tmp_path: Path, text: str, **words: Any) -> list[Record]:
    return opened.records_of(opened.written(tmp_path, text), **words)


def sent(records: list[Record]) -> list[Any]:
    return [
        [*json.loads(each.payload).values()] if each.payload else str(each.state)
        for each in records
    ]


def refusal(tmp_path: Path, text: str) -> InputError:
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        Recipe.read(tmp_path / "r.toml")
    return refused.value


@given(RECIPES)
def test_a_recipe_comes_back_from_its_file_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, words: dict[str, Any]
) -> None:
    """Whatever it says is read again as the same value, from TOML and from JSON."""
    try:
        recipe = Recipe(**words)
    except ArgumentError:
        return  # two columns of one name, for example
    path = recipe.write(tmp_path_factory.getbasetemp() / "r.toml")
    assert Recipe.read(path) == recipe
    assert Recipe(**json.loads(json.dumps(recipe.to_dict()))) == recipe


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('key = "a"\nkep = "last"\n', 2, "did you mean keep"),
        ("\n[value_mapp.status]\nx = 'sold'\n", 2, "did you mean value_map"),
        ('key = "a"\nheader_row = \n', 2, "not TOML"),
        ('key = "a"\n\nkeep = "lst"\n', 3, "keep= is 'first', 'last'"),
        ('api_key = "secret"\n', 1, "stays with each call"),
        ("[categories]\nDog = 1\nCat = '?'\n", 3, "still to be filled in"),
    ],
)
def test_a_wrong_word_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    """File, line and the nearest right word."""
    problem = refusal(tmp_path, text)
    assert problem.line == line and str(problem.path).endswith("r.toml")
    assert words in str(problem)


def test_a_path_in_a_recipe_is_relative_to_it(tmp_path: Path) -> None:
    """Recipe and categories move together."""
    (tmp_path / "kept").mkdir()
    file = tmp_path / "categories.csv"
    file.write_text("category_id,label\n1,Dog\n", encoding="utf-8")
    path = Recipe(categories=str(file)).write(tmp_path / "kept" / "r.toml")
    assert 'categories = "../categories.csv"' in path.read_text(encoding="utf-8")
    assert Recipe.read(path).rules().listed == {1}


def test_an_option_beside_a_recipe_wins(tmp_path: Path) -> None:
    """Tables are merged word by word, so that following a proposal drops nothing."""
    path = Recipe(key="a", value_map={"status": {"x": "sold", "y": ""}}).write(tmp_path / "r.toml")
    found = as_recipe(path, {"key": "b", "value_map": {"status": {"y": "pending"}}, "keep": None})
    assert found == Recipe(key="b", value_map={"status": {"x": "sold", "y": "pending"}})


def test_an_empty_cell_takes_its_default_with_a_note(tmp_path: Path) -> None:
    """A word that means nothing, too; where the column that it names is empty, there is none."""
    text = "tag,name,category\n7,,3\n8,Unknown,3\n9,Rex,\n,,3\n"
    records = records_of(
        tmp_path,
        text,
        value_map={"name": {"unknown": ""}},
        defaults={"name": "Unnamed {Tag}", "category_id": 5, "status": "available"},
    )
    assert sent(records) == [
        ["Unnamed 7", 3, "available"], ["Unnamed 8", 3, "available"], ["Rex", 5, "available"],
        "invalid",
    ]  # fmt: skip
    assert [record.notes for record in records[:3]] == [
        ("default_name", "default_status"), ("default_name", "default_status"),
        ("default_category_id", "default_status"),
    ]  # fmt: skip


def test_a_file_without_a_column_is_read_with_a_default(tmp_path: Path) -> None:
    """A list of dogs needs no category column."""
    assert sent(records_of(tmp_path, "name\nRex\n", defaults={"category_id": 5})) == [["Rex", 5]]


def test_otherwise_is_what_no_other_word_means(tmp_path: Path) -> None:
    """The values of the field and of the value map stand."""
    text = "name,category,status\nA,Dog,sold\nB,Cat,gone\nC,Emu,kept\n"
    records = records_of(
        tmp_path,
        text,
        categories={1: "Dog", 2: "Cat", 9: "Other"},
        value_map={"status": {"kept": "pending"}},
        otherwise={"status": "", "category_id": "Other"},
    )
    assert sent(records) == [["A", 1, "sold"], ["B", 2], ["C", 9, "pending"]]


def test_rows_are_left_out_on_the_users_word(tmp_path: Path) -> None:
    """By the words of a column, in any case, or by their lines."""
    text = "name,category,outcome,place\nA,3,Died,x\nB,3,,x\nC,3,,y\nD,3,,x\n"
    records = records_of(
        tmp_path, text, leave_out={"Outcome": "DIED"}, only={"place": ["x"]}, leave_lines=[5]
    )
    assert [record.left_out for record in records] == [True, False, True, True]
    assert sent(records) == ["skipped", ["B", 3], "skipped", "skipped"]


def test_a_row_can_stand_for_several_animals(tmp_path: Path) -> None:
    """Each is a record of that line; with a key, its key and which of them it is."""
    records = records_of(
        tmp_path, "tag,name,category,n\n7,Hen,3,2\n8,Cow,4,1\n9,Ox,4,0\n", key="tag", count="N"
    )
    assert [(each.number, each.line, each.key) for each in records] == [
        (1, 2, '["7", "1"]'), (2, 2, '["7", "2"]'), (3, 3, '["8", "1"]'), (4, 4, '["9", "1"]'),
    ]  # fmt: skip
    assert [each.problem.code for each in records if each.problem] == ["not_a_count"]
    (many,) = records_of(tmp_path, "name,category,n\nBee,3,1001\n", count="n")
    assert many.problem is not None and many.problem.accept == "large_count"
    assert len(records_of(tmp_path, "name,category,n\nBee,3,1001\n", count="n",
                          accept="large_count")) == 1001  # fmt: skip


def test_a_word_of_the_key_may_mean_none(tmp_path: Path) -> None:
    """What the value map makes empty names no animal."""
    text = "tag,name,category\nnone,Rex,3\n7,Bo,3\n"
    records = records_of(tmp_path, text, key="tag", value_map={"key": {"None": ""}})
    assert [record.key for record in records] == [None, "7"]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"keep": "first"}, "A"),
        ({"keep": "last"}, "C"),
        ({"keep": "newest: day"}, "B"),
        ({"keep": "newest: day", "leave_out": {"name": "B"}}, None),
        ({"keep": "newest: day", "leave_lines": [3]}, "C"),
        ({"leave_lines": [2, 3]}, "C"),
        ({}, None),
    ],
)
def test_one_row_of_a_key_stands(
    client: pf.Client, tmp_path: Path, options: dict[str, Any], name: str | None
) -> None:
    """The same one is loaded and compared; what cells leave out is asked after it stands."""
    path = tmp_path / "pets.csv"
    rows = "7,A,3,1.2.2026\n7,B,3,3.2.2026\n7,C,3,2.2.2026\n"
    path.write_text(f"tag,name,category,day\n{rows}", encoding="utf-8")
    given = {"key": "tag", "journal": tmp_path / "j"} | options
    result = pf.load_csv(path, client, dry_run=True, **given)
    lines = options.pop("leave_lines", ())
    listed = read_list(path, Recipe(key="tag", **options), lines).frame
    expected = [] if name is None else [name]
    assert result.frame[result.frame["state"] == "pending"]["sent_name"].tolist() == expected
    assert listed[listed["problem"].isna()]["name"].tolist() == expected


def test_rows_that_are_equally_new_are_left_out_as_proposed(tmp_path: Path) -> None:
    """One cause names the lines of all of them but the last; their keys are known next month."""
    path, later = tmp_path / "march.csv", tmp_path / "april.csv"
    rows = "7,sold,1.2.2026\n7,pending,1.2.2026\n8,sold,31.1.2026\n8,,\n9,,1.2.2026\n7,,1.1.2026\n"
    path.write_text(f"tag,status,day\n{rows}", encoding="utf-8")
    later.write_text(f"tag,status,day\n{rows}10,sold,\n", encoding="utf-8")
    options: dict[str, Any] = {"key": "tag", "keep": "newest: day",
                               "defaults": {"name": "Cat {tag}", "category_id": 3},
                               "journal": tmp_path / "j"}  # fmt: skip
    with pf.serve() as server, server.client() as client:
        (cause,) = pf.load_csv(path, client, dry_run=True, **options).causes
        assert cause.option == ("leave_lines", [2, 5])
        named = pf.load_csv(path, client, leave_lines=cause.option[1], **options)
        assert named.created["line"].tolist() == [3, 4, 6]
        assert pf.load_csv(later, client, **options).created["line"].tolist() == [8]


def test_two_identical_rows_without_a_key_are_sent_with_a_note(tmp_path: Path) -> None:
    """They may be two animals, and may be one; HTML in a name is noted, too."""
    text = "name,category\nRex,3\nTom &amp; Bo,3\nRex,3\n"
    records = records_of(tmp_path, text)
    assert {each.state for each in records} == {State.PENDING}
    assert [each.notes for each in records] == [(), ("html_entity",), ("identical_row",)]


def test_a_cause_is_counted_once_with_what_would_help(tmp_path: Path) -> None:
    """Records are listed, and their causes have counts, examples, words and the option."""
    text = "tag,name,category\n1,Rex,Dog\n2,Bo,Cat\n3,Max,Dog\n4,,3\n"
    records = records_of(tmp_path, text, key="tag")
    causes = Causes({"name": "name", "category_id": "category"}, ("tag",))
    for record in records:
        if record.problem is not None:
            causes.add(record.problem, [record.line])
    labels, nameless = causes.found(len(records))
    assert (labels.records, labels.of, labels.is_common) == (3, 4, True)
    assert labels.values == (("Dog", 2), ("Cat", 1)) and labels.lines == (2, 3)
    assert labels.option == ("categories", {"Dog": "…", "Cat": "…"})
    assert nameless.option == ("defaults", {"name": "Unnamed {tag}"}) and not nameless.is_common


def test_a_column_of_shelters_is_not_proposed_as_the_name(tmp_path: Path) -> None:
    """A column of few different cells names no animals."""
    rows = "".join(f"North,{at},Dog\nSouth,{at},Dog\n" for at in range(40))
    with pytest.raises(InputError) as refused:
        records_of(tmp_path, "Tier,no,Art\n" + rows)
    assert refused.value.answer.get("mapping") == {"category_id": "Art"}


def test_a_draft_is_filled_in_and_read(tmp_path: Path) -> None:
    """It has each word of the whole file with its count, and a question mark where one decides."""
    rows = "".join(f"T{at},{f'Rex {at}' if at % 2 else ''},Hund,reserved\n" for at in range(400))
    path = tmp_path / "pets.csv"
    path.write_text("Tag no,Tiername,Kategorie,Statut\n" + rows, encoding="utf-8")
    text = pf.Recipe.draft(path)
    assert 'Hund = "?"  # 400 rows' in text and 'reserved = "?"  # 400 rows' in text
    assert 'name = "Unnamed {Tag no}"  # 200 of 400 rows are empty' in text
    filled = text.replace('Hund = "?"', "Hund = 1").replace('reserved = "?"', 'reserved = "sold"')
    (tmp_path / "r.toml").write_text(filled, encoding="utf-8")
    path.with_name("one.csv").write_text("Tag no,Tiername,Art\nT1,,Hund\n", encoding="utf-8")
    assert "1 rows" not in pf.Recipe.draft(path.with_name("one.csv"))
    with open_source(path, Recipe.read(tmp_path / "r.toml")) as source:
        assert {record.state for record in source} == {State.PENDING}
        assert source.key == ("Tag no",)


def austin(categories: Path) -> Recipe:
    return Recipe(
        key="Animal ID",
        keep="newest: Timestamp",
        mapping={"name": "Name", "category_id": "Type", "status": "Outcome Status"},
        categories=str(categories),
        defaults={"name": "Unnamed {Animal ID}"},
        otherwise={"status": "sold"},
    )


@pytest.mark.skipif(not AUSTIN.exists(), reason="the published file is not here")
def test_each_animal_of_a_published_file_is_one_record(tmp_path: Path) -> None:
    """With one recipe each of the 11,898 animals stands once, and can be sent."""
    recipe = austin(AUSTIN.with_name("categories_austin.csv"))
    path = recipe.write(tmp_path / "austin.toml")
    listed = read_list(AUSTIN, Recipe.read(path)).frame
    assert len(listed) == listed["key"].nunique() == 11_898
    assert listed["problem"].isna().all()


@pytest.mark.skipif(not AUSTIN.exists(), reason="the published file is not here")
def test_a_published_file_is_sent_once_and_its_next_month_adds_what_is_new(tmp_path: Path) -> None:
    """Rows added, outcomes changed, sorted anew: the new animals alone are sent."""
    recipe = austin(AUSTIN.with_name("categories_austin.csv"))
    with AUSTIN.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = list(csv.reader(file))
    at = {name: header.index(name) for name in ("Animal ID", "Outcome Status", "Timestamp", "Name")}
    later = []
    for number, row in enumerate(rows):
        changed = list(row)
        if number % 50 == 0:
            changed[at["Outcome Status"]] = "available"
            changed[at["Timestamp"]] = "04/30/2026 12:00:00 PM"
        later.append(changed)
    for number in range(100):
        new = list(rows[number])
        new[at["Animal ID"]], new[at["Name"]] = f"N{number}", f"Newcomer {number}"
        later.append(new)
    later.sort(key=lambda row: row[at["Animal ID"]], reverse=True)
    month = tmp_path / "april.csv"
    with month.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *later])
    with pf.serve() as server, server.client() as client:
        options: dict[str, Any] = {"recipe": recipe, "journal": tmp_path / "j", "progress": False}
        first = pf.load_csv(AUSTIN, client, **options)
        second = pf.load_csv(month, client, **options)
        pets = pf.fetch_inventory(client).frame
    assert len(first.created) == 11_898 and len(second.created) == 100
    assert len(pets) == 11_998


def test_a_frame_is_loaded_by_a_recipe(client: pf.Client, tmp_path: Path) -> None:
    """Every way in takes one, also with what it says of cells."""
    frame = pd.DataFrame({"Tag": ["1", "2"], "Pet": ["Rex", ""], "Kind": ["Dog", "Dog"]})
    recipe = pf.Recipe(
        key="Tag",
        mapping={"name": "Pet", "category_id": "Kind"},
        categories={"Dog": 1},
        defaults={"name": "Unnamed {Tag}"},
    )
    result = pf.load_frame(frame, client, recipe=recipe, dry_run=True, journal=tmp_path / "j")
    assert result.frame["sent_name"].tolist() == ["Rex", "Unnamed 2"]


def test_a_result_has_its_recipe(client: pf.Client, tmp_path: Path) -> None:
    """What was said of the file is written for the next one, also from a rehearsal."""
    recipe = pf.Recipe(key="Tag", mapping={"name": "Pet"}, value_map={"name": {"?": ""}})
    frame = pd.DataFrame({"Tag": ["1"], "Pet": ["Rex"], "category": ["3"]})
    result = pf.load_frame(frame, client, recipe=recipe, dry_run=True, journal=tmp_path / "j")
    assert result.recipe == recipe


def test_a_recipe_answers_for_equal_records_only(tmp_path: Path) -> None:
    """Which animal a key that was used again means is asked all the same."""
    options = {"key": "Tag", "journal": tmp_path / "j"}
    recipe = pf.Recipe(duplicates="skip")
    frame = pd.DataFrame({"Tag": list("123"), "name": ["Rex", "Bo", "Al"], "category": 3})
    other = frame.assign(name=["Mia", "Zoe", "Kim"], category=4)
    with pf.serve() as server, server.client() as client:
        pf.load_frame(frame, client, recipe=recipe, **options)
        with pytest.raises(DuplicatesError) as asked:
            pf.load_frame(other, client, recipe=recipe, **options)
        options["key"] = None
        again = pf.load_frame(frame.drop(columns="Tag"), client, recipe=recipe, **options)
    assert [case.name for case in asked.value.question.cases] == ["reused_key"]
    assert again.counts[State.SKIPPED] == 3


def test_dates_that_a_choice_of_rows_goes_against_are_named(
    client: pf.Client, tmp_path: Path
) -> None:
    """The last row is not always the newest; the result says by which column."""
    days = ["2026-05-02", "2026-05-01", "2026-05-01", "2026-05-02"]
    frame = pd.DataFrame({"Tag": list("1122"), "name": "Rex", "status": ["sold", "pending"] * 2})
    frame = frame.assign(category=3, Day=days)
    options = {"key": "Tag", "dry_run": True, "journal": tmp_path / "j"}
    result = pf.load_frame(frame, client, keep="last", **options)
    assert result.summary["facts"]["outdated"] == {"Day": [2]}
    assert any("'newest: Day'" in text for text in result.warnings)
    newest = pf.load_frame(frame, client, keep="newest: Day", **options)
    assert "outdated" not in newest.summary["facts"]
