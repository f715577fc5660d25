"""Write docs/api.md, the reference of the public names: ``python docs/api.py``.

In: the signatures and docstrings of the package. Out: one Markdown page, grouped by task. It
adds no fact of its own; a test holds the page to the docstrings.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import petstore_frame as pf

PAGE = Path(__file__).with_name("api.md")
WIDTH = 96

TASKS = {
    "Read": "Client Page UnreadPage PetColumns Headers Pet NewPet PET_COLUMNS PET_STATUSES "
    "fetch_inventory Inventory Completeness Verdict StatusCount Assumption completeness "
    "FrameClaim SealState PetSearch SearchState",
    "Load": "load_csv load_excel load_frame LoadResult State Ending Reconciliation "
    "IdempotencyKey PostOutcome Proof",
    "Show": "summarize Summary StatusCounts CategoryCounts Dashboard status_chart "
    "inventory_table trend_chart ageing_chart Drawing",
    "Report": "write_report",
    "History": "History Snapshot SnapshotProblem Diff Flow",
    "Serve": "serve Server samples",
    "About": "__version__",
}
CONSTANTS = {
    "PET_COLUMNS": "The columns of each frame of pets, in order.",
    "PET_STATUSES": "The statuses that the interface names.",
    "__version__": "The version of the package, as text.",
}
INTRODUCTION = """# Public names

Every name that a user may rely on; all are attributes of `petstore_frame`, here `pf`. This page is
made from the docstrings by `python docs/api.py`. What a store promises is in
[interface.md](interface.md).
"""
_SECTION = re.compile(
    r"^(Args|Attributes|Returns|Raises|Example|Interface):(?: (.*))?$", re.MULTILINE
)
_ENTRY = re.compile(r"^    (\*{0,2}\w+): (.*(?:\n     .*|\n$)*)", re.MULTILINE)
_TITLES = {"Args": "Arguments"}


def page() -> str:
    """Return the whole page."""
    grouped = {name for names in TASKS.values() for name in names.split()}
    errors = [name for name in pf.__all__ if _is_error(getattr(pf, name))]
    missing = sorted(set(pf.__all__) - grouped - set(errors))
    assert not missing, f"give these names a task in docs/api.py: {missing}"
    parts = []
    for task, names in TASKS.items():
        parts += [f"## {task}\n", *(_entry(name) for name in names.split())]
    parts += ["## Errors\n", _error_tree(errors), *(_error(name) for name in errors)]
    body = "\n".join(part for part in parts if part)
    return f"{INTRODUCTION}\n{_contents(body)}\n{body}"


def _contents(body: str) -> str:
    """Return one line per task, each name linked to its heading as a code host names it."""
    anchors: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for heading in re.findall(r"^#+ (.+)$", body, re.MULTILINE):
        slug = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        anchors[heading] = f"#{slug}-{seen[slug]}" if seen[slug] else f"#{slug}"
        seen[slug] += 1
    lines = [
        f"- [{task}]({anchors[task]}): "
        + ", ".join(f"[`{name}`]({anchors[f'`{name}`']})" for name in names.split())
        for task, names in TASKS.items()
    ]
    return "\n".join([*lines, f"- [Errors]({anchors['Errors']})", ""])


def _entry(name: str) -> str:
    value = getattr(pf, name)
    if name in CONSTANTS:
        return f"### `{name}`\n\n{CONSTANTS[name]} `{value!r}`\n"
    if isinstance(value, ModuleType):
        functions = [
            _callable(f"{name}.{member}", found, "####")
            for member, found in vars(value).items()
            if inspect.isfunction(found)
            and found.__module__ == value.__name__
            and not member.startswith("_")
        ]
        return "\n".join([f"### `{name}`\n\n{_prose(value)}", *functions])
    members = _members(name, value) if inspect.isclass(value) else ()
    return "\n".join([_callable(name, value, "###"), *members])


def _members(owner: str, value: type) -> Iterator[str]:
    for member, static in sorted(vars(value).items()):
        title = f"{owner}.{member}"
        if member.startswith("_") or not inspect.getdoc(static):
            continue
        if isinstance(static, staticmethod | classmethod) or inspect.isfunction(static):
            yield _callable(title, getattr(value, member), "####")
        elif isinstance(static, property) or hasattr(static, "attrname"):
            yield f"#### `{title}`\n\nA property. {_prose(static)}"


def _callable(title: str, value: Any, heading: str) -> str:
    if inspect.isclass(value) and issubclass(value, Enum):
        kinds = ", ".join(f"`{entry.value}`" for entry in value)
        return f"### `{title}`\n\n{_prose(value)}\nValues: {kinds}.\n"
    return f"{heading} `{title}`\n\n```python\n{_signature(title, value)}\n```\n\n{_prose(value)}"


def _signature(title: str, value: Any) -> str:
    """Return a call with its defaults, on one line or with one parameter per line."""
    signature = inspect.signature(value)
    shown = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name != "self"
    ]
    returned = "" if inspect.isclass(value) else _returned(signature)
    # A real default prints as an address; what it does is in the docstring.
    text = re.sub(r"<[^>]+>", "...", str(inspect.Signature(shown)))
    if len(title + text + returned) <= WIDTH:
        return f"{title}{text}{returned}"
    inner = "\n".join(f"    {argument}," for argument in _split(text[1:-1]))
    return f"{title}(\n{inner}\n){returned}"


def _returned(signature: inspect.Signature) -> str:
    annotation = signature.return_annotation
    if annotation is inspect.Signature.empty:
        return ""
    return f" -> {str(annotation).replace('typing.', '')}"


def _split(arguments: str) -> list[str]:
    """Split at the commas that are not inside a default's brackets."""
    return re.split(r", (?![^(\[]*[)\]])", arguments)


def _prose(value: Any) -> str:
    """Return a docstring as Markdown: its text, then one block per section."""
    pieces = _SECTION.split(inspect.getdoc(value) or "")
    blocks = [_markdown(pieces[0])]
    for title, same_line, body in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        blocks.append(_block(title, same_line or "", body.strip("\n")))
    return "\n\n".join(block.strip("\n") for block in blocks) + "\n"


def _block(title: str, same_line: str, body: str) -> str:
    if title == "Example":
        return f"```pycon\n{textwrap.dedent(body)}\n```"
    entries = _ENTRY.findall(body) if title in ("Args", "Attributes", "Raises") else []
    if entries:
        lines = [f"- `{name}`: {_line(text)}" for name, text in entries]
        return "\n".join([f"**{_TITLES.get(title, title)}**\n", *lines])
    if title == "Interface":
        title = "[Interface](interface.md)"
    return f"**{title}:** {_line(f'{same_line} {body}')}"


def _line(text: str) -> str:
    return _markdown(" ".join(text.split()))


def _markdown(text: str) -> str:
    """Turn the docstrings' double backticks into Markdown's, and keep other signs as they are."""
    parts = text.split("``")
    return "".join(
        f"`{part}`" if place % 2 else re.sub(r"([<*])", r"\\\1", part)
        for place, part in enumerate(parts)
    )


def _is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


def _error_tree(names: list[str]) -> str:
    """Return the errors as nested lists, each under the one that it is a kind of."""
    children: dict[str | None, list[str]] = {}
    for name in names:
        parents = [base.__name__ for base in getattr(pf, name).__bases__]
        children.setdefault(next((p for p in parents if p in names), None), []).append(name)

    def lines(parent: str | None, depth: int) -> Iterator[str]:
        for name in children.get(parent, []):
            first = (inspect.getdoc(getattr(pf, name)) or "").split("\n\n")[0]
            yield f"{'  ' * depth}- `{name}`: {_line(first)}"
            yield from lines(name, depth + 1)

    return "\n".join([*lines(None, 0), ""])


def _error(name: str) -> str:
    """Return what an error says beyond its line in the tree, if anything."""
    text = inspect.getdoc(getattr(pf, name)) or ""
    return f"### `{name}`\n\n{_prose(getattr(pf, name))}" if "\n\n" in text else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
