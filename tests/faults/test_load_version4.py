"""A journal of version 0.2 is brought over once: an office that updates loses nothing."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import place_of, reading
from petstore_frame.loader.journal.rows import read_imports, read_rows
from petstore_frame.loader.record import State
from shop import Shop

# Written by version 0.2.0: five files with keys and without, one record in doubt, one that the
# store refused and one that was invalid, both created from their fix file, and two still to send.
DUMP = Path(__file__).parent / "journals" / "format4.sql"


@pytest.fixture
def old(shop: Shop) -> Path:
    """The journal of an office that has updated."""
    path = place_of(shop.journal, shop.client.base_url)
    shop.journal.mkdir()
    with closing(sqlite3.connect(path)) as sql:
        sql.executescript(DUMP.read_text(encoding="utf-8"))
        sql.execute("UPDATE journal SET base_url = ?", [shop.client.base_url])
        sql.execute("UPDATE imports SET source_path = ?", [str(shop.folder / "other.csv")])
        sql.commit()
    mark = b"[42, 36, 65536, 25184960201, 1795365048506678536, true, 62]"
    slot = b"%08x %b" % (zlib.crc32(mark), mark)
    path.with_name(path.name + ".check").write_bytes(slot.ljust(511) + b"\n")
    for name in ("Ada", "Bo", "Cy", "Flo", "Di", "Ed", "Gus", "Hal", "Ida", "Jo"):
        shop.store.add({"name": name, "categoryId": 1})
    return path


def test_a_weekly_file_goes_on(shop: Shop, old: Path) -> None:
    """Each key keeps its pet and is not sent again, also one that was created from a fix file.

    What was in doubt stays so, and what was left is sent once.
    """
    known = {key: pet for key, pet in shop.ids.items() if not pd.isna(pet)}
    assert known == {"001": 1, "002": 2, "006": 4, "004": 5, "005": 6, "007": 7, "008": 10}
    keys = [f"{number:03}" for number in range(1, 12)]
    assert {*shop.ids} == {*keys[:-1]}
    names = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Jo", "Kim", "Lu", "New"]
    rows = [f"{key},{name}" for key, name in zip(keys, names, strict=True)]
    result = shop.load("week.csv", "tag,name", *rows, key="tag")
    assert result.counts[State.CREATED] == 3
    assert shop.names == sorted([*names, "Hal", "Ida"])


def test_what_was_left_is_resumed(shop: Shop, old: Path) -> None:
    """The records that an import of the old version had still to send are sent."""
    pf.resume_loads(shop.client, journal=shop.journal, progress=False)
    assert {"Kim", "Lu"} <= {*shop.names} and len(shop.names) == 12


def test_records_keep_their_states_and_links(old: Path) -> None:
    """Doubt stays doubt; a record created from its fix file is one animal with that row.

    The old database stays as it was, under another name.
    """
    with reading(old) as sql:
        first, second = (list(read_rows(sql, run.id)) for run in read_imports(sql)[:2])
    assert [row.state for row in first].count(State.UNKNOWN) == 1
    assert [row.animal for row in first][3:5] == [row.animal for row in second]
    with closing(sqlite3.connect(old.with_name(f"{old.name}.4"))) as sql:
        assert sql.execute("SELECT format FROM journal").fetchone() == (4,)


def test_one_that_has_lost_commits_is_refused(old: Path) -> None:
    """An old journal without its last entries is not brought over."""
    with closing(sqlite3.connect(old)) as sql:
        sql.execute("UPDATE journal SET commits = 41")
        sql.commit()
    with pytest.raises(JournalError, match="lost"), reading(old):
        pass
