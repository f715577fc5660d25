"""How files become records: round trips, headers, and files that are damaged or too large."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from petstore_frame import NewPet
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.limits import UNPACKED_BYTES
from petstore_frame.loader.row_state import State, Suspicion
from petstore_frame.loader.source import Recipe, open_source
from unit.loader.opened import INPUTS, NASTY, rows_of, workbook_of, written

CELLS = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=1),
    st.sampled_from(",;\t|"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_cells_come_back_as_they_were(rows: list[tuple[str, ...]], delimiter, encoding) -> None:
    """Whatever a CSV writer wrote, every cell is read verbatim, under any delimiter and mark."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerows([["name", "categoryId", "status", "note"], *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), text.getvalue().encode(encoding))
        records = rows_of(path, allow=[Suspicion.SWALLOWED_ROWS])
    lines = csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=delimiter)
    begins = [lines.line_num + 1 for _ in lines][:-1]
    assert [record.cells for record in records] == rows
    assert [(record.number, record.line) for record in records] == [*enumerate(begins, 1)]


PIECES = st.sampled_from(
    [b'"', b",", b"\n", b"\r", b"\x00", b";", b"\xff\xfe", b"\xef\xbb\xbf", b"3", b"\xed\xa0\x80"]
)


def survives(data: bytes) -> None:
    """Read the bytes: they give one InputError, or records; each that is sent is a NewPet."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), data, "pets")
        try:
            records = rows_of(path)
        except InputError as problem:
            assert str(path) in str(problem)
            return
    assert [record.number for record in records] == [*range(1, len(records) + 1)]
    for record in records:
        assert (record.payload is None) == (record.state is not State.PENDING)
        assert (not record.problems) == (record.state is not State.INVALID)
        if record.payload is not None:
            assert NewPet.model_validate_json(record.payload).to_json() == record.payload


@given(st.binary(max_size=200) | st.lists(PIECES).map(b"".join), st.booleans())
def test_any_bytes(data: bytes, has_header: bool) -> None:
    """Bytes without rhyme or reason, and quotes, marks and line ends in any order."""
    survives(b"name,categoryId,status\n" + data if has_header else data)


@given(st.sampled_from(NASTY), st.integers(0, 10_000), PIECES | st.binary(max_size=2))
@example(INPUTS / "49_list.parquet", 197, b"\xff\xfe")  # a text that is not UTF-8
def test_damaged_inputs(path: Path, place: int, change: bytes) -> None:
    """The nasty inputs with one more thing wrong."""
    data = path.read_bytes()
    place %= len(data) + 1
    survives(data[:place] + change + data[place + len(change) :])


@given(st.integers(4, 10_000), st.integers(0, 255))
def test_damaged_workbooks(tmp_path_factory: pytest.TempPathFactory, place: int, value) -> None:
    """A workbook with one byte changed."""
    path = tmp_path_factory.getbasetemp() / "pets.xlsx"
    if not path.exists():
        workbook_of(path.parent, ("name", "categoryId"), ("Rex", 3), ("=1+1", 4))
    data = path.read_bytes()
    place = 4 + place % (len(data) - 4)
    survives(data[:place] + bytes([value]) + data[place + 1 :])


HEADER = b"name,categoryId\n"
PACKED = gzip.compress(HEADER + b"Rex,3\n" * 5000)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PACKED[: len(PACKED) // 2], "the gzip file is damaged"),
        (PACKED[:12] + b"\xff" * 8 + PACKED[20:], "the gzip file is damaged"),
        (gzip.compress(HEADER + b"\n" * 200_000, 1), "bytes; the limit is 100,000; split it"),
        (HEADER + b"\n" * 200_000, "bytes; the limit is 100,000; split it"),
    ],
    ids=["cut short", "garbled", "bomb", "large"],
)
def test_a_file_is_read_whole_or_refused(tmp_path: Path, monkeypatch, content, words: str) -> None:
    """A gzip file that is damaged, and a file of any size that is too large, is no shorter list."""
    limit = UNPACKED_BYTES._replace(most=100_000)
    monkeypatch.setattr("petstore_frame.tables.file_kinds.UNPACKED_BYTES", limit)
    with pytest.raises(InputError, match=words):
        rows_of(written(tmp_path, content, "pets.csv.gz"))


@pytest.fixture(params=["csv", "xlsx"])
def titled(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same rows below a title as text, and as a workbook."""
    rows = [["Arrivals from Anna"], [], ["name", "category_id"], ["Ada", "1"]]
    if request.param == "csv":
        return written(tmp_path, "".join(";".join(row) + "\n" for row in rows))
    workbook_of(tmp_path, *rows)
    return tmp_path / "pets.xlsx"


def test_a_header_is_read_where_it_is_said_to_be(titled: Path) -> None:
    """A title is refused with the option that skips it; lines are counted from the first."""
    with pytest.raises(InputError, match="'Arrivals from Anna'") as refused:
        open_source(titled, Recipe())
    assert refused.value.add == ("header_row", 3)
    (record,) = rows_of(titled, header_row=3)
    assert (record.number, record.line, record.cells) == (1, 4, ("Ada", "1"))


@pytest.mark.parametrize("row", [9, 2])
def test_a_row_without_names_is_no_header(titled: Path, row: int) -> None:
    """A row past the end, and a blank one, are refused, in text as in a workbook."""
    with pytest.raises(InputError, match=rf"no header in (row|line) {row}"):
        rows_of(titled, header_row=row)


def test_an_encoding_is_asked_about_by_a_line(tmp_path: Path, monkeypatch) -> None:
    """That of this computer and that of old Windows, by the first line in which they differ."""
    path = written(tmp_path, "name\nÄda\nŁukasz\n".encode("cp1250"))
    monkeypatch.setattr("locale.getencoding", lambda: "cp1250")
    with pytest.raises(
        InputError, match=r"cp1250 reads .*'Łukasz'.*cp1252 reads .*'£ukasz'"
    ) as asked:
        open_source(path, Recipe())
    assert (asked.value.line, asked.value.add) == (2, ("encoding", "?"))
    assert asked.value.questions[0].likely == "cp1250"


PETS = "Animal,Kind\nRex,3\n"
LUNA = pd.DataFrame({"name": ["Luna"], "category_id": [3]})
NUMBERED = pd.DataFrame([["Luna", 3]])  # its columns are 0 and 1


@pytest.mark.parametrize(
    ("source", "mapping", "kind", "words"),
    [
        (PETS, {"Animal": "name"}, ArgumentError, "no field 'Animal'"),
        (PETS, {"name": "Anmial"}, InputError, "not among 'Animal', 'Kind'"),
        (
            PETS,
            {"name": "Animal", "category_id": "animal"},
            InputError,
            "one column for two fields",
        ),
        ({"name": ["Rex"]}, None, ArgumentError, "a DataFrame or the path of a file, got dict"),
        (
            NUMBERED,
            {"name": 0, "category_id": 1},
            ArgumentError,
            "mapping: Column of.*got 0",
        ),
    ],
)
def test_columns_that_do_not_fit_are_refused(tmp_path: Path, source, mapping, kind, words) -> None:
    """A mapping, or a frame, that names no column of each field says what to write instead."""
    with pytest.raises(kind, match=words):
        rows_of(written(tmp_path, source) if source is PETS else source, mapping=mapping)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Pet Name,Category,State\n", "add mapping={'name': 'Pet Name'}"),
        ("Category name,Pet name\n", "add mapping={'name': 'Pet name', 'category_id': '?'}"),
        ("a name,another name,category\n", "the name may be 'a name' or 'another name'"),
        ("Owner name,breed name,category\n", "among 'Owner name', 'breed name', 'category'"),
        ("Anna\nAda;1\nBo;2\n", "a file without a header needs the option columns"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as .xlsx"),
        (b"PK\x03\x04nothing", "cannot be read"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_to_do(tmp_path: Path, content: str | bytes, words: str) -> None:
    """What means a field is proposed, what may mean it is named beside a question mark."""
    with pytest.raises(InputError, match=re.escape(words)) as refused:
        open_source(written(tmp_path, content), Recipe())
    assert "header_row" not in str(refused.value)


def test_the_bytes_that_were_read_are_the_bytes_that_count(tmp_path: Path) -> None:
    """A file that is replaced while it is loaded is another import, not the one that was loaded."""
    path = written(tmp_path, "name,category_id\nRex,3\n")
    source = open_source(path, Recipe())
    before = source.bytes_id
    written(tmp_path, "name,category_id\nBo,4\n")
    assert [row.cells for row in source] == [("Rex", "3")]
    assert source.bytes_id == before != open_source(path, Recipe()).bytes_id


def test_a_file_name_that_is_not_text_can_be_stored(tmp_path: Path) -> None:
    """A name of other bytes than UTF-8 is shown with its bytes, and its path likewise."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/pets\xe9.csv"))
    path.write_text("name,category_id\nRex,3\n")
    source = open_source(path, Recipe())
    assert source.name == r"pets\udce9.csv" and source.location is not None
    assert source.location.encode().endswith(rb"pets\udce9.csv")


def test_bytes_are_read_as_the_file_that_they_are() -> None:
    """What a shell passes on from standard input is known by its digest, and has no path."""
    source = open_source(b"name,category_id\nRex,3\n", Recipe())
    assert [row.cells for row in source] == [("Rex", "3")]
    assert (source.name, source.location) == ("standard input", None) and source.bytes_id


def test_a_key_with_half_a_character_is_to_fix(tmp_path: Path) -> None:
    """No journal can store it, so its row waits, and the others are read."""
    path = written(
        tmp_path, 'tag,name,category_id\n\ud800,A,3\n["x,B,3\n'.encode("utf-16", "surrogatepass")
    )
    first, second = rows_of(path, key="tag", quoting="none")
    assert [problem.code for problem in first.problems] == ["key_missing"] and first.key is None
    assert second.key == ('["x',)
