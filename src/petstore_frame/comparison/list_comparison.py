"""Compares a list of ours with the pets of the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypeAlias, Unpack

import pandas as pd

from petstore_frame.comparison.pet_matching import (
    IN_STORE,
    NULLABLE,
    Kind,
    join,
    match_by_key,
    match_on,
    note_other_forms,
    note_twins,
)
from petstore_frame.errors import ArgumentError
from petstore_frame.inventory import Completeness, Inventory, read_listing
from petstore_frame.loader import Recipe, RecipeOptions, State, as_recipe, read_ids, read_list
from petstore_frame.rendering import PAGE, count_text, in_notebook, minute_text, palette
from petstore_frame.schema import FIELDS, AnyFrame, Categories, Labels, as_type
from petstore_frame.storage import Book, Sheet, open_book, styles, whole_file
from petstore_frame.validation import one_of, some_of

# So that a type checker finds a kind that is none.
KindWord: TypeAlias = Literal[
    "changed", "only in list", "not seen", "only in store", "ambiguous", "unconfirmed", "invalid",
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
    Kind.UNCONFIRMED: "What an import left unconfirmed is settled there: reconcile, or resolve.",
    Kind.AMBIGUOUS: "A key would tell the ambiguous apart: load by key, then compare by key.",
}


def compare(
    source: str | PathLike[str] | AnyFrame | Inventory,
    inventory: Inventory | pd.DataFrame | str | PathLike[str],
    *,
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None = None,
    on: str | Sequence[str] | None = None,
    journal: str | PathLike[str] | None = None,
    **options: Unpack[RecipeOptions],
) -> Comparison:
    """Compare a list with what a store holds, animal by animal.

    You say how a record finds its pet; nothing is guessed. With ``key``, the loader's table of keys
    and pet ids decides. With ``on``, records and pets that are equal in these fields belong
    together; where that leaves a choice, they are ``ambiguous``.

    Args:
        source: What ``load`` reads, and read as ``load`` does. With ``on="id"`` an earlier listing,
            in any form that ``inventory`` has.
        inventory: What was read of the store, all statuses: an Inventory, its frame, or a file
            of one.
        recipe: How this kind of file is read, as of ``load``.
        on: The fields that make a record and a pet equal, as in ``["name", "category_id"]``; or
            ``id``.
        journal: Folder of the journals; None is the user's state directory.
        options: Options of a recipe, which override its own; ``key`` is the column of the list by
            which it was loaded, or several.

    Returns:
        A Comparison, whose ``frame`` has one row per animal. If the listing is not complete, its
        kind is ``not seen`` instead of ``only in list``. An empty cell states nothing, so it never
        counts as a difference.

    Raises:
        ArgumentError: Neither or both of ``key`` and ``on`` were given, the inventory is that
            of one status, or two listings are of different stores.
        InputError: The list cannot be read as records.
        JournalError: The journal of the store cannot be read.

    Example:
        >>> import pandas as pd
        >>> from petstore_frame import compare, fetch_inventory, serve
        >>> ours = pd.DataFrame({"name": ["Luna"], "category_id": [3], "status": ["sold"]})
        >>> with serve(sample=20, seed=7) as server, server.client() as client:
        ...     found = compare(ours, fetch_inventory(client), on=["name", "category_id"])
        >>> found.summary.loc["only in list"].to_dict()
        {'records': 1, 'pets': 0}

    Interface: List all animals (what is compared is ours; the interface has no change and no
        delete).
    """
    how = as_recipe(recipe, options)
    fields = some_of("on", on, (*BY_ID, *NULLABLE)) if on else ()
    if bool(how.key) == bool(fields):
        raise ArgumentError(
            "say which pet a record is: key= names the column by which the list was loaded, "
            f"on= the fields that make two equal (of {', '.join(NULLABLE)}); one of the two"
        )
    store = _whole_listing(inventory)
    covered, stored = store.completeness, store.frame
    if fields == BY_ID:
        name, listed, warnings = _earlier(source, store)
        table = join(listed, stored, states_all=True)
    else:
        name, listed, warnings = read_list(source, how)
        if fields:
            table = match_on(listed, stored, fields, is_whole=covered.covers_all)
        else:
            keys = _known_keys(store, journal)
            table = match_by_key(listed, keys, stored)
            warnings += [*note_other_forms(table, keys), *note_twins(table)]
    if not covered.covers_all:  # absence proves only that it was not read
        absent = table["kind"].eq(Kind.ONLY_IN_LIST)
        table["kind"] = table["kind"].where(~absent, str(Kind.NOT_SEEN))
    return Comparison(name, store, covered, how.key or (), fields, table, tuple(warnings))


def _known_keys(inventory: Inventory, journal: str | PathLike[str] | None) -> pd.DataFrame:
    """Return the table of keys that the loader has kept."""
    ids = read_ids(inventory.base_url, store_id=inventory.store_id, journal=journal)
    if ids.empty:
        raise ArgumentError(
            f"no key of {inventory.base_url} is known here: load the list with key= first, name "
            "the folder of its journal with journal=, or compare with on="
        )
    return ids[["key", "id"]].assign(
        is_unconfirmed=ids["state"].isin([each for each in State if each.is_unconfirmed])
    )


def _whole_listing(given: Any) -> Inventory:
    """Return the inventory to compare with; one of a selection is refused."""
    inventory = read_listing(given)
    if inventory is None:
        raise ArgumentError(
            "compare(list, inventory): the second is what pf.fetch_inventory(client) returns, its "
            f"frame, or a Parquet file of it; got {type(given).__name__}"
        )
    known = inventory.completeness
    if known.part or known.status:
        raise ArgumentError(
            f"the inventory holds only the pets with {known.part or f'status {known.status}'}; "
            "compare with that of all: pf.fetch_inventory(client)"
        )
    return inventory


def _earlier(source: Any, inventory: Inventory) -> tuple[str, pd.DataFrame, list[str]]:
    """Return an earlier listing as a list, whose records have the ids of its pets."""
    before = read_listing(source)
    if before is None or before.provenance.is_other_store(inventory.provenance):
        got = type(source).__name__ if before is None else f"one of {before.store_name}"
        raise ArgumentError(
            f'on="id" compares two listings of one store, here of {inventory.store_name}: each an '
            f"Inventory, its frame or a file of one; got {got}"
        )
    frame, known = as_type(before.frame, NULLABLE), before.completeness
    places = dict.fromkeys(("record", "line"), range(1, len(frame) + 1))
    ids, none = frame["id"].astype("Int64"), as_type([], "str")
    records = frame.assign(**places, key=none, problem=none, kind="", id=ids)
    warnings = [] if known.covers_all else [f"The earlier listing is not whole: {known}."]
    return (f"the listing of {minute_text(before.fetched_at)}", records, warnings)


@dataclass(frozen=True, repr=False)
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
        """Return the rows of one kind, such as ``"only in list"``."""
        rows = self.frame[self.frame["kind"].eq(one_of("kind", kind, [*Kind]))]
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
    first = len(words) - 1 - 2 * len(NULLABLE)  # from here on fields, ours and theirs in turn
    field_of = [None] * first + [name for name in NULLABLE for _side in range(2)] + [None]
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
