"""A user's own columns keep their names, values and types in every kind of report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from office import NEEDED, save_all_as
from unit.conftest import make_inventory, pets

FIRST_DAY = date(1900, 3, 1)
ZURICH = ZoneInfo("Europe/Zurich")
PETS = make_inventory(pets(3)).frame
DRAWS = settings().max_examples // 10  # a workbook each, as a start of it costs most
VALUES = 8  # of each draw
CATEGORIES = {1: "Dog", 2: "Cat", 3: "Bird"}
NAMES = ["category", "Category", "Status", "NAME", "category (store)", "=1+1", "", "id "]

whole_numbers = st.integers(-(2**63), 2**63 - 1)
decimals = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20)
days = st.dates(date(1850, 1, 1), date(2200, 1, 1))
moments = st.datetimes(datetime(1850, 1, 1), datetime(2200, 1, 1))
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)
scalars = st.one_of(
    whole_numbers, whole_numbers.map(np.int64), decimals, st.floats(allow_nan=False), days,
    moments, st.booleans(), texts, st.none(),
)  # fmt: skip


def arrow(dtype: pa.DataType) -> Callable[[list[Any]], pa.Array]:
    return lambda values: pa.array(values, dtype)


# How each library holds a column, and the values that it can hold.
COLUMNS: dict[str, tuple[Callable[[list[Any]], Any], st.SearchStrategy[Any]]] = {
    "pandas object": (lambda values: pd.Series(values, dtype="object"), scalars),
    "pandas int64": (lambda values: pd.Series(values, dtype="int64"), whole_numbers),
    "pandas Int64": (lambda values: pd.Series(values, dtype="Int64"), whole_numbers | st.none()),
    "pandas float64": (lambda values: pd.Series(values, dtype="float64"), st.floats(width=32)),
    "pandas boolean": (
        lambda values: pd.Series(values, dtype="boolean"),
        st.booleans() | st.none(),
    ),
    "pandas datetime64": (lambda values: pd.Series(values, dtype="datetime64[us]"), moments),
    "pandas category": (lambda values: pd.Series(values, dtype="category"), texts),
    "pandas decimal[pyarrow]": (
        lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.decimal128(38, 4))),
        decimals.map(lambda value: round(value, 4)),
    ),
    "polars Int64": (lambda values: pl.Series(values, dtype=pl.Int64), whole_numbers | st.none()),
    "polars Decimal": (
        lambda values: pl.Series(values, dtype=pl.Decimal(38, 4)),
        decimals.map(lambda value: round(value, 4)) | st.none(),
    ),
    "polars Date": (lambda values: pl.Series(values, dtype=pl.Date), days | st.none()),
    "polars Datetime": (lambda values: pl.Series(values, dtype=pl.Datetime), moments | st.none()),
    "polars String": (lambda values: pl.Series(values, dtype=pl.String), texts | st.none()),
    "pyarrow int64": (arrow(pa.int64()), whole_numbers | st.none()),
    "pyarrow date32": (arrow(pa.date32()), days | st.none()),
    "pyarrow timestamp": (arrow(pa.timestamp("us")), moments | st.none()),
    "pyarrow bool": (arrow(pa.bool_()), st.booleans() | st.none()),
}  # fmt: skip

# An office program sees cells, and no library.
ONE_OF_EACH_TYPE = (
    "pandas object", "pandas float64", "polars Int64", "polars Decimal", "polars Date",
    "polars Datetime", "polars String", "pyarrow bool",
)  # fmt: skip


def frame_with(column: Any) -> Any:
    """Return as many pets with a further column, in the library of that column."""
    frame = make_inventory(pets(len(column))).frame
    if isinstance(column, pd.Series):
        return frame.assign(own=column.array)
    if isinstance(column, pl.Series):
        return pl.from_pandas(frame).with_columns(column.alias("own"))
    return pa.Table.from_pandas(frame).append_column("own", column)


def digits_of(number: Decimal) -> int:
    return len("".join(map(str, number.as_tuple().digits)).strip("0"))


def is_allowed(number: float | Decimal) -> bool:
    """Return whether Excel has a number; it rounds smaller ones to 0 and rejects larger ones."""
    return number == 0 or 2.2251e-308 <= number <= 9.99999999999999e307


def check_cell(cell: Any, value: Any) -> None:
    """Check that a cell holds a value by the rule: its own type, or text if that would lose."""
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or plain != plain:  # NaN
        assert cell.value is None
    elif isinstance(plain, bool):
        assert cell.value is plain
    elif isinstance(plain, str):
        assert (cell.value or plain) == plain  # an empty text may be an empty cell
    elif isinstance(plain, int):
        assert cell.value == (plain if abs(plain) < 10**15 else str(plain))
    elif isinstance(plain, float | Decimal) and not is_allowed(abs(plain)):
        assert cell.value == str(plain)
    elif isinstance(plain, float):
        assert cell.value == pytest.approx(plain, rel=1e-14, abs=0)
    elif isinstance(plain, Decimal) and digits_of(plain) <= 15:
        assert cell.value == pytest.approx(float(plain), rel=1e-14, abs=0)
    elif isinstance(plain, datetime) and plain.date() >= FIRST_DAY:
        assert cell.is_date and abs(cell.value - plain) < timedelta(milliseconds=1)
    elif isinstance(plain, date) and not isinstance(plain, datetime) and plain >= FIRST_DAY:
        assert cell.is_date and cell.value == datetime(plain.year, plain.month, plain.day)
    else:
        assert isinstance(cell.value, str)


def own_cells(path: Path) -> list[Any]:
    book = openpyxl.load_workbook(path, data_only=True)  # LibreOffice saves True as =TRUE()
    rows = book["Inventory"].iter_rows(min_row=2)
    return [row[4] for row in rows]


@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=DRAWS, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cells_have_the_type_of_the_value(kind: str, data: st.DataObject, tmp_path: Path) -> None:
    """A value of any library is a cell of its own type, and text only if that would lose it."""
    build, values_of_kind = COLUMNS[kind]
    values = data.draw(st.lists(values_of_kind, min_size=VALUES, max_size=VALUES))
    path = pf.write_report(frame_with(build(values)), tmp_path / "stock.xlsx", overwrite=True)
    for cell, value in zip(own_cells(path), values, strict=True):
        check_cell(cell, value)


def drawn_values(values_of_kind: st.SearchStrategy[Any]) -> list[Any]:
    """Return the values that a property test would try."""
    drawn: list[Any] = []

    @settings(max_examples=DRAWS, database=None)
    @given(st.lists(values_of_kind, min_size=VALUES, max_size=VALUES))
    def draw(values: list[Any]) -> None:
        drawn.extend(values)

    draw()
    return drawn


@NEEDED[0]
@NEEDED[1]
def test_an_office_program_keeps_the_type_of_the_value(
    tmp_path: Path, office_profile: Path
) -> None:
    """The same rule holds for cells that LibreOffice has read and saved."""
    columns = {kind: COLUMNS[kind] for kind in ONE_OF_EACH_TYPE}
    values = {kind: drawn_values(values_of_kind) for kind, (_, values_of_kind) in columns.items()}
    paths = [
        pf.write_report(frame_with(build(values[kind])), tmp_path / f"{kind}.xlsx")
        for kind, (build, _) in columns.items()
    ]
    saved = save_all_as(paths, "xlsx", tmp_path / "saved", office_profile)
    for path in saved:
        cells = own_cells(path)
        assert len(cells) == len(values[path.stem])
        for cell, value in zip(cells, values[path.stem], strict=True):
            check_cell(cell, value)


@pytest.mark.parametrize("number", [sys.float_info.max, -1e308, 1e-308, float("-inf")])
def test_a_number_that_excel_does_not_have_is_text(number: float, tmp_path: Path) -> None:
    """XlsxWriter would round the largest one up, to infinity."""
    path = pf.write_report(frame_with(pd.Series([number, 0.0, 1e307])), tmp_path / "stock.xlsx")
    assert [cell.value for cell in own_cells(path)] == [str(number), 0, 1e307]


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "html"])
def test_columns_pass_through_whatever_they_are_called(ending: str, tmp_path: Path) -> None:
    """The report's columns step aside, or are marked, for columns of the user."""
    frame = PETS.assign(**{name: f"mine in {name}" for name in NAMES})
    path = pf.write_report(frame, tmp_path / f"stock.{ending}", categories=CATEGORIES)
    if ending == "html":
        text = path.read_text("utf-8")
        assert all(f"mine in {name}" in text for name in NAMES)
        assert "Status (store)" in text and ">Dog<" in text
        return
    if ending == "parquet":
        table = pd.read_parquet(path)
        rows = [table.columns.tolist(), *table.values.tolist()]
    elif ending == "csv":
        table = pd.read_csv(path, header=None, keep_default_na=False)
        rows = table.values.tolist()
        rows = [[str(cell).removeprefix("'") for cell in row] for row in rows]
    else:
        rows = [list(row) for row in openpyxl.load_workbook(path)["Inventory"].values]
        rows[0] = ["" if name == "(no name)" else name for name in rows[0]]
    assert rows[0][5:] == NAMES and len({*rows[0]}) == len(rows[0])
    assert rows[1][5:] == [f"mine in {name}" for name in NAMES]
    assert [row[3] for row in rows[1:]] == ["Dog", "Cat", "Bird"]


def test_columns_whose_names_differ_only_by_type_are_kept(tmp_path: Path) -> None:
    """A column called 1 and one called "1" are both in the file."""
    frame = PETS.assign(**{"1": "text"})
    frame[1] = "number"
    path = pf.write_report(frame, tmp_path / "stock.parquet")
    assert pd.read_parquet(path).iloc[0, 4:].to_dict() == {"1": "text", "1 (2)": "number"}


def test_a_time_next_to_days_is_kept(tmp_path: Path) -> None:
    """A column of days and of times of day loses neither."""
    moment = datetime(2000, 9, 28, 0, 11, 42)
    frame = PETS.assign(own=pd.Series([date(2000, 1, 1), moment, None], dtype="object"))
    cells = own_cells(pf.write_report(frame, tmp_path / "stock.xlsx"))
    assert [cell.value for cell in cells] == [datetime(2000, 1, 1), moment, None]


def test_instants_are_shown_in_the_zone_that_their_heading_names(tmp_path: Path) -> None:
    """Instants of one zone are local times of it, those of several zones are in UTC."""
    instant = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
    zones = [timezone(timedelta(hours=hours)) for hours in (0, 2, 3)]
    frame = PETS.assign(
        seen=pd.Series([instant] * 3).dt.tz_convert(ZURICH),
        mixed=pd.Series([instant.astimezone(zone) for zone in zones], dtype="object"),
    )
    path = pf.write_report(frame, tmp_path / "stock.xlsx")
    head, first, *_ = openpyxl.load_workbook(path)["Inventory"].values
    assert head[4:] == ("seen (Europe/Zurich)", "mixed (UTC)")
    assert first[4:] == (datetime(2026, 7, 1, 14, 30), datetime(2026, 7, 1, 12, 30))
