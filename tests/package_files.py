"""The files of the package that is installed, and their syntax trees."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import petstore_frame

ROOT = Path(__file__).parents[1]
PACKAGE = Path(petstore_frame.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    """Return the dotted name of a module of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def syntax_nodes(path: Path) -> list[ast.AST]:
    """Return every node of a module's syntax tree; each file is parsed once."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
