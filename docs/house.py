"""Draw the parts of the package and their imports: ``python docs/house.py FOLDER DRAWING.svg``.

A part is a folder, or a module beside the folders. Each stands above all that it imports, imports
inside functions and for type checkers included; an arc leads from a part down to what it imports.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

ROW, BOX, LEFT, TOP = 30, 330, 10, 44
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2430 }
  .small { font-size: 12px; fill: #5b6270 }
  .title { font-size: 15px; font-weight: 600 }
  rect.part { fill: #eef2f7; stroke: #9aa5b5 }
  path { fill: none; stroke: #2f6f8f; stroke-opacity: .55; stroke-width: 1.2 }
"""


@dataclass
class Part:
    """A folder or a single module, and the names of the parts that it imports."""

    name: str
    lines: int = 0
    modules: int = 0
    imports: set[str] = field(default_factory=set)


def parts_of(package: Path) -> dict[str, Part]:
    """Read the parts of a package from its files."""
    parts: dict[str, Part] = {}
    for path in sorted([*package.rglob("*.py"), *package.glob("*.pyi")]):
        name = path.relative_to(package).parts[0].removesuffix(path.suffix)
        part = parts.setdefault(name, Part(name))
        text = path.read_text(encoding="utf-8")
        part.lines += len(text.splitlines())
        part.modules += path.suffix == ".py"
        part.imports |= _imported(text, package.name)
    for part in parts.values():
        part.imports = (part.imports & parts.keys()) - {part.name}
    return parts


def _imported(text: str, package: str) -> set[str]:
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:  # a stub's own
            names += [f"{package}.{node.module or alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == package:
            names += [f"{package}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return {name.split(".")[1] for name in names if name.startswith(f"{package}.")}


def top_to_bottom(parts: dict[str, Part]) -> list[Part]:
    """Order the parts so that each stands above what it imports."""
    order: list[Part] = []
    left = dict(parts)
    while left:
        free = [p for p in left.values() if not p.imports & left.keys()]
        if not free:
            raise ValueError(f"these import each other in a circle: {', '.join(sorted(left))}")
        lowest = min(free, key=lambda p: (p.name != "service", p.name))  # across the wire
        order.append(left.pop(lowest.name))
    return order[::-1]


def drawing(parts: dict[str, Part], title: str) -> str:
    """Return the SVG: one box per part, one arc per import."""
    order = top_to_bottom(parts)
    at = {part.name: TOP + row * ROW for row, part in enumerate(order)}
    arcs = [
        _arc(at[part.name], at[name], number)
        for part in order
        for number, name in enumerate(sorted(part.imports, key=at.__getitem__))
    ]
    width, height = LEFT + BOX + 60 + 9 * len(order), TOP + ROW * len(order) + 8
    lines = sum(part.lines for part in order)
    modules = sum(part.modules for part in order)
    head = f"{title}: {lines:,} lines in {modules} modules, {len(order)} parts"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img" aria-label="{escape(head)}">',
            f"<style>{STYLE}</style>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            f'<text class="title" x="{LEFT}" y="24">{escape(head)}</text>',
            *arcs,
            *(_box(part, at[part.name]) for part in order),
            "</svg>",
            "",
        ]
    )


def _box(part: Part, y: int) -> str:
    noun = "module" if part.modules == 1 else "modules"
    size = f"{part.lines:,} lines, {part.modules} {noun}"
    return (
        f'<rect class="part" x="{LEFT}" y="{y}" width="{BOX}" height="{ROW - 6}" rx="4"/>'
        f'<text x="{LEFT + 10}" y="{y + 16}">{escape(part.name)}</text>'
        f'<text class="small" x="{LEFT + BOX - 10}" y="{y + 16}" text-anchor="end">{size}</text>'
    )


def _arc(start: int, end: int, number: int) -> str:
    x, reach = LEFT + BOX, 20 + (end - start) * 0.42
    return (
        f'<path d="M{x} {start + 8 + number % 5 * 2} '
        f'C{x + reach:.0f} {start + 12} {x + reach:.0f} {end + 12} {x} {end + 12}"/>'
    )


def main() -> None:
    package, target = Path(sys.argv[1]), Path(sys.argv[2])
    title = sys.argv[3] if len(sys.argv) > 3 else package.name
    target.write_text(drawing(parts_of(package), title), encoding="utf-8")


if __name__ == "__main__":
    main()
