"""A part is used through its ``__init__``, which has few names, and never by a module inside it."""

from __future__ import annotations

import ast

import pytest

from architecture.sources import FILES, nodes, part_of

WITH_A_DOOR = (
    "bundled", "charts", "cli", "counts", "files", "history", "inventory", "loader", "markup",
    "report", "schema", "stocktake", "transport",
)  # fmt: skip
MOST_NAMES = 12
# Every part may raise and catch any error, so this door is as wide as the tree.
OF_ERRORS = 40


@pytest.mark.parametrize("part", [*WITH_A_DOOR, "errors"])
def test_a_part_has_one_door(part: str) -> None:
    """No other part names a module inside it, and all of them together use at most 12 names."""
    home, used, inside = f"petstore_frame.{part}", set[str](), set[str]()
    others = [path for path in FILES if part_of(path) != part]
    for node in (each for path in others for each in nodes(path)):
        if isinstance(node, ast.ImportFrom) and node.module == home:
            used |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{home}."):
            inside.add(str(node.module))
        elif isinstance(node, ast.Import):
            inside |= {each.name for each in node.names if each.name.startswith(f"{home}.")}
    assert inside == set()
    assert 0 < len(used) <= (OF_ERRORS if part == "errors" else MOST_NAMES)
