"""Draw the parts of the package and their imports: ``python docs/house.py FOLDER DRAWING.svg``.

A part is a folder, or a module beside the folders. Each stands above all that it imports, imports
inside functions and for type checkers included. A line leads from a part down to what it imports;
where a path over other parts leads there as well, the direct line is left out.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, BOX, ROW, TOP = 820, (124, 38), 66, 48
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2430; text-anchor: middle }
  .small { font-size: 11px; fill: #5b6270 }
  .title { font-size: 15px; font-weight: 600; text-anchor: start }
  rect.part { fill: #eef2f7; stroke: #9aa5b5 }
  path { fill: none; stroke: #2f6f8f; stroke-opacity: .6; stroke-width: 1.3 }
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
        if "__init__" in part.imports:  # a user of the public names stands above their list
            parts["__init__"].imports.discard(part.name)
    return parts


def _imported(text: str, package: str) -> set[str]:
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            taken = [alias.name for alias in node.names]
            names += [f"{package}.__init__" if name == package else name for name in taken]
        elif isinstance(node, ast.ImportFrom) and node.level:  # a stub's own
            names += [f"{package}.{node.module or alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == package:
            names += [f"{package}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return {name.split(".")[1] for name in names if name.startswith(f"{package}.")}


def levels_of(parts: dict[str, Part]) -> dict[str, int]:
    """Return how high each part stands: one above the highest of what it imports."""
    levels: dict[str, int] = {}
    left = dict(parts)
    while left:
        free = [part for part in left.values() if not part.imports & left.keys()]
        if not free:
            raise ValueError(f"these import each other in a circle: {', '.join(sorted(left))}")
        for part in free:
            levels[part.name] = 1 + max((levels[name] for name in part.imports), default=-1)
            del left[part.name]
    return levels


def direct_imports(parts: dict[str, Part]) -> dict[str, set[str]]:
    """Return the imports of each part that no path over another part explains."""
    below: dict[str, set[str]] = {}
    for name in sorted(parts, key=levels_of(parts).__getitem__):
        below[name] = parts[name].imports.union(*(below[each] for each in parts[name].imports))
    return {
        name: part.imports - set().union(*(below[each] for each in part.imports))
        for name, part in parts.items()
    }


def drawing(parts: dict[str, Part], title: str) -> str:
    """Return the SVG: one box per part, one line per import that is not explained by others."""
    paths = _paths(parts)
    places = _places(parts, paths)
    lines = sum(part.lines for part in parts.values())
    modules = sum(part.modules for part in parts.values())
    head = f"{title}: {lines:,} lines in {modules} modules, {len(parts)} parts"
    height = TOP + ROW * (1 + max(levels_of(parts).values())) - 20
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            f' width="{WIDTH}" height="{height}" role="img" aria-label="{escape(head)}">',
            f"<style>{STYLE}</style>",
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
            f'<text class="title" x="10" y="24">{escape(head)}</text>',
            *(_line([places[stop] for stop in path]) for path in paths),
            *(_box(part, *places[(name,)]) for name, part in parts.items()),
            "</svg>",
            "",
        ]
    )


def _paths(parts: dict[str, Part]) -> list[list[tuple[str, ...]]]:
    """Return the stops of each line: a part, a gap in each row between, and a part."""
    levels = levels_of(parts)
    return [
        [
            (upper,),
            *((upper, lower, str(row)) for row in range(levels[upper] - 1, levels[lower], -1)),
            (lower,),
        ]
        for upper, direct in direct_imports(parts).items()
        for lower in sorted(direct)
    ]


def _places(
    parts: dict[str, Part], paths: list[list[tuple[str, ...]]]
) -> dict[tuple[str, ...], tuple[float, float]]:
    """Place each stop: rows by level, and in a row near what it is joined to above and below."""
    levels = levels_of(parts)
    top = max(levels.values())
    stops = dict.fromkeys([*((name,) for name in parts), *(s for path in paths for s in path)])
    rows: list[list[tuple[str, ...]]] = [[] for _ in range(top + 1)]
    for stop in stops:
        rows[top - (levels[stop[0]] if len(stop) == 1 else int(stop[2]))].append(stop)
    near: dict[tuple[str, ...], set[tuple[str, ...]]] = {stop: set() for stop in stops}
    for path in paths:
        for upper, lower in pairwise(path):
            near[upper].add(lower)
            near[lower].add(upper)
    at = {stop: (index + 0.5) / len(row) for row in rows for index, stop in enumerate(row)}
    for _ in range(40):  # enough for the order to settle
        for row in rows:
            row.sort(key=lambda s: sum(at[o] for o in near[s]) / len(near[s]) if near[s] else 1)
            _spread(row, at)
    return {
        stop: (at[stop] * WIDTH, TOP + ROW * number)
        for number, row in enumerate(rows)
        for stop in row
    }


def _spread(row: list[tuple[str, ...]], at: dict[tuple[str, ...], float]) -> None:
    """Give each stop of a row its share of the width: a box needs more than a line."""
    widths = [BOX[0] + 24 if len(stop) == 1 else 26 for stop in row]
    spare = (WIDTH - sum(widths)) / (len(row) + 1)
    x = spare
    for stop, width in zip(row, widths, strict=True):
        at[stop] = (x + width / 2) / WIDTH
        x += width + spare


def _box(part: Part, x: float, y: float) -> str:
    width, height = BOX
    return (
        f'<rect class="part" x="{x - width / 2:.0f}" y="{y:.0f}" width="{width}"'
        f' height="{height}" rx="4"/>'
        f'<text x="{x:.0f}" y="{y + 16:.0f}">{escape(part.name)}</text>'
        f'<text class="small" x="{x:.0f}" y="{y + 31:.0f}">{part.lines:,} lines</text>'
    )


def _line(stops: list[tuple[float, float]]) -> str:
    """Draw a line from the foot of a box to the head of another, past the boxes between."""
    (x, y), *rest = stops
    y += BOX[1]
    drawn = f"M{x:.0f} {y:.0f}"
    for number, (to_x, to_y) in enumerate(rest, 1):
        bend = (to_y - y) / 2
        drawn += f" C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y:.0f}"
        x, y = to_x, to_y
        if number < len(rest):
            y += BOX[1]
            drawn += f" V{y:.0f}"
    return f'<path d="{drawn}"/>'


def main() -> None:
    package, target = Path(sys.argv[1]), Path(sys.argv[2])
    title = sys.argv[3] if len(sys.argv) > 3 else package.name
    target.write_text(drawing(parts_of(package), title), encoding="utf-8")


if __name__ == "__main__":
    main()
