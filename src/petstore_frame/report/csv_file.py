"""The pets as CSV that a spreadsheet opens without running anything in it.

In: Facts. Out: UTF-8 with a byte order mark, RFC 4180. A text that begins like a formula gets a
quote before it, and a column ``_pf_escaped`` names where, so that ``load_csv`` takes it off again.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from petstore_frame.loader.reading.returned import ESCAPED, escaped_columns, harmless
from petstore_frame.report.facts import Facts

_CHUNK = 20_000


def write_csv(facts: Facts, path: Path, *, advance: Callable[[int], None]) -> None:
    """Write one line per pet: id, name, category_id, category where named, status."""
    header, has_escapes = facts.columns, _has_escapes(facts)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*header, ESCAPED] if has_escapes else header)
        for start in range(0, len(facts.frame), _CHUNK):
            rows = list(facts.rows(start, start + _CHUNK))
            if has_escapes:
                writer.writerows(_escaped(header, row) for row in rows)
            else:
                writer.writerows(rows)
            advance(len(rows))


def _escaped(header: Sequence[str], row: Sequence[Any]) -> list[Any]:
    cells = [*map(harmless, row)]
    return [*cells, escaped_columns(header, row, cells)]


def _has_escapes(facts: Facts) -> bool:
    """Return whether any cell begins like a formula; a negative id does."""
    frame = facts.frame
    return any((frame[name] < 0).any() for name in ("id", "category_id")) or any(
        harmless(text) != text
        for text in chain(facts.statuses, facts.counts.labels, frame["name"].tolist())
    )
