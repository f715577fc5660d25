"""How a kind of file is read, said once: the value, its file, and what it makes of rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader import read_list
from petstore_frame.loader.source import Recipe, RecipeOptions, as_recipe
from petstore_frame.loader.source.cell_parsing import readers_of
from shop import Shop
from unit.loader import opened

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
        "fallback": st.just({"status": ""}) | st.just({"category_id": 7}),
        "defaults": st.fixed_dictionaries({"name": column.map("Unnamed {{{}".format)}),
        "categories": st.dictionaries(st.integers(-9, 99), word, min_size=1)
        | st.dictionaries(word.map("l{}".format), st.integers(0, 3), min_size=1),
        "key": st.just("") | st.lists(column, min_size=1, max_size=3, unique=True),
        "keep": st.sampled_from(["first", "last"]),
        "order_by": column,
        "exclude": st.dictionaries(word, texts, min_size=1, max_size=3),
        "include": st.dictionaries(word, texts, min_size=1, max_size=3),
        "quantity": column,
        "encoding": st.sampled_from(["cp1252", "utf-16"]),
        "delimiter": st.sampled_from([";", "\t", "|"]),
        "quoting": st.sampled_from(["strict", "none"]),
        "sheet": word,
        "header_row": st.integers(1, 99),
        "columns": st.lists(column, min_size=1, max_size=4, unique=True),
        "thousands": st.sampled_from([",", "."]),
        "keep_spaces": st.booleans(),
        "allow": st.lists(st.sampled_from(["total_row", "hidden_row"]), unique=True),
    },
)  # fmt: skip


@given(RECIPES)
def test_a_recipe_comes_back_from_its_file_as_it_was(tmp_path_factory, words) -> None:
    """Whatever it says is read again as the same value, from TOML and from JSON."""
    try:
        recipe = Recipe(**words)
    except ArgumentError:
        return  # two columns of one name, for example
    path = recipe.write(tmp_path_factory.getbasetemp() / "r.toml", overwrite=True)
    assert Recipe.read(path) == recipe
    assert Recipe(**json.loads(json.dumps(recipe.to_dict()))) == recipe


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('key = "a"\nkep = "last"\n', 2, "did you mean 'keep'"),
        ("\n[value_mapp.status]\nx = 'sold'\n", 2, "did you mean 'value_map'"),
        ('key = "a"\nheader_row = \n', 2, "not TOML"),
        ('key = "a"\n\nkeep = "lst"\n', 3, "'first', 'last'"),
        ('api_key = "secret"\n', 1, "has no option 'api_key'"),
        ('allow = "total_rows"\n', 1, "one of 'total_row'"),
        ('keep = "last"\n[mapping]\nname = "?"\n', 3, "a placeholder for mapping.name"),
        ("key = [\n" + "[" * 3000, 2, "nested too deeply"),
        # Python 3.13 reads it, and then the word is not known.
        ("x" + ".x" * 3000 + " = 1\n", 1, "r.toml, line 1"),
    ],
)
def test_a_wrong_word_is_named_with_its_line(tmp_path: Path, text: str, line: int, words) -> None:
    """File, line and the nearest right word."""
    path = opened.written(tmp_path, text, "r.toml")
    with pytest.raises(InputError, match=re.escape(words)) as refused:
        as_recipe(path, {})
    assert (refused.value.line, refused.value.path) == (line, str(path))


def test_the_words_are_stated_once() -> None:
    """Type checkers know exactly the words that a recipe has."""
    assert [*RecipeOptions.__annotations__] == [*Recipe.model_fields]


def test_a_blank_refuses_a_load_by_name(memory_shop: Shop) -> None:
    """Nothing is sent while a column is a question mark; an empty key says that there is none."""
    rows = "a.csv", "tag,name", "1,Ada"
    blanks: dict[str, Any] = {
        "key": {"key": "?"},
        "order_by": {"keep": "last", "order_by": "?"},
        "mapping": {"mapping": {"name": "?"}},
    }
    for word, blank in blanks.items():
        with pytest.raises(InputError, match=f"placeholder for {word}"):
            memory_shop.load(*rows, **blank)
    with pytest.raises(InputError, match="placeholder for keep and key; replace each"):
        memory_shop.load(*rows, key="?", keep="?")
    memory_shop.load(*rows, key="", keep="?")
    assert memory_shop.names == ["Ada"]


def test_a_path_in_a_recipe_is_relative_to_it(tmp_path: Path) -> None:
    """Recipe and categories move together."""
    (tmp_path / "kept").mkdir()
    file = opened.written(tmp_path, "id,name\n1,Dog\n", "categories.csv")
    path = Recipe(categories=str(file)).write(tmp_path / "kept" / "r.toml")
    assert 'categories = "../categories.csv"' in path.read_text(encoding="utf-8")
    assert readers_of(Recipe.read(path))["category_id"].category_ids == {1}


def test_an_option_beside_a_recipe_wins(tmp_path: Path) -> None:
    """Tables are merged word by word, so that following a proposal drops nothing."""
    path = Recipe(key="a", value_map={"status": {"x": "sold", "y": ""}}).write(tmp_path / "r.toml")
    recipe = as_recipe(path, {"key": "b", "value_map": {"Status": {"y": "pending"}}, "keep": None})
    assert recipe == Recipe(key="b", value_map={"status": {"x": "sold", "y": "pending"}})


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"keep": "first"}, "A"),
        ({"keep": "last"}, "C"),
        ({"keep": "last", "order_by": "day"}, "B"),
        ({"keep": "last", "order_by": "day", "exclude": {"name": "B"}}, None),
        ({"keep": "last", "order_by": "day", "exclude_lines": [3]}, "C"),
        ({"exclude_lines": [2, 3]}, "C"),
        ({}, None),
    ],
)
def test_one_row_of_a_key_stands(
    memory_shop: Shop, options: dict[str, Any], name: str | None
) -> None:
    """The same one is loaded and compared; what cells leave out is asked after it stands."""
    rows = "7,A,2026-02-13", "7,B,2026-02-15", "7,C,2026-02-14"
    memory_shop.load("a.csv", "tag,name,day", *rows, key="tag", **options)
    expected = [] if name is None else [name]
    assert memory_shop.names == expected
    if "exclude_lines" not in options:
        listed = read_list(memory_shop.folder / "a.csv", Recipe(key="tag", **options)).frame
        assert listed[listed["problem"].isna()]["name"].tolist() == expected


def test_a_row_that_stands_and_is_left_out_is_not_to_fix(memory_shop: Shop) -> None:
    """Its word need have no other meaning, and no older row of its key takes its place."""
    rows = "7,A,sold,2026-02-01", "7,A,died,2026-02-02", "8,B,sold,2026-02-01"
    words = {"keep": "last", "order_by": "day", "exclude": {"status": "died"}}
    result = memory_shop.load("a.csv", "tag,name,status,day", *rows, key="tag", **words)
    assert memory_shop.names == ["B"] and len(result.fix) == 0 and result.counts["excluded"] == 2


def test_a_frame_is_loaded_by_a_recipe(memory_shop: Shop) -> None:
    """Every way in takes one; a result has it for the next file, also that of a rehearsal."""
    recipe = pf.Recipe(key="Tag", mapping={"name": "Pet", "category_id": "Kind"},
                       categories={"Dog": 1}, defaults={"name": "Unnamed {Tag}"})  # fmt: skip
    frame = pd.DataFrame({"Tag": ["1", "2"], "Pet": ["Rex", ""], "Kind": ["Dog", "Dog"]})
    rehearsed = pf.load(
        frame, memory_shop.client, recipe=recipe, journal=memory_shop.journal, dry_run=True
    )
    result = pf.load(frame, memory_shop.client, recipe=recipe, journal=memory_shop.journal)
    assert memory_shop.names == ["Rex", "Unnamed 2"]
    assert rehearsed.recipe == result.recipe == recipe
