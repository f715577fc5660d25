"""How files become records: round trips, other readers, and files that are too large or moving."""

from __future__ import annotations

import csv
import gzip
import io
import re
import tempfile
import tracemalloc
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.call import FORM
from petstore_frame.loader.reading.fields import MAX_CELL
from petstore_frame.loader.reading.preview import look
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.record import Record, State
from unit.opened import records_of, written

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r\n")).map(
    lambda text: text.replace("\x1f", "")
)
CELLS = st.text(st.characters(exclude_categories=["Cs"]))
MAPPING = ["name", "categoryId", "status"]


def cells_of(path: Path) -> list[Record]:
    """Read a file whose quotes are meant; only line breaks in cells need a word for that."""
    records = records_of(path)
    if not any(each.problem and each.problem.code == "swallowed_rows" for each in records):
        return records
    records = records_of(path, accept=["swallowed_rows"])
    assert any(len(cell.splitlines()) > 1 for record in records for cell in record.cells)
    return records


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=1),
    st.sampled_from(",;\t|"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_cells_come_back_as_they_were(
    rows: list[tuple[str, ...]], delimiter: str, encoding: str
) -> None:
    """Whatever a CSV writer wrote, every cell is read verbatim, under any delimiter and mark."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerows([[*MAPPING, "note"], *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), text.getvalue().encode(encoding))
        records = cells_of(path)
    lines = csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=delimiter)
    begins = [lines.line_num + 1 for _ in lines][:-1]
    assert [record.cells for record in records] == rows
    assert [(record.number, record.line) for record in records] == [*enumerate(begins, 1)]


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1))
def test_cells_are_those_that_pandas_reads(rows: list[tuple[str, ...]]) -> None:
    """On a well-formed file the cells are those of pandas told to leave text alone."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([MAPPING, *rows])
    frame = pd.read_csv(
        io.StringIO(text.getvalue()), dtype=str, keep_default_na=False, index_col=False
    )
    with tempfile.TemporaryDirectory() as folder:
        records = cells_of(written(Path(folder), text.getvalue()))
    assert [record.cells for record in records] == list(frame.itertuples(index=False, name=None))


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1))
def test_packed_files_are_the_same_records(rows: list[tuple[str, ...]]) -> None:
    """A gzip file holds what it packs."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([MAPPING, *rows])
    with tempfile.TemporaryDirectory() as folder:
        plain = written(Path(folder), text.getvalue())
        packed = written(Path(folder), gzip.compress(plain.read_bytes()), "pets")
        assert cells_of(packed) == cells_of(plain)


def test_damaged_gzip_stops(tmp_path: Path) -> None:
    """A gzip file that is cut short or garbled is no shorter list of animals."""
    whole = gzip.compress(b"name,categoryId\n" + b"Rex,3\n" * 5000)
    for damaged in (whole[: len(whole) // 2], whole[:12] + b"\xff" * 8 + whole[20:]):
        with pytest.raises(InputError, match="the gzip file is damaged"):
            records_of(written(tmp_path, damaged, "pets.csv.gz"))


@pytest.mark.parametrize(
    "cell",
    ["x" * 10_000_000, '"' + ("x" * 999 + "\n") * 10_000 + '"', '"' + '""' * 3_000_000 + '"'],
    ids=["line", "lines", "quotes"],
)
def test_a_giant_cell_refuses_the_file_at_its_line(tmp_path: Path, cell: str) -> None:
    """A cell of megabytes is no animal: the file is refused there, in bounded memory."""
    path = written(tmp_path, f"name,categoryId\nRex,3\n{cell},4\nBo,5\n")
    del cell
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="a cell of more than 1,048,576 characters") as stopped:
            records_of(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert stopped.value.line == 3
    assert peak < 64 * MAX_CELL


def test_file_that_changes_while_read_stops(tmp_path: Path) -> None:
    """A file that is written to under the reader's eyes is refused at its end."""
    path = written(tmp_path, "name,categoryId\n" + "Rex,3\n" * 2000)
    with open_source(path) as source:
        records = iter(source)
        assert next(records).state is State.PENDING
        with path.open("a") as file:
            file.write("Bo,4\n")
        with pytest.raises(InputError, match="changed while it was being read"):
            list(records)


def test_a_source_can_be_read_twice(tmp_path: Path) -> None:
    """Iterating again gives the same records from the first one on."""
    with open_source(written(tmp_path, "name,categoryId\nRex,3\n")) as source:
        assert list(source) == list(source) != []


def test_a_column_of_statuses_is_asked_about(tmp_path: Path) -> None:
    """A column that holds nothing but statuses is not left out unasked."""
    path = written(tmp_path, "name;categoryId;state\nRex;3;sold\n")
    with pytest.raises(InputError, match=re.escape("{'status': None} leaves it out")) as asked:
        open_source(path)
    assert asked.value.answer == {"mapping": {"status": "state"}}
    with open_source(path, Recipe(mapping={"status": None})) as source:
        assert source.mapping == {"name": "name", "category_id": "categoryId"}
        assert source.table.facts == {"encoding": "utf-8", "delimiter": ";"}


def test_labels_stand_for_numbers(tmp_path: Path) -> None:
    """With category labels a word is its number, a twin label is ambiguous, a typo is told."""
    path = written(tmp_path, "name,category\nA,dog\nB, Dog \nC,Bird\nD,Dgo\nE,5\n")
    records = records_of(path, categories={5: "Dog", 1: "Bird", 2: "bird"})
    assert [record.payload for record in records if record.payload] == [
        b'{"name":"A","categoryId":5}',
        b'{"name":"B","categoryId":5}',
        b'{"name":"E","categoryId":5}',
    ]
    assert not any(record.notes for record in records), "the user said so"
    problems = [record.problem for record in records if record.problem]
    assert [(problem.code, problem.hint) for problem in problems] == [
        ("ambiguous_category", "give the category's number"),
        (
            "unknown_category",
            "did you mean 'dog'? else say which number it is: {}",
        ),
    ]


@pytest.mark.parametrize(
    ("mapping", "kind", "words"),
    [
        ({"Animal": "name"}, ArgumentError, "goes from field to column"),
        ({"name": "Anmial"}, InputError, "not among 'Animal', 'Kind'"),
        ({"name": "Animal", "category_id": "Animal"}, ArgumentError, "one column to two fields"),
        ({"name": "Animal", "category_id": "animal"}, InputError, "one column to two fields"),
        ({"name": "Animal"}, InputError, "no column for category_id"),
    ],
)
def test_mapping_is_checked_first(
    tmp_path: Path, mapping: dict[str, str], kind: type[Exception], words: str
) -> None:
    """A mapping that does not fit the header stops with what to write instead."""
    path = written(tmp_path, "Animal,Kind\nRex,3\n")
    with pytest.raises(kind, match=words):
        records_of(path, mapping=mapping)
    fitting = {"name": "animal", "categoryId": "Kind"}
    assert records_of(path, mapping=fitting)[0].payload == b'{"name":"Rex","categoryId":3}'


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Animal;Kind, size;Note\nRex;3;\n", ("Animal", "Kind, size", "Note")),
        ("\ufeffAnimal|Kind|Size\nRex|3|4\n", ("Animal", "Kind", "Size")),
        ('"Animal, or not";Kind\nRex;3\n', ("Animal, or not", "Kind")),
    ],
)
def test_a_header_is_read_though_its_columns_are_unclear(
    tmp_path: Path, text: str, header: tuple[str, ...]
) -> None:
    """A person can say which column is which only if all are shown: the widest reading counts."""
    path = written(tmp_path, text)
    assert look(path).columns == header
    with pytest.raises(InputError, match="no column for name and category_id among") as refused:
        open_source(path)
    assert "which column has the name and which the category id?" in refused.value.phrased_by(FORM)


def test_only_known_kinds_are_opened(tmp_path: Path) -> None:
    """A file that is not there, an old workbook and a zip of something else say what to do."""
    with pytest.raises(InputError, match="No such file"):
        open_source(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"save it as plain \.xlsx"):
        open_source(written(tmp_path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old.xls"))
    with pytest.raises(InputError, match="cannot be read"):
        open_source(written(tmp_path, b"PK\x03\x04nothing", "cut.xlsx"))


def test_a_gzip_bomb_is_refused(tmp_path: Path) -> None:
    """A packed file that unpacks to hundreds of times its size is refused early."""
    packed = gzip.compress(b"name,categoryId\n" + b"\n" * 40_000_000, 1)
    assert len(packed) * 200 < 40_000_000
    with pytest.raises(InputError, match="unpacks to more than 200 times"):
        records_of(written(tmp_path, packed, "pets.csv.gz"))


@pytest.mark.parametrize(
    ("header", "proposed"),
    [
        ("Pet Name,Category,State", "{'name': 'Pet Name', 'status': 'State'}"),
        ("Category name,Pet name", "{'name': 'Pet name', 'category_id': 'Category name'}"),
        ("a name,another name,category", "{'name': '<name of the column>'}"),
    ],
)
def test_a_refused_header_proposes_the_whole_mapping(
    tmp_path: Path, header: str, proposed: str
) -> None:
    """Each field without a column is proposed the one that looks like it, and only that."""
    with pytest.raises(InputError, match=re.escape(f"mapping={proposed}")):
        records_of(written(tmp_path, header + "\n"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!DOCTYPE html>\n<html><body>\n", "an HTML page or XML"),
        ('[{"name": "Luna", "categoryId": 3}]\n', "JSON"),
        ('{"pets": []}\n', "JSON"),
    ],
)
def test_another_text_format_is_named(tmp_path: Path, text: str, words: str) -> None:
    """A page or JSON saved as .csv needs an export, not a mapping."""
    with pytest.raises(InputError, match=f"looks like {words}, not like CSV") as refused:
        open_source(written(tmp_path, text))
    assert "mapping" not in str(refused.value)


def test_a_block_of_zeros_is_no_other_encoding(tmp_path: Path) -> None:
    """What a crashed export leaves at the end of a file costs one record, not the file."""
    text = "name,category_id\nLuna,3\n"
    records = records_of(written(tmp_path, text.encode() + bytes(500)))
    assert [record.state for record in records] == ["pending", "invalid"]
    with pytest.raises(InputError, match="encoding='utf-16-be'"):
        open_source(written(tmp_path, text.encode("utf-16-be")))
