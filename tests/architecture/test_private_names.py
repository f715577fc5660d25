"""Other libraries are used by their public side: their private names may go with any release."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from architecture.sources import FILES, nodes

# Public by their libraries' own word, in spite of the underscore.
PUBLIC = {"_", "_asdict", "_fields", "_make", "_replace", "_value_"}  # NamedTuple's and Enum's
PROTOCOLS = ("__", "_repr_", "_ipython_", "_render_")  # Python's and IPython's
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
ASKING = ("getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller")


def is_self(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def defined_in(path: Path) -> set[str]:
    """Return the names that a file gives to something of its own."""
    found = {node.name for node in nodes(path) if isinstance(node, DEFINITIONS)}
    for node in nodes(path):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found |= {node.attr} if is_self(node.value) else set()
    return found


OWN = {path: defined_in(path) for path in FILES}
OURS = set().union(*OWN.values())


def not_ours(path: Path) -> Iterator[str]:
    """Yield each name that a file takes from elsewhere, as imports, attributes and texts name it.

    A method may use what a class of ours, which it inherits from, has in another file.
    """
    for node in nodes(path):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = str(getattr(node, "module", ""))
            if not module.startswith("petstore_frame"):
                yield from ".".join([module, *(alias.name for alias in node.names)]).split(".")
        elif isinstance(node, ast.Attribute):
            if node.attr not in (OURS if is_self(node.value) else OWN[path]):
                yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(ASKING):
            texts = {each.value for each in node.args if isinstance(each, ast.Constant)}
            yield from (text for text in texts - OWN[path] if isinstance(text, str))


def test_no_private_name_of_another_library() -> None:
    """A file reaches for no private name but its own."""
    taken = {(path, name) for path in FILES for name in not_ours(path) if name.startswith("_")}
    assert {
        (path, name)
        for path, name in taken
        if not name.startswith(PROTOCOLS) and name not in PUBLIC
    } == set()
