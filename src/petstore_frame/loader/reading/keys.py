"""Which animal a row names by its key, and where it names none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from unicodedata import normalize

from petstore_frame.loader.reading.fields import quoted, word_of
from petstore_frame.loader.reading.tables import Row
from petstore_frame.loader.record import RecordProblem

# What a spreadsheet leaves in the place of a key: an error, in English or German, or a number of
# which it shows the first digits only.
_ERROR = re.compile(r"#(N/A|NV|REF!|NAME\?|VALUE!|DIV/0!|NUM!|NULL!|BEZUG!|WERT!|ZAHL!)", re.I)
_ROUNDED = re.compile(r"\d([.,]\d+)?E\+\d+", re.IGNORECASE)


class Keys:
    """The key of each row, a text; of several columns it is a JSON list of their texts.

    Args:
        columns: The names of all columns.
        key: Those that identify an animal, by name.
        nothing: Words that mean that there is no key, by column, as ``word_of`` writes them.
    """

    def __init__(
        self,
        columns: Sequence[str] = (),
        key: Sequence[str] = (),
        nothing: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self._columns = tuple(key)
        words = nothing or {}
        self._places = tuple((columns.index(each), frozenset(words.get(each, ()))) for each in key)
        self._unclear = set[tuple[str, ...]]()

    def __bool__(self) -> bool:
        return bool(self._places)

    def learn(self, rows: Iterable[Row]) -> None:
        """Find the rows of which some key columns are empty and the others do not say which."""
        if len(self._places) < 2:
            return
        known = {self._texts(row.cells)[0] for row in rows}
        partial = [texts for texts in known if "" in texts and any(texts)]
        for filled in {tuple(map(bool, texts)) for texts in partial}:
            alike = Counter(_only(texts, filled) for texts in known)
            self._unclear |= {
                texts
                for texts in partial
                if tuple(map(bool, texts)) == filled and alike[_only(texts, filled)] > 1
            }

    def read(
        self, cells: Sequence[str], ordinal: str = ""
    ) -> tuple[str | None, RecordProblem | None]:
        """Return the key of a row, or why it has none; ``ordinal`` is which of its animals."""
        if not self._places:
            return None, None
        texts, why = self._texts(cells)
        if why is None and texts in self._unclear:
            empty = self._columns[texts.index("")]
            why = empty, "", "the rest of the key names several rows"
        if why is not None and (texts in self._unclear or not any(texts) or why[1]):
            column, value, what = why
            hint = "fill it in: it says which animal this is"
            return None, RecordProblem("key_missing", what, column, value[:200], hint)
        parts = [*texts, ordinal] if ordinal else [*texts]
        return parts[0] if len(parts) == 1 else f"[{', '.join(map(quoted, parts))}]", None

    def _texts(self, cells: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, str, str] | None]:
        """Return the text of each column, and of one that holds no key the name, cell and why."""
        texts, why = list[str](), None
        for column, (at, nothing) in zip(self._columns, self._places, strict=True):
            cell = cells[at].strip() if at < len(cells) else ""
            text = cell if cell.isascii() else normalize("NFC", cell)
            if not text or (nothing and word_of(text) in nothing):
                text, why = "", why or (column, "", "the key is missing")
            elif _ERROR.fullmatch(text) or _ROUNDED.fullmatch(text):
                kind = "an error" if text[0] == "#" else "a rounded number"
                text, why = "", (column, cell, f"{cell[:60]!r} is {kind} of a spreadsheet, no key")
            texts.append(text)
        return tuple(texts), why


def _only(texts: tuple[str, ...], filled: tuple[bool, ...]) -> tuple[str, ...]:
    return tuple(text for text, is_filled in zip(texts, filled, strict=True) if is_filled)
