"""The files of the package, each parsed once, and what they import."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import petstore_frame

ROOT = Path(__file__).parents[2]
HOUSE = Path(petstore_frame.__file__).parent
FILES = sorted(HOUSE.rglob("*.py"))


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(parse(path)))


def part_of(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def module_of(path: Path) -> str:
    parts = path.relative_to(HOUSE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are spelt in full"
        inside = [f"{node.module}.{alias.name}" for alias in node.names]
        return [name for name in inside if name in MODULES] or [str(node.module)]
    return []


@cache
def imports_of(path: Path) -> list[str]:
    """All modules that a file names, late and typing-only imports included."""
    return [name for node in nodes(path) for name in imported(node)]
