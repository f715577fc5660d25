"""What the rows add up to, on any dataframe engine: as a frame, as text, and as markup."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self, overload

import narwhals as nw
import pandas as pd

from petstore_frame.counts.pet_table import category_ids, open_frame
from petstore_frame.counts.tally import CategoryCounts, StatusCounts, short
from petstore_frame.errors import answering
from petstore_frame.inventory import Completeness, Inventory, StatusCount
from petstore_frame.inventory.completeness_view import completeness_line
from petstore_frame.markup import NOTEBOOK, Cell, Markup, Renderer
from petstore_frame.markup.palette import STATUS_COLOURS, shorten, status_word, verdict_badge
from petstore_frame.schema.arguments import one_of
from petstore_frame.schema.categories import Categories, shown_labels
from petstore_frame.schema.frame import AnyFrame, HasFrame
from petstore_frame.schema.models import NO_STATUS

ALL_PETS, ALL_CATEGORIES = "all pets", "all categories"
LEGEND = "≥ means at least: the store may hold more than was read."
_NAME_LENGTH = 40
_STRONGEST = 0.45  # of the colour behind a number; with more, the number is hard to read
_GROUPED = ("category_id", "status")


@overload
def summarize(pets: Inventory, *, categories: Categories = None) -> Summary: ...
@overload
def summarize(pets: AnyFrame, *, categories: Categories = None) -> Any: ...
@answering
def summarize(pets: Inventory | AnyFrame, *, categories: Categories = None) -> Any:
    """Count pets by category and status, with sums at both edges.

    The rows are counted in one pass on their own engine; only the counts are brought here.

    Args:
        pets: An Inventory, or a frame with the columns ``category_id`` and ``status``: pandas,
            polars, pyarrow, a DuckDB relation, Dask or PySpark.
        categories: Labels by category id: a dict, a Series, or a CSV path of
            ``category_id,label``. A category without one is ``Category 7``.

    Returns:
        For a frame, a frame of the same kind: one row per category in the order of its id, then
        one row ``all categories``. Columns: ``category_id`` (Int64, missing in the last row),
        ``category`` (text), one int64 count per status (``available``, ``pending``, ``sold``,
        unknown ones in alphabetical order, ``no status``), and ``all pets`` (int64). Such a
        frame counts the rows that were passed, whatever the store holds. For an Inventory, a
        Summary, whose counts are marked "at least" where the listing is not proven complete; its
        ``.frame`` has the rows of the categories alone, and ``.total`` the sum.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame.
        InputError: The frame lacks a column, or a category id is not a whole number.

    Example:
        >>> import pandas as pd
        >>> pets = pd.DataFrame({"category_id": [3, 3, 7], "status": ["sold", None, "sold"]})
        >>> summarize(pets, categories={3: "Cat"}).set_index("category")[["sold", "all pets"]]
                        sold  all pets
        category
        Cat                1         2
        Category 7         1         1
        all categories     2         3

    Interface: Resources, PetStatus; a status is optional, so a missing one has a column.
    """
    if isinstance(pets, Inventory):
        return Summary.of(pets.frame, pets.completeness, categories)
    return _like(_columns_of(StatusCounts.of(_groups(pets), shown_labels(categories))), pets)


def count_pets(pets: Any, by: Sequence[str] = _GROUPED) -> Any:
    """Count pets by columns, lazily where the engine is lazy.

    Returns:
        A frame of the same kind: the columns of ``by``, then ``pets`` (int64). A status is text,
        and a missing one is the group ``no status``. The order of the rows is not fixed.
    """
    columns = [status_text().alias("status") if name == "status" else nw.col(name) for name in by]
    counted = open_frame(pets, by).select(*columns).group_by(*by).agg(pets=nw.len())
    # A cast inside agg() is refused by pyarrow and Dask, and polars counts in UInt32.
    return counted.with_columns(nw.col("pets").cast(nw.Int64)).to_native()


def status_text() -> nw.Expr:
    """Return the status as text, a missing one as ``no status``.

    Engines disagree on whether a null equals a null, and on the type of a category. Text, with
    ``no status`` for a missing one, is the form that all of them compare and group alike.
    """
    status = nw.col("status")
    # Filled in before the cast would fail for a category; pandas 2 casts a missing one to "None".
    return nw.when(status.is_null()).then(nw.lit(NO_STATUS)).otherwise(status.cast(nw.String))


def _groups(pets: Any) -> Iterator[tuple[int | None, str, int]]:
    """Yield one ``(category_id, status, pets)`` per group that occurs."""
    counted = nw.from_native(count_pets(pets)).lazy().collect()
    category = counted["category_id"]
    # pandas makes floats of whole numbers among which one is missing, unless they are objects.
    dtype = "float64" if category.dtype.is_float() else "object"
    ids = category_ids(pd.Series(category.to_list(), name="category_id", dtype=dtype))
    yield from zip(ids, counted["status"], counted["pets"], strict=True)


def _columns_of(counts: StatusCounts) -> dict[str, list[Any]]:
    """Lay counts out as columns: one row per category, and the sums as the last row."""
    columns = {
        column_name(status): [*cells.tolist(), int(cells.sum())]
        for status, cells in zip(counts.statuses, counts.cells.T, strict=True)
    }
    return {
        "category_id": [*counts.category_ids, None],
        "category": [*counts.labels, ALL_CATEGORIES],
        **columns,
        ALL_PETS: [*counts.cells.sum(axis=1).tolist(), counts.total.count],
    }


def _pandas_frame(table: Mapping[str, list[Any]]) -> pd.DataFrame:
    dtypes = {"category_id": "Int64", "category": "str"}
    return pd.DataFrame(
        {name: pd.Series(cells, dtype=dtypes.get(name, "int64")) for name, cells in table.items()}
    )


def _like(table: Mapping[str, list[Any]], pets: Any) -> Any:
    """Return a small table as a frame of the same kind as the pets."""
    original = nw.from_native(pets)
    kind = original.implementation
    frame: nw.DataFrame[Any]
    if kind.is_pandas_like() or kind.is_dask():
        frame = nw.from_native(_pandas_frame(table), eager_only=True)
    else:
        schema = {name: nw.String if name == "category" else nw.Int64 for name in table}
        frame = nw.from_dict(table, schema, backend="polars" if kind.is_polars() else "pyarrow")
    if isinstance(original, nw.DataFrame):
        return frame.to_native()
    session = pets.sparkSession if kind.is_pyspark() else None
    return frame.lazy(kind, session=session).to_native()


@dataclass(frozen=True, repr=False, eq=False)
class Summary(HasFrame):
    """Status by category of an Inventory, each count exact or a minimum.

    ``summarize(inventory)`` makes it; ``print`` it, or let a notebook show it.

    Example:
        >>> import pandas as pd
        >>> from petstore_frame import Completeness, Summary
        >>> pets = pd.DataFrame({"category_id": [3, 3], "status": ["sold", None]})
        >>> known = Completeness("unknown", "the page was full", rows=2, requests=1)
        >>> print(Summary.of(pets, known).count("sold", category_id=3))
        at least 1
    """

    counts: StatusCounts
    completeness: Completeness

    @classmethod
    def of(cls, pets: Any, completeness: Completeness, categories: Categories = None) -> Self:
        """Count pets of any engine, of which it is known what they cover."""
        counts = StatusCounts.of(_groups(pets), shown_labels(categories), completeness)
        return cls(counts, completeness)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per category, without sums; a table of your own each time."""
        return _pandas_frame(_columns_of(self.counts)).iloc[:-1]

    @property
    def total(self) -> StatusCount:
        """How many pets there are, of any category and status."""
        return self.counts.total

    @property
    def statuses(self) -> list[str]:
        """The statuses counted, ``no status`` last."""
        return list(self.counts.statuses)

    def count(self, status: str | None = None, category_id: int | None = None) -> StatusCount:
        """Return one count and whether it is exact; None means any.

        Raises:
            ArgumentError: No pet can have such a status here.
        """
        known = self.counts
        if status is not None:
            one_of("status", status, known.statuses)
        rows = [category_id is None or held == category_id for held in known.category_ids]
        columns = [status is None or held == status for held in known.statuses]
        covered = self.completeness.total if status is None else self.completeness.count(status)
        return StatusCount(int(known.cells[rows][:, columns].sum()), covered.is_exact)

    def _columns(self) -> Collection[str]:
        return _columns_of(self.counts)

    def __str__(self) -> str:
        return CountTable(self.counts).to_text([str(self.completeness)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{completeness_line(self.completeness)}{CountTable(self.counts).to_html()}"


def column_name(status: str) -> str:
    """Name a status's column; an unknown status must not replace a column of ours."""
    return f"status {status}" if status in ("category_id", "category", ALL_PETS) else status


@dataclass(frozen=True)
class CountTable:
    """Counts as they are shown: the largest categories, the rest of them in one line, the sums.

    Columns: the category, a count per status, all pets.

    Attributes:
        counts: What is shown.
        top: How many categories get a line of their own; None for all.
    """

    counts: StatusCounts
    top: int | None = 20

    @cached_property
    def lines(self) -> list[CategoryCounts]:
        """The categories, largest first, then the others together."""
        return self.counts.largest(self.top)

    @property
    def has_rest(self) -> bool:
        """Whether some categories share the last line."""
        return bool(self.lines) and self.lines[-1].is_rest

    @property
    def sums(self) -> CategoryCounts:
        """The last line of all."""
        counts = tuple(self.counts.by_status.values())
        return CategoryCounts(ALL_CATEGORIES, None, counts, self.counts.total, is_rest=True)

    @property
    def legend(self) -> list[str]:
        """The line that explains the sign of a minimum, where one is shown."""
        return [] if self.counts.is_exact and all(self.counts.exact) else [LEGEND]

    def to_text(self, above: Sequence[str] = ()) -> str:
        """Return the table for a terminal, below these lines."""
        head = ["category", *map(column_name, self.counts.statuses), ALL_PETS]
        lines = [[line.label, *map(short, line.cells)] for line in [*self.lines, self.sums]]
        widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
        rows = []
        for name, *numbers in [head, ["-" * width for width in widths], *lines]:
            right = (n.rjust(width) for n, width in zip(numbers, widths[1:], strict=True))
            rows.append("  ".join([name.ljust(widths[0]), *right]).rstrip())
        return "\n".join([*above, *self.legend, "", *rows])

    def to_html(
        self, place: Renderer = NOTEBOOK, *, caption: str = "", is_picked: bool = False
    ) -> Markup:
        """Return the table as markup.

        With ``is_picked`` each number is shaded by its size, and marked for a script with
        ``data-category`` (empty for pets without one; none in the line of the others) and
        ``data-status`` (none in the last column).
        """
        statuses = self.counts.statuses
        head = [Cell("Category")]
        for status in statuses:
            word = shorten(status_word(status), _NAME_LENGTH)
            head.append(_cell(word, {"status": status} if is_picked else {}))
        single = [line for line in self.lines if not line.is_rest]
        deepest = max((count.count for line in single for count in line.counts), default=0)
        rows = []
        for line in self.lines:
            here: dict[str, str] = {}
            if is_picked and deepest and not line.is_rest:
                here = {"category": "" if line.category_id is None else str(line.category_id)}
            row = [_cell(shorten(line.label, _NAME_LENGTH), here)]
            for status, count in zip(statuses, line.counts, strict=True):
                data = here and {**here, "status": status}
                row.append(_number(count, status, data, count.count / deepest if here else 0))
            rows.append([*row, _number(line.total, data=here)])
        table = place.table(
            rows,
            [*head, Cell("All pets")],
            numbers=range(1, len(statuses) + 2),
            caption=caption,
            foot=[Cell("All categories"), *map(_number, self.sums.cells)],
            is_named=True,
        )
        return (place.quiet(self.legend) if self.legend else Markup()) + table

    def nothing_available(self) -> str | None:
        """Return how many categories have nothing available, or None where none is known to."""
        counts = self.counts
        if not counts.by_status["available"].is_exact:
            return None
        column = counts.cells[:, counts.statuses.index("available")]
        without = counts.count_categories(column == 0, is_exact=counts.is_exact)
        if not without.count:
            return None
        return f"none: nothing available, in {without} of {counts.categories} categories"


def _number(
    count: StatusCount,
    status: str | None = None,
    data: Mapping[str, str] = MappingProxyType({}),
    shade: float = 0,
) -> Cell:
    """Return the cell of a count; a category with nothing available is marked as such."""
    if status == "available" and count.is_exact and not count.count:
        mark = verdict_badge("incomplete")
        return _cell(Markup("none"), data, f"background:{mark.fill};color:{mark.ink}")
    red, green, blue = bytes.fromhex(STATUS_COLOURS["available"][1:])
    css = f"background:rgba({red},{green},{blue},{shade * _STRONGEST:.2f})" if shade else ""
    return _cell(Markup(short(count)), data, css)  # a number


def _cell(value: str, data: Mapping[str, str], css: str = "") -> Cell:
    """Return a cell; one with ``data`` holds a mark that a script makes answer."""
    shown = Markup('<span class="pf-mark">{}</span>').format(value) if data else value
    return Cell(shown, data, css)
