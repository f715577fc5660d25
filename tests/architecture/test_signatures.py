"""A change of a public signature is a decision, so it shows up here as a difference.

After a decision: ``python tests/architecture/test_signatures.py`` writes the file anew.
"""

from __future__ import annotations

import inspect
from enum import Enum
from pathlib import Path

import petstore_frame

RECORDED = Path(__file__).with_name("signatures.txt")


def lines() -> list[str]:
    """Every public name with its parameters, and those of its public methods."""
    found = []
    for name in petstore_frame.__all__:
        value = getattr(petstore_frame, name)
        if inspect.isclass(value) and not issubclass(value, BaseException):
            found.append(f"class {name}{_parameters(value)}")
            found += [
                f"    {name}.{member}{_parameters(getattr(value, member))}"
                for member in sorted({name for owner in _own_bases(value) for name in vars(owner)})
                if not member.startswith("_") and _is_ours(value, member)
            ]
        elif callable(value) and not inspect.isclass(value):
            found.append(f"{name}{_parameters(value)}")
        else:
            found.append(name)
    return found


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


def test_the_ways_in_have_the_same_parameters_in_the_same_order() -> None:
    """What a caller has learned of one function holds for the others."""
    ways = (petstore_frame.load_csv, petstore_frame.load_excel, petstore_frame.load_frame)
    names = [[*inspect.signature(way).parameters][2:] for way in (*ways, petstore_frame.compare)]
    for one in names:
        for other in names:
            both = {*one} & {*other}
            assert [name for name in one if name in both] == [n for n in other if n in both]


if __name__ == "__main__":
    RECORDED.write_text("\n".join(lines()) + "\n", encoding="utf-8")
