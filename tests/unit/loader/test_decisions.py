"""Every answer is one row of one table."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from petstore_frame.loader.journal.decisions import (
    STORE,
    Decision,
    decide,
    read_decisions,
    remove_decisions,
)
from petstore_frame.loader.journal.schema import TABLES

NAMED = Decision(STORE, "category", "4", "bird", "Bird", 1.0)


@pytest.fixture
def sql() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        yield connection


def test_a_later_answer_replaces_an_earlier_one(sql) -> None:
    """There is one answer for a subject and an object, the latest."""
    decide(sql, [NAMED, NAMED._replace(object="parrot"), NAMED._replace(answer="BIRD", at=2.0)])
    assert [decision.answer for decision in read_decisions(sql, STORE, "category")] == [
        "Bird",
        "BIRD",
    ]


def test_an_answer_applies_in_its_scope_only(sql) -> None:
    """An answer about one import or header is no answer for another, until it is removed."""
    decide(sql, [NAMED])
    assert read_decisions(sql, "import", "category") == []
    remove_decisions(sql, [NAMED])
    assert read_decisions(sql, STORE, "category") == []
