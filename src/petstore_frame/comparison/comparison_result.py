"""The differences between a list and a store, as tables, text and HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias

import pandas as pd

from petstore_frame.comparison.comparison_workbook import write_workbook
from petstore_frame.comparison.pet_matching import IN_STORE, Kind
from petstore_frame.inventory import Completeness, Inventory
from petstore_frame.rendering import PAGE, in_notebook, palette
from petstore_frame.schema import count_text, minute_text
from petstore_frame.storage import refuse_overwriting, write_atomically
from petstore_frame.tables import Categories, Labels
from petstore_frame.validation import checked_choice, checked_path

Reader: TypeAlias = Literal["python", "shell"]
# Literal names let a type checker find kinds that do not exist.
KindName: TypeAlias = Literal[
    "changed", "only in list", "not seen", "only in store", "ambiguous", "unconfirmed", "invalid",
    "excluded", "same",
]  # fmt: skip
_STEPS = {
    Kind.NOT_SEEN: "The listing is not complete: a pet that was not seen may be in the store.",
    Kind.ONLY_IN_LIST: "To send what is only in the list, load it with its key: animals that are "
    "loaded already are not sent again.",
    Kind.CHANGED: "No request can change a pet: correct the list, or the pet in the store's own "
    "software.",
    Kind.AMBIGUOUS: "To tell ambiguous animals apart, load the list with a key, then compare by "
    "that key.",
    Kind.EXCLUDED: "The store has pets of excluded rows: check their status in the store.",
}
_UNCONFIRMED_STEPS: dict[Reader, str] = {
    "python": "To settle unconfirmed rows, call result.reconcile() or result.resolve() on their "
    "import.",
    "shell": "To settle unconfirmed rows, load their file with --reconcile or --resolve.",
}


@dataclass(frozen=True, repr=False)
class Comparison:
    """The differences between a list and a store; ``pf.compare()`` returns it.

    Attributes:
        name: Name of the list.
        inventory: The pets that were read from the store.
        completeness: What the inventory covers; only a complete one proves that a pet is missing.
        key: Columns of the list that identify an animal; empty with ``on``.
        on: Fields by which rows and pets were matched; empty with ``key``.
        frame: One row per animal: ``kind`` (category), ``difference`` (str: the fields that
            differ), ``row`` and ``line`` of the list (Int64), ``key`` (str), ``id`` of the pet
            (Int64), then each field of a pet in the list and, as ``<field>_in_store``, in the
            store; last ``problem`` (str): why a row cannot be compared, or which key or
            pet is similar.
        warnings: Warnings from reading and comparing the list.
    """

    name: str
    inventory: Inventory
    completeness: Completeness
    key: tuple[str, ...]
    on: tuple[str, ...]
    frame: pd.DataFrame = field(compare=False)
    warnings: tuple[str, ...] = ()

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Counts by kind: columns ``rows`` (of the list) and ``pets`` (of the store), int64."""
        kind = self.frame["kind"]
        # A row has several pets if its animal was also loaded as new.
        rows = self.frame[self.frame["row"].notna()].drop_duplicates(["kind", "row"])
        counts = pd.DataFrame(
            {
                "rows": rows["kind"].value_counts(),
                "pets": kind[self._has_pet].value_counts(),
            }
        )
        # A row without a pet is only in the list, or its pet was not read.
        impossible = Kind.NOT_SEEN if self.completeness.is_complete else Kind.ONLY_IN_LIST
        kinds = [kind for kind in Kind if kind != impossible]
        return counts.reindex(kinds).fillna(0).astype("int64").rename_axis("kind")

    @property
    def _has_pet(self) -> pd.Series[bool]:
        # Pets in a group of equal pets have no id here.
        return self.frame["name" + IN_STORE].notna() | self.frame["kind"].eq(Kind.SAME)

    @property
    def differences(self) -> dict[str, int]:
        """The number of animals per kind of difference.

        An excluded row counts if the store has its pet.
        """
        kind = self.frame["kind"]
        agrees = kind.eq(Kind.SAME) | (kind.eq(Kind.EXCLUDED) & ~self._has_pet)
        counts = kind[~agrees].value_counts()
        return {str(name): int(counts[name]) for name in Kind if counts.get(name, 0)}

    @property
    def is_equal(self) -> bool:
        """Whether list and store agree on every animal, and the listing is complete."""
        return self.completeness.is_complete and not self.differences

    def of(self, kind: Kind | KindName) -> pd.DataFrame:
        """Return the rows of one kind, such as ``"only in list"``."""
        rows = self.frame[self.frame["kind"].eq(checked_choice("kind", kind, [*Kind]))]
        return rows.reset_index(drop=True)

    def write(
        self,
        path: str | PathLike[str],
        *,
        categories: Categories = None,
        overwrite: bool = False,
    ) -> Path:
        """Write a workbook with a summary and a sheet per kind, with both values side by side.

        Args:
            path: An ``.xlsx`` file.
            categories: Labels by category id, to show instead of the numbers.
            overwrite: Whether to replace a workbook that somebody changed since it was written.

        Raises:
            MissingExtraError: XlsxWriter is not installed.
            ReportError: The file cannot be written, or somebody changed it; an existing file is
                unchanged.
        """
        target, labels = checked_path("path", path), Labels(categories)
        refuse_overwriting(target, overwrite=overwrite, inputs=[categories])
        with write_atomically(target, ".xlsx") as draft:
            write_workbook(self, draft, labels)
        return target

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def headline(self) -> str:
        """The list, the store and the key or fields of the comparison, in one line."""
        by = f"by {', '.join(self.key)}" if self.key else f"on {', '.join(self.on)}"
        rows = count_text(self.frame["row"].nunique(), "row")
        pets = count_text(len(self.inventory), "pet")
        return f"{rows} of {self.name} against {pets}, {by}"

    @property
    def store(self) -> str:
        """The address of the store, and when it was read."""
        return f"{self.inventory.base_url}, read {minute_text(self.inventory.fetched_at)}"

    def next_steps(self, reader: Reader = "python") -> list[str]:
        """Return the next steps for the differences as sentences, for Python or for a shell."""
        steps = _STEPS | {Kind.UNCONFIRMED: _UNCONFIRMED_STEPS[reader]}
        return [steps[Kind(kind)] for kind in self.differences if kind in steps]

    def text(self, reader: Reader = "python") -> str:
        """Return the comparison as text, with the next steps for Python or for a shell."""
        lines = [str(self.completeness), self.store, self.headline, self.summary.to_string()]
        return "\n".join([*lines, *self.warnings, *self.next_steps(reader)])

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        counts = [[kind, *counts] for kind, *counts in self.summary.itertuples(name=None)]
        head = PAGE.headline(palette.verdict_badge(self.completeness.verdict), self.headline)
        quiet = PAGE.quiet([self.store, *self.warnings])
        table = PAGE.table(counts, ["", "Rows", "Pets"], numbers={1, 2}, is_named=True)
        return in_notebook(head + quiet + table + PAGE.steps(self.next_steps()))
