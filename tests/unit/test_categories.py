"""Labels of categories: each by a whole number, and none where none is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.schema.categories import category_labels, shown_labels


@pytest.mark.parametrize(
    "categories",
    [{3: "Cat"}, {"3": "Cat"}, {np.int64(3): "Cat"}, pd.Series(["Cat"], index=[3.0])],
    ids=["int", "text", "numpy", "a float index, as a spreadsheet gives it"],
)
def test_an_id_may_be_written_in_several_ways(categories: Any) -> None:
    """What is plainly a whole number is the id of a category."""
    assert category_labels(categories) == {3: "Cat"}
    assert shown_labels(categories) == {3: "Cat"}


@pytest.mark.parametrize("categories", [{"Cat": 3}, pd.Series([3.0], index=["Cat"])])
def test_a_dict_may_stand_the_other_way_round(categories: Any) -> None:
    """Ids by label mean the same as labels by id; keys that are ids are never taken for labels."""
    assert category_labels(categories) == {3: "Cat"}
    assert category_labels({"3": 7}) == {3: "7"}
    with pytest.raises(pf.ArgumentError, match="labels by id"):
        category_labels({"Cat": 3, 4: "Dog"})


@pytest.mark.parametrize(
    "key", [2.9, np.float32(2.9), True, np.True_, "Dog", "1_0", "٣", None, float("nan")]
)
def test_an_id_is_never_bent(key: Any) -> None:
    """2.9 is not category 2: a label would stand at another category."""
    with pytest.raises(pf.ArgumentError, match="labels by id"):
        category_labels({key: "Dog"})


def test_a_missing_label_is_left_out(tmp_path: Path) -> None:
    """A category without a label is shown by its number, not as nan or as nothing."""
    series = pd.Series(["Dog", None, float("nan"), pd.NA, ""], index=[1, 2, 3, 4, 5])
    path = tmp_path / "categories.csv"
    path.write_text("category_id,label\n1,Dog\n2,\n3,\n", encoding="utf-8")
    assert shown_labels(series) == shown_labels(path) == {1: "Dog"}


def test_a_frame_of_two_columns_has_labels() -> None:
    """What pandas reads from a categories file serves as it is; another frame is refused."""
    frame = pd.DataFrame({"Category_ID": [3, 4], "label": ["Cat", None], "more": [1, 2]})
    assert category_labels(frame) == {3: "Cat"}
    with pytest.raises(pf.ArgumentError, match="got a frame of 'id', 'label'"):
        category_labels(pd.DataFrame({"id": [3], "label": ["Cat"]}))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('1,"Dog"x', "line 3: this line is not CSV"),
        ("1_0,Dog", r"line 3, column 'category_id': expected .* and a label, got \['1_0'"),
    ],
    ids=["a quote that ends too early", "a number as Python's sources spell it"],
)
def test_a_line_that_is_not_a_label_is_named(tmp_path: Path, line: str, words: str) -> None:
    """A file with a broken line gives no labels, and the error has its place."""
    path = tmp_path / "categories.csv"
    path.write_text(f"category_id,label\n2,Cat\n{line}\n", encoding="utf-8")
    with pytest.raises(pf.InputError, match=words):
        category_labels(path)


def test_an_id_may_have_several_labels_to_be_read_by(tmp_path: Path) -> None:
    """Each label of a category means it in a file of animals; the last one is shown."""
    labels = tmp_path / "categories.csv"
    labels.write_text("category_id,label\n1,Dog\n2,Cat\n2,Kitty\n", encoding="utf-8")
    animals = tmp_path / "animals.csv"
    animals.write_text("name,category\nAda,cat\nBob,Kitty\n", encoding="utf-8")
    twice = pd.Series(["Dog", "Cat", "Kitty"], index=[1, 2, 2])
    for categories in (labels, twice):
        with open_source(animals, Recipe(categories=categories)) as source:
            assert [record.state for record in source] == ["pending", "pending"]
        assert category_labels(categories) == {1: "Dog", 2: "Kitty"}
