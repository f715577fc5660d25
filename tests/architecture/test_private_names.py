"""Other libraries are used by their public side: their private names may go with any release."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from architecture.sources import FILES, nodes

# Public by their libraries' own word, in spite of the underscore.
PUBLIC = {"_asdict", "_fields", "_make", "_replace", "_value_"}  # typing.NamedTuple, enum.Enum
PROTOCOLS = ("_repr_", "_ipython_", "_render_")  # IPython's, as in _repr_html_
ASKING = {"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller"}


def is_private(name: str) -> bool:
    is_public = name in PUBLIC or name.startswith(("__", *PROTOCOLS)) or name == "_"
    return name.startswith("_") and not is_public


def is_self(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "id", getattr(node.func, "attr", "")))


@cache
def defined_in(path: Path) -> set[str]:
    """Return the names that a file gives to something of its own."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found |= {node.attr} if is_self(node.value) else set()
    return found


def private_names(path: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield each private name that a file uses, and the names that it may be.

    A method may use what a class of ours, which it inherits from, has in another file.
    """
    own = defined_in(path)
    for node in nodes(path):
        used: list[str] = []
        allowed = own
        if isinstance(node, ast.Import):
            used, allowed = [part for a in node.names for part in a.name.split(".")], set()
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module)
            if not module.startswith("petstore_frame"):
                used = [*module.split("."), *(alias.name for alias in node.names)]
                allowed = set()
        elif isinstance(node, ast.Attribute):
            used = [node.attr]
            if is_self(node.value):
                allowed = {name for each in FILES for name in defined_in(each)}
        elif isinstance(node, ast.Call) and called(node) in ASKING:
            given = [each.value for each in node.args if isinstance(each, ast.Constant)]
            used = [value for value in given if isinstance(value, str)]
        yield from ((name, allowed) for name in used if is_private(name))


def test_no_private_name_of_another_library() -> None:
    """A file reaches for no private name but its own."""
    wrong = [(path, name) for path in FILES for name, may in private_names(path) if name not in may]
    assert wrong == []
