"""Asks a person what the package cannot know, and writes what to type next.

A ``Question`` is the same for Python, a shell, a recipe, ``--json`` and the dashboard, which only
render it. A ``Step`` is one of its answers, or a next step.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from petstore_frame.storage import toml_files as toml

Name = str | tuple[str | int, ...]  # identifies a question
YES = "yes"  # the answer to a question that has only one
PLACEHOLDER = "?"  # the value of an option that only a person can state
# Where the user types the answer.
Reader = Literal["python", "shell", "recipe"]
# Recipe options that a shell passes with --set: all except those with an option of their own.
SET_OPTIONS = {
    "allow", "columns", "date_order", "defaults", "delimiter", "encoding", "exclude", "fallback",
    "header_row", "include", "keep", "keep_spaces", "mapping", "order_by", "quantity", "quoting",
    "sheet", "thousands", "value_map",
}  # fmt: skip
_LINE_OPTIONS = ("as_new", "exclude_lines", "rename_categories")  # numbers, separated by commas


class Call(NamedTuple):
    """Another call to type, if adding an option to the same call is not enough."""

    python: str
    shell: str


class Step(NamedTuple):
    """A possible answer or a next step: options to add to the same call, or other calls."""

    text: str
    add: Mapping[str, Any] = {}  # nobody changes it, and a proxy cannot be pickled
    calls: tuple[Call, ...] = ()
    shell_text: str = ""  # the text for a shell, if it differs
    effect: str = ""  # what the answer does, such as "3 rows to send"

    def sentence(self, reader: Reader = "python") -> str:
        """Return the text and the effect for the place where the user types the next step."""
        text = self.shell_text if self.shell_text and reader == "shell" else self.text
        return f"{text} ({self.effect})" if self.effect else text

    def typed(self, reader: Reader = "python") -> list[str]:
        """Return what to type, line by line."""
        options = _options_to_add(self.add, reader)
        lines = [f"add {options}"] if options else []
        return [*lines, *(call.shell if reader == "shell" else call.python for call in self.calls)]

    def as_dict(self) -> dict[str, Any]:
        """Return the step as JSON values, for ``--json``."""
        calls = [call._asdict() for call in self.calls]
        return {"text": self.text, "effect": self.effect, "add": dict(self.add), "calls": calls}


class Example(NamedTuple):
    """A row that a question is about; ``other`` is what it is compared with."""

    line: int | None
    text: str
    other: str = ""


@dataclass(frozen=True)
class Question:
    """A question that only a person can answer.

    It has a few ``answers``, or an ``option`` that states any answer, or both.

    Attributes:
        name: Identifies the question: ``"key"``, ``("mapping", "status")``, ``("value_map",
            "status", "frei")``, ``("cell", 3, "Name")``, ``"duplicates"``.
        text: What is asked, with the facts.
        examples: Rows that the question is about.
        answers: The possible answers, the most likely first.
        option: The option that states the answer, and the keys in its table: ``("mapping",
            "status")``. Empty if only an answer of the list is possible, or a corrected cell.
        choices: Values to offer in a menu. Other values can be typed.
        note: What an answer must look like, or what it does.
        likely: The likely answer, which a preview uses and a person must confirm, or None.
        is_certain: Whether the likely answer can be printed ready to be typed.
        value: The present answer in a form, or None while the question is open.
    """

    name: Name
    text: str
    examples: tuple[Example, ...] = ()
    answers: tuple[Step, ...] = ()
    option: tuple[str, ...] = ()
    choices: tuple[Any, ...] = ()
    note: str = ""
    likely: Any = None
    is_certain: bool = False
    value: Any = None

    def stating(self, value: Any) -> dict[str, Any]:
        """Return the options that state a value as the answer.

        Example:
            >>> question = Question("status", "Which column?", option=("mapping", "status"))
            >>> question.stating("Zustand")
            {'mapping': {'status': 'Zustand'}}
        """
        for key in reversed(self.option):
            value = {key: value}
        return dict(value) if self.option else {}

    @property
    def add(self) -> dict[str, Any]:
        """The options to add, with a placeholder for an answer that is not certain."""
        return self.stating(self.likely if self.is_certain else PLACEHOLDER)

    def lines(self, reader: Reader = "python") -> list[str]:
        """Return the question, its examples and what to type for each answer, line by line."""
        pairs = [
            (example.text if example.line is None else f"line {example.line}: {example.text}",
             example.other)
            for example in self.examples
        ]  # fmt: skip
        width = max((len(text) for text, _ in pairs), default=0)
        lines = [self.text]
        for text, other in pairs:
            lines.append(f"    {text:<{width}}  |  {other}" if other else f"    {text}")
        if self.note:
            lines.append(self.note)
        if self.answers:
            lines.append("Choose one:")
        for answer in self.answers:
            typed = answer.typed(reader)
            lines.append(f"  {answer.sentence(reader)}{':' if typed else ''}")
            lines += [f"    {line}" for line in typed]
        if self.option and not self.answers:
            lines.append(f"    add {_options_to_add(self.add, reader)}")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Return the question as JSON values, for ``--json``."""
        return {
            "name": [self.name] if isinstance(self.name, str) else list(self.name),
            "text": self.text,
            "examples": [example._asdict() for example in self.examples],
            "answers": [answer.as_dict() for answer in self.answers],
            "option": list(self.option),
            "choices": list(self.choices),
            "note": self.note,
            "likely": self.likely,
        }


def _options_to_add(options: Mapping[str, Any], reader: Reader) -> str:
    separators = {"python": ", ", "shell": " ", "recipe": "\n"}
    return separators[reader].join(
        to_add(option, value, reader) for option, value in options.items()
    )


def to_add(option: str, value: Any, reader: Reader = "python") -> str:
    """Return an option with its value, in the syntax of a call, command or recipe.

    Example:
        >>> for reader in ("python", "shell", "recipe"):
        ...     print(to_add("order_by", "Last seen", reader))
        order_by='Last seen'
        --set 'order_by=Last seen'
        order_by = "Last seen"
    """
    if reader == "python":
        return f"{option}={value!r}"
    if reader == "recipe":
        _, _, lines = toml.toml_of({option: value}, {}).partition("\n")
        return lines.strip()
    flag = f"--{option.replace('_', '-')}"
    if option in _LINE_OPTIONS and not isinstance(value, bool):
        return command_line([flag, ",".join(map(str, value))])
    is_set = option in SET_OPTIONS or (isinstance(value, Mapping) and option == "categories")
    arguments = list[str]()
    for path, leaf in _leaves(value):
        if is_set:
            arguments += ["--set", f"{'.'.join((option, *path))}={leaf}"]
        elif isinstance(leaf, bool):
            arguments += [flag if leaf else flag.replace("--", "--no-")]
        else:
            arguments += [flag, "=".join((*path, str(leaf)))]
    return command_line(arguments)


def _leaves(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value of nested tables or of a list, with the keys that lead to it."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (((str(key), *path), leaf) for path, leaf in _leaves(inner))
    elif isinstance(value, Collection) and not isinstance(value, str):
        yield from (((), item) for item in value)
    else:
        yield (), value


def command_line(arguments: Iterable[str]) -> str:
    """Return a command line, quoted for the shell of this operating system."""
    parts = list(arguments)
    return subprocess.list2cmdline(parts) if os.name == "nt" else shlex.join(parts)
