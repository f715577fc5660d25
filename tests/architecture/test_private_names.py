"""Other libraries are used by their public side: their private names may go with any release."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import petstore_frame

HOUSE = Path(petstore_frame.__file__).parent
FILES = sorted(HOUSE.rglob("*.py"))

# Public by their libraries' own word, in spite of the underscore.
PUBLIC = {"_asdict", "_fields", "_make", "_replace"}  # typing.NamedTuple
PROTOCOLS = ("_repr_", "_ipython_", "_render_")  # IPython's, as in _repr_html_
ASKING = {"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller"}


def is_private(name: str) -> bool:
    is_public = name in PUBLIC or name.startswith(("__", *PROTOCOLS)) or name == "_"
    return name.startswith("_") and not is_public


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def names_of(path: Path) -> set[str]:
    """Return the names that a file defines."""
    return {name for node in ast.walk(parse(path)) for name in defined_by(node)}


@cache
def our_names() -> set[str]:
    """Return the names that any file of ours defines."""
    return {name for path in FILES for name in names_of(path)}


def foreign_names(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each use of a private name that is not this file's.

    A method may use what a class of ours, which it inherits from, has in another file.
    """
    tree, own = parse(path), names_of(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(
            "petstore_frame"
        ):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            yield from ((node.lineno, name) for name in names if is_private(name))
        elif isinstance(node, ast.Import):
            names = [part for alias in node.names for part in alias.name.split(".")]
            yield from ((node.lineno, name) for name in names if is_private(name))
        elif isinstance(node, ast.Attribute):
            if is_private(node.attr) and node.attr not in (
                our_names() if is_self(node.value) else own
            ):
                yield node.lineno, node.attr
        elif isinstance(node, ast.Call) and called(node) in ASKING:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    name = argument.value
                    if is_private(name) and name not in own:
                        yield node.lineno, name


def defined_by(node: ast.AST) -> list[str]:
    """Return the names that a statement gives to something of this file."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_self(node.value):
        return [node.attr]
    return []


def is_self(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def test_no_private_name_of_another_library() -> None:
    """A file reaches for no private name but its own."""
    assert [(path, *used) for path in FILES for used in foreign_names(path)] == []
