"""How a line of many megabytes is read in bounded memory.

In: text. Out: the same lines in pieces, with cells that are too large cut to just above the
cap, so that they are still refused as too large. It is used only for files that hold such lines,
because looking at every character takes ten times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import MAX_CELL

_SIZE = 64 * 1024
MAX_RECORD = 64 * MAX_CELL


def shorten_giants(
    text: IO[str], delimiter: str, *, has_quotes: bool, size: int = _SIZE
) -> Iterator[str]:
    """Yield the text's physical lines, with no cell much longer than ``MAX_CELL``.

    A quote toggles the inside of a quoted cell; a doubled quote toggles twice, which comes to the
    same. Text beyond the cap is dropped, quotes never are.

    Args:
        text: The text, line ends untouched.
        delimiter: The character between cells.
        has_quotes: Whether quotes enclose cells.
        size: Characters to look at in one go.

    Raises:
        InputError: A record is beyond ``MAX_RECORD`` even so.
    """
    signs = re.compile(f'[^"{re.escape(delimiter)}\r\n]+|\r\n|.', re.DOTALL)
    in_quotes, cell, record, line = False, 0, 0, list[str]()
    for piece in _pieces(text, size):
        for sign in signs.findall(piece):
            kept = sign
            if sign == '"' and has_quotes:
                in_quotes = not in_quotes
            elif sign == delimiter and not in_quotes:
                cell = 0
            elif sign[0] in "\r\n" and not in_quotes:
                cell = record = 0
            else:
                kept = sign[: max(0, MAX_CELL + 1 - cell)]
                cell += len(kept)
            record += len(kept)
            line.append(kept)
        if record > MAX_RECORD:
            raise InputError(
                f"one record holds more than {MAX_RECORD:,} characters",
                hint="is this a CSV file? a quote that is never closed can cause this too",
            )
        if piece[-1] in "\r\n":
            yield "".join(line)
            line = []
    if line:
        yield "".join(line)


def _pieces(text: IO[str], size: int) -> Iterator[str]:
    """Yield lines or parts of them, and never cut between CR and LF."""
    ahead = ""
    while piece := ahead or text.readline(size):
        ahead = text.read(1) if piece[-1] == "\r" else ""
        if ahead == "\n":
            piece, ahead = piece + ahead, ""
        yield piece
