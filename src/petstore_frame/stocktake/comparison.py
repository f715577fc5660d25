"""What a comparison found: one row per animal, counts by kind, and the workbook of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import pandas as pd

from petstore_frame.errors import answering, one_of
from petstore_frame.files import Book, Sheet, open_book, styles, whole_file
from petstore_frame.inventory import Completeness, Inventory
from petstore_frame.markup import PAGE, count_text, in_notebook, minute_text, palette
from petstore_frame.schema import FIELDS, Categories, Labels
from petstore_frame.stocktake.matching import IN_STORE, Kind

# So that a type checker finds a kind that is none.
KindWord: TypeAlias = Literal[
    "changed", "only in list", "not seen", "only in store", "ambiguous", "in doubt", "invalid",
    "same",
]  # fmt: skip
BY_ID = ("id",)  # two listings of the store are compared
_CELL = {**styles.BODY, "align": "left"}
_WIDTHS = {"What": 13, "Differs in": 16, "Line": 8, "Id": 12, "Note": 50}
_FIELD_WIDTH = 19
_STEPS = {
    Kind.NOT_SEEN: "The listing is not complete: what was not seen may be in the store.",
    Kind.ONLY_IN_LIST: "To send what is only in the list, load it by its key: known keys are never "
    "sent again.",
    Kind.CHANGED: "No call changes a pet: correct the list, or the store by its own means.",
    Kind.IN_DOUBT: "What an import left in doubt is settled there: reconcile, or resolve.",
    Kind.AMBIGUOUS: "A key would tell the ambiguous apart: load by key, then compare by key.",
}


@dataclass(frozen=True, repr=False)
@answering
class Comparison:
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
            the store has it; last ``problem`` (str): why a record cannot be compared, which known
            key differs from its own in form only, or which pet of the list a pet of others equals.
        warnings: What was noticed while the list was read.
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
        """Counts by kind: columns ``records`` (of the list) and ``pets`` (of the store), int64."""
        kind = self.frame["kind"]
        # A pet that is one of several equal ones has no id of its own here.
        has_pet = self.frame["name" + IN_STORE].notna() | kind.eq(Kind.SAME)
        is_seen = has_pet & ~kind.isin([Kind.ONLY_IN_LIST, Kind.NOT_SEEN])
        records = kind[self.frame["record"].notna()].value_counts()
        counts = pd.DataFrame({"records": records, "pets": kind[is_seen].value_counts()})
        # A record that was not found is missing from the store, or its pet was not read.
        never = Kind.NOT_SEEN if self.completeness.is_complete else Kind.ONLY_IN_LIST
        shown = [kind for kind in Kind if kind != never]
        return counts.reindex(shown).fillna(0).astype("int64").rename_axis("kind")

    @property
    def is_equal(self) -> bool:
        """Whether list and store agree in every animal, and the listing is complete."""
        return self.completeness.is_complete and set(self.frame["kind"].unique()) <= {Kind.SAME}

    def of(self, kind: Kind | KindWord) -> pd.DataFrame:
        """Return the rows of one kind."""
        chosen = one_of("kind", kind, get_args(KindWord))
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
        target, labels = Path(fspath(path)), Labels(categories)
        with whole_file(target, ".xlsx") as draft, open_book(draft) as book:
            _write_summary(book, self)
            for kind in self.summary.index:
                rows = self.of(kind)
                for number, start in enumerate(range(0, len(rows), styles.SHEET_ROWS), start=1):
                    name = kind.capitalize() + f" {number}" * (number > 1)
                    part = rows[start : start + styles.SHEET_ROWS]
                    _write_kind(book.sheet(name), self, part, labels)
        return target

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def headline(self) -> str:
        """What was compared, and how."""
        by = f"by {', '.join(self.key)}" if self.key else f"on {', '.join(self.on)}"
        records = count_text(int(self.frame["record"].notna().sum()), "record")
        pets = count_text(len(self.inventory), "pet")
        return f"{records} of {self.name} against {pets}, {by}"

    @property
    def store(self) -> str:
        """Which store was read, and when."""
        return f"{self.inventory.base_url}, read {minute_text(self.inventory.fetched_at)}"

    def next_steps(self) -> list[str]:
        """Return what can be done about the differences, in sentences."""
        held = {*self.frame["kind"].unique()}
        return [sentence for kind, sentence in _STEPS.items() if kind in held]

    def __str__(self) -> str:
        lines = [str(self.completeness), self.store, self.headline, self.summary.to_string()]
        return "\n".join([*lines, *self.warnings, *self.next_steps()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        counts = [[kind, *counts] for kind, *counts in self.summary.itertuples(name=None)]
        head = PAGE.headline(palette.verdict_badge(self.completeness.verdict), self.headline)
        quiet = PAGE.quiet([self.store, *self.warnings])
        table = PAGE.table(counts, ["", "Records", "Pets"], numbers={1, 2}, is_named=True)
        return in_notebook(head + quiet + table + PAGE.steps(self.next_steps()))

    def headings(self) -> list[str]:
        """Return what stands above the columns of rows that show both sides."""
        sides = [f"{each.label} ({side})" for each in FIELDS.sent for side in ("list", "store")]
        key = [", ".join(self.key)] if self.key else []
        return ["What", "Differs in", "Line", *key, "Id", *sides, "Note"]

    def shown_rows(self, frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
        """Return rows in the order of the headings, missing values as None."""
        columns = ["kind", "difference", "line", *(["key"] if self.key else []), "id"]
        for each in FIELDS.sent:
            columns += [each.name, each.name + IN_STORE]
        values = frame[[*columns, "problem"]].astype("object")
        return values.where(values.notna(), None).itertuples(index=False, name=None)


def _write_summary(book: Book, comparison: Comparison) -> None:
    sheet = book.sheet("Summary")
    for col, width in enumerate((26, 20, 20)):
        sheet.do("set_column", col, col, width)
    about = (comparison.headline, f"{comparison.store}; {comparison.completeness}")
    rows: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        (("Our list against the store",), styles.TITLE),
        *(((line,), {}) for line in about),
        (("What", "Records of the list", "Pets of the store"), styles.HEAD),
        *((counts, _CELL) for counts in comparison.summary.itertuples(name=None)),
        *(((line,), {}) for line in (*comparison.warnings, *comparison.next_steps())),
    ]
    sheet.do("set_row", 0, styles.TITLE_POINTS)
    for row, (cells, look) in enumerate(rows):
        for col, cell in enumerate(cells):
            sheet.put(row, col, cell, book.style(**look))
    _finish(sheet, comparison)


def _write_kind(
    sheet: Sheet, comparison: Comparison, rows: pd.DataFrame, labels: dict[int, str]
) -> None:
    """Write the rows of a kind, the fields that differ marked, categories by their names."""
    words = comparison.headings()
    first = len(words) - 1 - 2 * len(FIELDS.sent)  # from here on fields, ours and theirs in turn
    field_of = [None] * first + [name for name in FIELDS.sent.names for _side in range(2)] + [None]
    looks = (styles.HEAD, _CELL, {**_CELL, **styles.DIFFERENT})
    head, plain, marked = (sheet.book.style(**look) for look in looks)
    for at, word in enumerate(words):
        sheet.do("set_column", at, at, _WIDTHS.get(word, _FIELD_WIDTH))
        sheet.put(0, at, word, head)
    sheet.raw.freeze_panes(1, 0)
    for row, cells in enumerate(comparison.shown_rows(rows), 1):
        differing = (cells[1] or "").split(", ")
        for at, (name, cell) in enumerate(zip(field_of, cells, strict=True)):
            value = labels.get(cell, cell) if name == "category_id" else cell
            sheet.put(row, at, value, marked if name in differing else plain)
    sheet.do("autofilter", 0, 0, len(rows), len(words) - 1)
    _finish(sheet, comparison)


def _finish(sheet: Sheet, comparison: Comparison) -> None:
    """Say on each printed page what the listing covers."""
    sheet.print_on_a4(sheet.name, warning=str(comparison.completeness), repeat_row=0)
