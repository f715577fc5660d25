"""How the parts of a workbook are unpacked without filling the memory.

In: a packed file. Out: its parts as streams, which give up once they have given out more than a
list of animals can need. Of XML it knows only the character that begins a tag: what a parser keeps
grows with tags and with bytes.
"""

from __future__ import annotations

import zipfile
from typing import Any, BinaryIO, NamedTuple, Self

MIB = 1024 * 1024
_PIECE = 64 * 1024


class Limit(NamedTuple):
    """How much a stream may give out between two rests."""

    size: int
    tags: int


# A sheet rests after each row. A workbook has 16,384 columns, and a cell has up to eight tags.
ROW = Limit(16 * MIB, 8 * 16_384)
# The texts of all cells are kept as a list, every other part as a tree.
TEXTS = Limit(128 * MIB, 10_000_000)
PART = Limit(16 * MIB, 250_000)
MAX_TOTAL = 2048 * MIB
_FREE_SIZE, _MAX_RATIO = 8 * MIB, 200
_NOT_NEEDED = "no list of animals needs that much"


class OverfullError(Exception):
    """A part unpacks to more than a list of animals can need.

    Args:
        part: Its name.
        excess: What it does, as the end of a sentence.
    """

    def __init__(self, part: str, excess: str) -> None:
        super().__init__(f"{part[:60]} inside {excess}")
        self.excess = excess


class Packed(zipfile.ZipFile):
    """A packed workbook whose streams count what they give out.

    Args:
        file: The file, open for bytes.

    Attributes:
        has_rows: Whether what is opened from now on is a sheet, which rests after each row.

    Raises:
        OverfullError: By its own directory it unpacks to far more than it should.
    """

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self.has_rows = False
        self._part, self._limit, self._size, self._tags = "", PART, 0, 0
        for part in self.infolist():
            ratio = part.file_size / max(part.compress_size, 1)
            if part.file_size > _FREE_SIZE and ratio > _MAX_RATIO:
                raise OverfullError(part.filename, _would_be(part.file_size))
        total = sum(part.file_size for part in self.infolist())
        if total > MAX_TOTAL:
            raise OverfullError("what is", _would_be(total))

    def open(self, name: Any, *args: Any, **options: Any) -> Any:
        """Open a part; the count begins anew."""
        self._part = str(name)
        is_texts = self._part.lower().endswith("sharedstrings.xml")
        self._limit = ROW if self.has_rows else TEXTS if is_texts else PART
        self.rest()
        return _Stream(super().open(name, *args, **options), self)

    def rest(self) -> None:
        """Begin the count anew: what was given out so far has been dealt with."""
        self._size = self._tags = 0

    def count(self, data: bytes, tail: bytes) -> None:
        """Count a piece that comes after a tail.

        Raises:
            OverfullError: It is too much, or in a form that cannot be counted.
        """
        # Entities and two-byte encodings would hide from the count how much they stand for.
        if b"\0" in data or b"<!D" in tail + data:
            raise OverfullError(self._part, "is written as no spreadsheet program writes it")
        self._size += len(data)
        self._tags += data.count(b"<")
        size, tags = self._limit
        if self._tags > tags:
            raise OverfullError(self._part, f"holds more than {tags:,} XML tags; {_NOT_NEEDED}")
        if self._size > size:
            excess = f"unpacks to more than {size // MIB:,} MiB; {_NOT_NEEDED}"
            raise OverfullError(self._part, excess)

    def holds(self, name: str, *signs: bytes) -> bool:
        """Tell whether a part holds one of some signs of up to three bytes, by streaming it."""
        with super().open(name) as stream:
            tail = b""
            while piece := stream.read(MIB):
                if any(sign in tail + piece for sign in signs):
                    return True
                tail = piece[-2:]
        return False


class _Stream:
    """An unpacked part, each piece counted before a parser sees it."""

    def __init__(self, stream: Any, packed: Packed) -> None:
        self._stream, self._packed, self._tail = stream, packed, b""

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            return b"".join(iter(lambda: self.read(_PIECE), b""))
        data: bytes = self._stream.read(size)
        self._packed.count(data, self._tail)
        self._tail = data[-2:]
        return data

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _would_be(size: int) -> str:
    return f"would unpack to {size // MIB:,} MiB; {_NOT_NEEDED}"
