"""Reads and writes the answers of the user, which all are rows of one table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

STORE = "store"  # the scope of facts about the store; others are an import or a header

_WRITE = "INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?, ?)"
_READ = "SELECT * FROM decisions WHERE scope = ? AND question = ? ORDER BY at, subject, object"
_REMOVE = "DELETE FROM decisions WHERE scope = ? AND question = ? AND subject = ? AND object = ?"
_REMOVE_SUBJECT = "DELETE FROM decisions WHERE scope = ? AND question = ? AND subject = ?"


class Decision(NamedTuple):
    """One answer; a later answer about the same subject and object replaces it."""

    scope: str  # where it applies: STORE, the header of files, or the id of an import
    question: str
    subject: str  # such as a row of the import, a key and a name, or the number of a category
    object: str  # what the subject was compared with: an animal, a pet, a name
    answer: str
    at: float  # seconds since 1970, UTC


def decide(sql: sqlite3.Connection, decisions: Iterable[Decision]) -> None:
    """Write decisions; the caller has begun a transaction."""
    sql.executemany(_WRITE, decisions)


def read_decisions(sql: sqlite3.Connection, scope: str, question: str) -> list[Decision]:
    """Return the decisions about a question, oldest first."""
    return [Decision(*values) for values in sql.execute(_READ, [scope, question])]


def remove_decisions(sql: sqlite3.Connection, decisions: Iterable[Decision]) -> None:
    """Remove decisions that no longer apply."""
    sql.executemany(_REMOVE, [decision[:4] for decision in decisions])


def remove_subjects(
    sql: sqlite3.Connection, scope: str, question: str, subjects: Iterable[str]
) -> None:
    """Remove all decisions about some subjects."""
    sql.executemany(_REMOVE_SUBJECT, [(scope, question, subject) for subject in subjects])
