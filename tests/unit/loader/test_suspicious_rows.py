"""A suspicious row is sent only by a person's decision, never by pasting a suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import Suspicion
from petstore_frame.loader.source.cell_parsing import suspicious
from shop import Shop
from unit.loader.opened import written

ANIMALS = "name,category_id\nRex,3\nBo,4\nMia,3\n"


def suggested(result: pf.LoadResult) -> list[object]:
    """Return the option of each cause that has one."""
    causes = view_of(result).facts.causes
    return [cause.problem.add for cause in causes if cause.problem.add is not None]


@pytest.mark.parametrize("kind", Suspicion)
def test_no_suggestion_allows_a_kind_of_rows(kind: Suspicion) -> None:
    """What to allow is a placeholder, and the hint has the value that a person may write."""
    problem = suspicious(kind, "this is odd")
    assert problem.add == ("allow", "?")
    assert repr(str(kind)) in problem.hint


def test_a_placeholder_allows_nothing(tmp_path: Path, memory_shop: Shop) -> None:
    """Pasted unanswered, it is rejected, and nothing is sent."""
    path = written(tmp_path, f"{ANIMALS}Gesamt,8\n")
    with pytest.raises(ArgumentError, match="allow"):
        pf.load(path, memory_shop.client, journal=memory_shop.journal, key="", allow="?")
    assert memory_shop.names == []


def test_few_totals_are_excluded_by_their_lines(tmp_path: Path, memory_shop: Shop) -> None:
    """Pasted blindly, the suggestion creates no pet for them, and the load is done."""
    path = written(tmp_path, f"{ANIMALS}Gesamt 8,\nTotal: 3,\n")
    result = pf.load(path, memory_shop.client, journal=memory_shop.journal, key="")
    assert suggested(result)[0] == ("exclude_lines", [5, 6])
    again = pf.load(
        path, memory_shop.client, journal=memory_shop.journal, key="", exclude_lines=[5, 6]
    )
    assert (again.exit_code, memory_shop.names) == (0, ["Bo", "Mia", "Rex"])


@pytest.mark.parametrize(
    ("header", "row", "options"),
    [
        ("name,category_id,breed", "Count,3,Husky", {}),  # every cell is filled
        ("name,category_id,breed", "Count,3,", {}),  # it has a category
        ("name,category_id,tag", "Count,,T7", {"key": "tag"}),  # it has a key
        ("name,category_id,tag,breed", "Count,,T7,Husky", {}),  # a total has two texts
    ],
)
def test_no_step_excludes_what_may_be_an_animal(
    tmp_path: Path, memory_shop: Shop, header: str, row: str, options: dict[str, str]
) -> None:
    """A row that looks like a total and may be an animal is allowed or excluded by a person."""
    path = written(tmp_path, f"{header}\n{row}\n")
    result = pf.load(path, memory_shop.client, journal=memory_shop.journal, **options)
    assert suggested(result) == [("allow", "?")]
    assert "add allow='?'\nNext: if not, exclude its line\n  add exclude_lines=['?']" in str(result)


def test_lines_that_a_person_excludes_are_not_replaced(tmp_path: Path, memory_shop: Shop) -> None:
    """With excluded rows, or with many totals, the suggestion names no lines."""
    path = written(tmp_path, f"{ANIMALS}Gesamt,\n")
    result = pf.load(
        path, memory_shop.client, journal=memory_shop.journal, key="", exclude_lines=[2]
    )
    assert suggested(result) == [("allow", "?")]
    text = "name,category_id\n" + "\n".join(f"Animal {at},3" for at in range(9))
    many = written(tmp_path, text + "\nTotal," * 6, "many.csv")
    result = pf.load(many, memory_shop.client, journal=memory_shop.journal, key="")
    assert suggested(result) == [("allow", "?")]
