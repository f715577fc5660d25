"""What a load reports besides the state of each row: one class for each finding.

A finding has its values, a sentence and, if there is something to do, the next step. The journal
stores the findings of the latest call by their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from petstore_frame.questions import Step
from petstore_frame.schema import count_text, line_text, minute_text

_MAX_NAMED = 10


@dataclass(frozen=True)
class Finding:
    """Something that a user should know about a load."""

    def __str__(self) -> str:
        raise NotImplementedError

    def steps(self) -> Iterator[Step]:
        """Yield what the user may do next."""
        yield from ()


@dataclass(frozen=True)
class SentAlthoughEqual(Finding):
    """Rows that lines 5 or 7 of the table only list, after an earlier answer."""

    lines: list[int]

    def __str__(self) -> str:
        return f"Look like loaded animals, but are added as new: {_rows(self.lines)}"


@dataclass(frozen=True)
class EqualToOtherFiles(Finding):
    """Rows of ``as_new=True`` that equal animals of other files."""

    rows: int

    def __str__(self) -> str:
        return f"New animals that equal animals of other files: {count_text(self.rows, 'row')}"


@dataclass(frozen=True)
class RenamedInStore(Finding):
    """Rows whose pets have another name in the store."""

    names: dict[str, str]  # the name in the store, by row
    lines: list[int]

    def __str__(self) -> str:
        return f"Renamed in the store, and not sent again: {_rows(self.lines)}"


@dataclass(frozen=True)
class StoreNotReadToEnd(Finding):
    """The store may have more pets than those that the rows were compared with."""

    pets: int

    def __str__(self) -> str:
        return f"The store was not read to its end; pets compared: {self.pets:,}"


@dataclass(frozen=True)
class CreatedBeforeSkip(Finding):
    """Rows that were created before the user answered ``skip``."""

    lines: list[int]

    def __str__(self) -> str:
        return f"Created before you answered skip, and not taken back: {_rows(self.lines)}"


@dataclass(frozen=True)
class SkippedEarlier(Finding):
    """Rows that are not sent because of an earlier answer."""

    lines: list[int]
    at: float

    def __str__(self) -> str:
        day = minute_text(self.at)[:10]
        return f"Not sent, because you answered skip on {day}: {_rows(self.lines)}"

    def steps(self) -> Iterator[Step]:
        text = f"{_rows(self.lines)} skipped earlier; if these are other animals"
        yield Step(text, {"as_new": self.lines})


@dataclass(frozen=True)
class RejectedCorrections(Finding):
    """Corrections that were not applied: their lines, the lines of their rows, and why."""

    lines: list[tuple[int, int, str]]

    def __str__(self) -> str:
        texts = [
            f"line {line}{f', for line {row}' if row != line else ''}: {reason}"
            for line, row, reason in self.lines
        ]
        return f"Corrections not applied: {_cut(texts)}"

    def steps(self) -> Iterator[Step]:
        yield Step(
            "some corrections were not applied: make them again; put new animals into a file of "
            "their own"
        )


@dataclass(frozen=True)
class ForeignFixFile(Finding):
    """A fix file whose import is not in this journal."""

    def __str__(self) -> str:
        return "Fix file of another journal: read as a new file"


@dataclass(frozen=True)
class RepeatedBlocks(Finding):
    """Blocks of rows without a key that repeat themselves: their first and last lines."""

    blocks: list[tuple[int, int, int, int]]

    def __str__(self) -> str:
        texts = [
            f"lines {start} to {end} again as {again} to {last}"
            for start, end, again, last in self.blocks
        ]
        return f"A block of rows is repeated; was it pasted twice? {_cut(texts)}"

    def steps(self) -> Iterator[Step]:
        lines = [line for *_, again, last in self.blocks for line in range(again, last + 1)]
        if len(lines) <= _MAX_NAMED:
            yield Step(
                "If a block was pasted twice, do not send it again", {"exclude_lines": lines}
            )


@dataclass(frozen=True)
class GoneAnimals(Finding):
    """Animals that the store no longer shows: of this file by line, of other files by number."""

    lines: list[int]
    names: list[str]
    other_files: dict[str, int] = field(default_factory=dict)
    newly: int = 0  # how many this call found

    def __str__(self) -> str:
        parts = []
        if self.lines:
            parts.append(f"{_rows(self.lines)}, {_cut(self.names)}")
        parts += [f"{count:,} of {source}" for source, count in self.other_files.items()]
        return f"No longer in the store: {'; '.join(parts)}"

    def steps(self) -> Iterator[Step]:
        if self.lines:
            text = f"{count_text(len(self.lines), 'animal')} no longer in the store: create again"
            yield Step(text, {"as_new": self.lines})
        if self.other_files:
            yield Step(
                "animals of other files are no longer in the store: load these files again; their "
                "results name the lines to create"
            )


@dataclass(frozen=True)
class ChangedValues(Finding):
    """Rows whose animals were loaded with other values, by field."""

    fields: dict[str, int]
    rows: int

    def __str__(self) -> str:
        fields = ", ".join(f"{name} of {count:,}" for name, count in self.fields.items())
        animals = count_text(self.rows, "animal")
        return f"Changed for {animals} ({fields}); a load changes no pet: see result.changed"


@dataclass(frozen=True)
class NewCategoryNames(Finding):
    """Names of a list that are new for this store, with pets that have their numbers."""

    names: dict[str, str]  # by number
    pets: dict[str, list[str]]

    def __str__(self) -> str:
        return "Names of categories that are new for this store: " + _cut(self.lines())

    def lines(self) -> list[str]:
        """Return each number with its name, and pets of the store to compare it with."""
        return [
            f"{number}: {name}; the store has {', '.join(self.pets[number]) or 'no pets'} with "
            f"{number}"
            for number, name in self.names.items()
        ]


_CLASSES = {
    finding.__name__: finding
    for finding in (
        SentAlthoughEqual, EqualToOtherFiles, RenamedInStore, StoreNotReadToEnd, CreatedBeforeSkip,
        SkippedEarlier, RejectedCorrections, ForeignFixFile, RepeatedBlocks, NewCategoryNames,
    )
}  # fmt: skip


def pack_findings(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return findings as JSON values, by the names of their classes."""
    return {type(finding).__name__: asdict(finding) for finding in findings}


def unpack_findings(stored: dict[str, Any]) -> list[Finding]:
    """Return the findings that ``pack_findings`` stored."""
    return [_CLASSES[name](**values) for name, values in stored.items()]


def _rows(lines: Sequence[int]) -> str:
    return f"{count_text(len(lines), 'row')} ({line_text(lines)})"


def _cut(texts: Sequence[str]) -> str:
    more = len(texts) - _MAX_NAMED
    return "; ".join([*texts[:_MAX_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


def repeated_blocks(rows: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, int, int]]:
    """Find blocks of at least three different rows that repeat themselves.

    Args:
        rows: The number, the line and the text of each row that has an equal row.

    Returns:
        The first and last line of each block, and those of its repetition.

    Example:
        >>> texts = "a b c x a b c".split()
        >>> repeated_blocks([(n, n + 1, text) for n, text in enumerate(texts, 1)])
        [(2, 4, 6, 8)]
    """
    line_of = {number: line for number, line, _ in rows}
    text_of = {number: text for number, _, text in rows}
    first_at: dict[tuple[str, ...], int] = {}
    blocks: list[tuple[int, int, int, int]] = []
    covered = 0  # the last row of the latest repetition
    for number in text_of:
        texts = tuple(text_of.get(number + at, "") for at in range(3))
        if number <= covered or len({*texts}) < 3 or "" in texts:
            continue
        first = first_at.setdefault(texts, number)
        if first == number or number - first < 3:
            continue
        length = 3
        while (
            length < number - first
            and text_of.get(number + length, "")
            and (text_of.get(first + length) == text_of.get(number + length))
        ):
            length += 1
        covered = number + length - 1
        blocks.append(
            (line_of[first], line_of[first + length - 1], line_of[number], line_of[covered])
        )
    return blocks


def count_fields(changes: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return in how many rows each field has changed."""
    return dict(Counter(name for names in changes for name in names))
