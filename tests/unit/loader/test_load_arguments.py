"""Arguments of load: a wrong one stages nothing, and a wrong word is answered by the right one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError
from shop import Shop
from unit.conftest import make_inventory
from unit.loader.opened import written

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"max_errors": -1}, "max_errors must be 0 or more, got -1"),
    ({"workers": 0}, "workers must be between 1 and 32, got 0"),
    ({"dry_run": "no"}, "dry_run must be True or False, got 'no'"),
    ({"progress": 3}, "progress must be a function, True, False or None, got 3"),
    ({"exclude_lines": "3"}, "exclude_lines must be a list of whole numbers, got '3'"),
    ({"duplicates": {"similar": "skip"}}, "duplicates must be one of skip, create"),
    ({"kye": "tag"}, "load has no option 'kye'; did you mean 'key'?"),
    ({"dryrun": True}, "load has no option 'dryrun'; did you mean 'dry_run'?"),
    ({"sep": ";"}, "load has no option 'sep'; it has key, keep, order_by, "),
    ({"recipe": {"kepe": "first"}}, "did you mean 'keep'?"),
    ({"client": None}, "client must be a Client, got None"),
    ({"source": make_inventory()}, "got Inventory"),
    ({"source": {"name": ["Rex"]}}, "DataFrame"),
    ({"source": None}, "DataFrame"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_argument_stages_nothing(
    client: pf.Client, tmp_path: Path, options, words: str
) -> None:
    """Each is refused with what it can be, before a journal is made."""
    file = written(tmp_path, "name,category_id\nRex,3\n")
    arguments = {"source": file, "client": client, "journal": tmp_path / "journal"} | options
    with pytest.raises(pf.ArgumentError) as refused:
        pf.load(**arguments)
    assert words in str(refused.value)
    assert "source" in options or "nothing was sent" in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["pets.csv"]


@pytest.mark.parametrize("argument", ["exclude_lines", "as_new"])
def test_a_line_that_the_file_does_not_have_is_rejected(memory_shop: Shop, argument: str) -> None:
    """The row that was meant is in another line, so nothing is sent."""
    with pytest.raises(ArgumentError, match=f"{argument}: the file has no row in line 99"):
        memory_shop.load("a.csv", "name", "Ada", "Bo", **{argument: [2, 99]})
    assert memory_shop.names == []
