"""Whatever the bytes, the reader gives records or one InputError, never anything else."""

from __future__ import annotations

import tempfile
from pathlib import Path

import openpyxl
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame import NewPet
from petstore_frame.errors import InputError
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.record import State

INPUTS = sorted((Path(__file__).parent / "inputs").glob("[0-9]*"))
HEADER = b"name,categoryId,status\n"
PIECES = st.sampled_from(
    [b'"', b",", b"\n", b"\r", b"\x00", b";", b"\xff\xfe", b"\xef\xbb\xbf", b"3", b"\xed\xa0\x80"]
)


def survives(data: bytes) -> None:
    """Read the bytes; each record that would be sent is a NewPet of the interface."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pets"
        path.write_bytes(data)
        try:
            with open_source(path) as source:
                records = list(source)
        except InputError as problem:
            assert str(path) in str(problem)
            return
    for number, record in enumerate(records, 1):
        assert record.number == number
        assert (record.payload is None) == (record.state is not State.PENDING)
        assert (record.problem is None) == (record.state is not State.INVALID)
        if record.payload is not None:
            assert NewPet.model_validate_json(record.payload).to_json() == record.payload


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes(data: bytes, has_header: bool) -> None:
    """Bytes without rhyme or reason."""
    survives(HEADER + data if has_header else data)


@given(st.lists(PIECES | st.binary(max_size=4), max_size=40).map(b"".join))
def test_bytes_that_mean_something(data: bytes) -> None:
    """Quotes, marks and line ends in any order."""
    survives(HEADER + data)


@given(st.sampled_from(INPUTS), st.integers(0, 10_000), PIECES | st.binary(max_size=2))
def test_damaged_inputs(path: Path, place: int, change: bytes) -> None:
    """The nasty inputs with one more thing wrong."""
    data = path.read_bytes()
    place %= len(data) + 1
    survives(data[:place] + change + data[place + len(change) :])


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in (("name", "categoryId", "status"), ("Rex", 3, "sold"), ("=1+1", 4, None)):
        book.active.append(row)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pets.xlsx"
        book.save(path)
        return path.read_bytes()


WORKBOOK = _workbook()


@given(st.integers(4, len(WORKBOOK) - 1), st.integers(0, 255))
def test_damaged_workbooks(place: int, value: int) -> None:
    """A workbook with one byte changed."""
    survives(WORKBOOK[:place] + bytes([value]) + WORKBOOK[place + 1 :])
