"""Counts the rows of a file in groups that mean something to a user; each row counts once."""

from __future__ import annotations

import sqlite3
from collections import Counter
from enum import StrEnum
from typing import NamedTuple, Self

from petstore_frame.loader.journal.row_counts import count_groups_of_lines
from petstore_frame.loader.journal.rows import Import
from petstore_frame.schema import count_text


class RowGroup(StrEnum):
    """The groups of rows that users see, with their texts, in the order of display."""

    text: str

    def __new__(cls, value: str, text: str) -> Self:
        group = str.__new__(cls, value)
        group._value_, group.text = value, text
        return group

    def counted(self, rows: int, animals: int | None = None) -> str:
        """Return a number of rows of this group as text.

        ``animals`` is the number of animals in this group, if a row may stand for several; rows
        that are partly finished count in another group than their other animals.
        """
        if animals is not None:
            return self._counted_with_animals(rows, animals)
        if self is RowGroup.ADDED:
            return f"{count_text(rows, 'animal')} added"
        if self is RowGroup.NEED_FIXING and rows == 1:
            return "1 needs fixing"
        if self is RowGroup.POSSIBLE_DUPLICATE:
            return count_text(rows, "possible duplicate")
        return f"{rows:,} {self.text}"

    def _counted_with_animals(self, rows: int, animals: int) -> str:
        needs_fixing = self is RowGroup.NEED_FIXING and (rows or animals) == 1
        outcome = "needs fixing" if needs_fixing else self.text
        of_animals = count_text(animals, "animal")
        if not rows:
            return f"{of_animals} {outcome}"
        return f"{count_text(rows, 'row')} {outcome} ({of_animals})"

    ADDED = "added", "added"
    TO_SEND = "to_send", "to send"
    ALREADY_LOADED = "already_loaded", "already loaded"
    MATCHED = "matched", "matched with pets in the store"
    POSSIBLE_DUPLICATE = "possible_duplicate", "possible duplicates"
    REPEATED = "repeated", "repeated in the file"
    EXCLUDED = "excluded", "excluded"
    NEED_FIXING = "need_fixing", "need fixing"
    REJECTED = "rejected", "rejected by the store"
    UNCONFIRMED = "unconfirmed", "unconfirmed"
    GONE = "gone", "no longer in the store"


_GROUPS = {str(group): group for group in RowGroup}
# A row that stands for several animals is in the group of the least finished one.
_LEAST_FINISHED_FIRST = (
    RowGroup.NEED_FIXING, RowGroup.REJECTED, RowGroup.UNCONFIRMED, RowGroup.POSSIBLE_DUPLICATE,
    RowGroup.TO_SEND, RowGroup.GONE, RowGroup.REPEATED, RowGroup.ALREADY_LOADED,
    RowGroup.MATCHED, RowGroup.ADDED, RowGroup.EXCLUDED,
)  # fmt: skip


class GroupCounts(NamedTuple):
    """The number of rows and of animals in each group, including empty groups."""

    rows: dict[RowGroup, int]
    animals: dict[RowGroup, int]

    def texts(self, *, has_quantity: bool) -> list[str]:
        """Return the groups that are not empty; with a quantity column, with their animals."""
        if not has_quantity:
            return [group.counted(rows) for group, rows in self.rows.items() if rows]
        return [
            group.counted(rows, self.animals[group])
            for group, rows in self.rows.items()
            if rows or self.animals[group]
        ]


def count_groups(sql: sqlite3.Connection, run: Import) -> GroupCounts:
    """Return the number of rows of the file, and of their animals, in each group."""
    has_quantity = bool((run.recipe or {}).get("quantity"))
    counts, animals = Counter[RowGroup](), Counter[RowGroup]()
    group_of_line: dict[int, RowGroup] = {}
    # Without a quantity column each row of the journal is a row of the file.
    for line, name, rows in count_groups_of_lines(sql, run.number, by_line=has_quantity):
        group = _GROUPS[name]
        animals[group] += rows
        if line is None:
            counts[group] += rows
            continue
        groups = {group, group_of_line.get(line, group)}
        group_of_line[line] = min(groups, key=_LEAST_FINISHED_FIRST.index)
    counts.update(group_of_line.values())
    return GroupCounts(
        {group: counts[group] for group in RowGroup}, {group: animals[group] for group in RowGroup}
    )
