"""What a comparison found: one row per animal, counts by kind, and the listing they rest on."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from petstore_frame._internal.arguments import one_of
from petstore_frame._internal.has_frame import HasFrame
from petstore_frame.html import NOTEBOOK, Markup
from petstore_frame.html.palette import verdict_badge
from petstore_frame.loader.call import Call
from petstore_frame.schema.categories import Categories
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import minute_text
from petstore_frame.stocktake.matching import IN_STORE, Kind

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.inventory import Completeness, Inventory

KindName: TypeAlias = Literal[
    "changed",
    "only in list",
    "not seen",
    "only in store",
    "ambiguous",
    "in doubt",
    "invalid",
    "same",
]
_FIRST_SHOWN = 10
BY_ID = ("id",)  # two listings of the store are compared


@dataclass(frozen=True, repr=False)
class Comparison(HasFrame):
    """Where a list and a store disagree; ``pf.compare()`` makes it.

    Attributes:
        name: The list.
        inventory: What was read of the store.
        completeness: What it covered then, and so whether a missing pet proves anything.
        key: The columns of the list that identify an animal; empty where ``on`` decided.
        on: The fields that made a record and a pet equal; empty where a key decided.
        frame: One row per animal: ``kind`` (category), ``difference`` (str: the fields that
            differ), ``record`` and ``line`` of the list (Int64), ``key`` (str), ``id`` of the pet
            (Int64), then each field of a pet as the list has it and, as ``<field>_in_store``, as
            the store has it; last ``problem`` (str) of a record that cannot be compared.
        warnings: What was noticed while the list was read.
        call: How it was compared, from which the load of the list is proposed.
    """

    name: str
    inventory: Inventory
    completeness: Completeness
    key: tuple[str, ...]
    on: tuple[str, ...]
    frame: pd.DataFrame = field(compare=False)
    warnings: tuple[str, ...] = ()
    call: Call = field(default=Call(), compare=False)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Counts by kind: columns ``records`` (of the list) and ``pets`` (of the store), int64.

        Every kind that can occur has a row; ``ambiguous`` counts both sides.
        """
        import pandas as pd

        kind = self.frame["kind"]
        # A pet that is one of several equal ones has no id of its own here.
        has_pet = self.frame["name" + IN_STORE].notna() | kind.eq(Kind.SAME)
        is_seen = has_pet & ~kind.isin([Kind.ONLY_IN_LIST, Kind.NOT_SEEN])
        counts = pd.DataFrame(
            {
                "records": kind[self.frame["record"].notna()].value_counts(),
                "pets": kind[is_seen].value_counts(),
            }
        )
        return counts.reindex(list(self._kinds())).fillna(0).astype("int64").rename_axis("kind")

    @property
    def is_equal(self) -> bool:
        """Whether list and store agree in every animal, and the listing is complete."""
        return self.completeness.is_complete and set(self.frame["kind"].unique()) <= {Kind.SAME}

    def of(self, kind: Kind | KindName) -> pd.DataFrame:
        """Return the rows of one kind.

        Raises:
            ArgumentError: There is no such kind.
        """
        chosen = one_of("kind", kind, [str(each) for each in Kind])
        rows = self.frame[self.frame["kind"].eq(chosen)]
        return rows.reset_index(drop=True)

    def write(self, path: str | PathLike[str], *, categories: Categories = None) -> Path:
        """Write a workbook with a summary and a sheet per kind, both values side by side.

        Args:
            path: An ``.xlsx`` file; an older one is replaced as a whole.
            categories: Labels by category id, to show instead of the numbers.

        Raises:
            MissingExtraError: XlsxWriter is not installed.
            ReportError: The file cannot be written; what was there is as it was.
        """
        from petstore_frame.stocktake.workbook import write_workbook

        return write_workbook(self, path, categories)

    def _kinds(self) -> tuple[Kind, ...]:
        """Return the kinds that can occur, in the order in which they are shown."""
        # A record that was not found is missing from the store, or its pet was not read.
        never = [Kind.NOT_SEEN if self.completeness.is_complete else Kind.ONLY_IN_LIST]
        # With a key there is no choice, and only a load by key leaves a record in doubt.
        never.append(Kind.AMBIGUOUS if self.key else Kind.IN_DOUBT)
        return tuple(kind for kind in Kind if kind not in never)

    def _columns(self) -> Collection[str]:
        return list(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def headline(self) -> str:
        """What was compared, and how."""
        by = f"by {', '.join(self.key)}" if self.key else f"on {', '.join(self.on)}"
        records = int(self.frame["record"].notna().sum())
        pets = len(self.inventory)
        return f"{records:,} records of {self.name} against {pets:,} pets, {by}"

    @property
    def store(self) -> str:
        """Which store was read, and when."""
        return f"{self.inventory.base_url}, read {minute_text(self.inventory.fetched_at)}"

    def next_steps(self) -> list[str]:
        """Return what can be done about the differences, in sentences."""
        counts = self.summary["records"]
        absent = counts.get(Kind.ONLY_IN_LIST, 0) + counts.get(Kind.NOT_SEEN, 0)
        steps = []
        if not self.completeness.is_complete:
            steps.append("The listing is not complete: what was not seen may be in the store.")
        if absent and self.key:
            steps.append(
                "To send what is only in the list, load it: known keys are never sent again.\n"
                f"  {self.call.to_load()}"
            )
        if counts.get(Kind.CHANGED) and self.on != BY_ID:
            steps.append("No call changes a pet: correct the list, or the store by its own means.")
        if counts.get(Kind.IN_DOUBT):
            steps.append("What an import left in doubt is settled there: reconcile, or resolve.")
        if counts.get(Kind.AMBIGUOUS):
            steps.append("A key would tell the ambiguous apart: load by key, then compare by key.")
        return steps

    def __str__(self) -> str:
        lines = [str(self.completeness), self.store, self.headline, self.summary.to_string()]
        return "\n".join([*lines, *self.warnings, *self.next_steps()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [
            NOTEBOOK.headline(verdict_badge(self.completeness.verdict), self.headline),
            NOTEBOOK.quiet([self.store, *self.warnings]),
            NOTEBOOK.table(
                [[kind, *counts] for kind, *counts in self.summary.itertuples(name=None)],
                ["", "Records", "Pets"],
                numbers={1, 2},
                is_named=True,
            ),
            NOTEBOOK.steps(self.next_steps()),
        ]
        rows = self.frame[self.frame["kind"].ne(Kind.SAME)]
        first = rows.groupby("kind", observed=True, sort=False).head(_FIRST_SHOWN)
        if len(first):
            shown = [
                ["" if value is None else str(value) for value in row]
                for row in self.shown_rows(first)
            ]
            parts.append(NOTEBOOK.section("The first differences; .frame has all rows"))
            parts.append(NOTEBOOK.table(shown, self.headings()))
        return str(Markup("").join(parts))

    def headings(self) -> list[str]:
        """Return what stands above the columns of rows that show both sides."""
        sides = [f"{each.label} ({side})" for each in SENT_FIELDS for side in ("list", "store")]
        key = [", ".join(self.key)] if self.key else []
        return ["What", "Differs in", "Line", *key, "Id", *sides]

    def shown_rows(self, frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
        """Return rows in the order of the headings, missing values as None."""
        columns = ["kind", "difference", "line", *(["key"] if self.key else []), "id"]
        for each in SENT_FIELDS:
            columns += [each.name, each.name + IN_STORE]
        values = frame[columns].astype("object")
        return values.where(values.notna(), None).itertuples(index=False, name=None)
