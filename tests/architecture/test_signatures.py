"""A change of a public signature is a decision, so it shows up here as a difference.

Each idea has one name in them: the table of CONTRIBUTING is held to them.
After a decision: ``python tests/architecture/test_signatures.py`` writes the file anew.
"""

from __future__ import annotations

import inspect
import re
from enum import Enum
from pathlib import Path

import petstore_frame
from package_files import ROOT

RECORDED = Path(__file__).with_name("signatures.txt")
ROW = re.compile(r"^\| [^|]+ \| ((?:`\w+`(?:, )?)+) \| ((?:`\w+`(?:, )?)+) \|$", re.MULTILINE)
# Those of the loader, which keeps its words until its next version.
LOADER = ("load_", "resume_loads", "read_ids", "LoadResult")


def lines() -> list[str]:
    """Every public name with its parameters, and those of its public methods."""
    signatures = []
    for name in petstore_frame.__all__:
        value = getattr(petstore_frame, name)
        if inspect.isclass(value) and not issubclass(value, BaseException):
            signatures.append(f"class {name}{_parameters(value)}")
            signatures += [
                f"    {name}.{member}{_parameters(getattr(value, member))}"
                for member in sorted({name for owner in _own_bases(value) for name in vars(owner)})
                if not member.startswith("_") and _is_ours(value, member)
            ]
        elif callable(value) and not inspect.isclass(value):
            signatures.append(f"{name}{_parameters(value)}")
        else:
            signatures.append(name)
    return signatures


def _own_bases(value: type) -> list[type]:
    return [base for base in value.__mro__ if base.__module__.startswith("petstore_frame")]


def _is_ours(owner: type, member: str) -> bool:
    value = inspect.getattr_static(owner, member)
    return isinstance(value, property | staticmethod | classmethod) or inspect.isfunction(value)


def _parameters(value: object) -> str:
    """Return names, kinds, annotations and defaults, as they stand in the source."""
    if not callable(value) or (inspect.isclass(value) and issubclass(value, Enum)):
        return ""  # an Enum's own call differs between versions of Python, and nobody makes it
    return str(inspect.signature(value)).replace("typing.", "")  # which newer versions leave out


def test_public_signatures_are_as_recorded() -> None:
    """The public names, their parameters and their methods are those that were decided."""
    assert lines() == RECORDED.read_text(encoding="utf-8").splitlines()


def table() -> list[tuple[list[str], list[str]]]:
    """The names that each idea has, and those that it must not have."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, part = text.partition("## One name per idea")
    return [tuple(re.findall(r"\w+", cell) for cell in row) for row in ROW.findall(part)]


def test_an_idea_has_one_name() -> None:
    """No public parameter outside the loader is a word that the table has for another name."""
    others = {word for _, not_these in table() for word in not_these}
    ours = [line for line in lines() if not line.lstrip().removeprefix("class ").startswith(LOADER)]
    used = {name for line in ours for name in re.findall(r"[(,] ?(\w+): ", line)}
    assert len(others) > 10
    assert used & others == set()
    assert {names[0] for names, _ in table()} <= used


if __name__ == "__main__":
    RECORDED.write_text("\n".join(lines()) + "\n", encoding="utf-8")
