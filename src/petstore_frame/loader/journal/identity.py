"""Which animal each staged record is: the rules of identity, in their order.

1. The same records are the same import (``staging.py``): what it sent stays, the rest is read anew.
2. A row of a fix file is the record that it names, and keeps that record's key.
3. A key names an animal: rows of one key in one file are one animal, and a known key is its animal.
4. Without a key, a record equal to an earlier one in all but the status may be the same animal.
5. The store is asked, too: a pet that this journal did not make may be it.

A record that is an animal with a live record is skipped, or takes its place where that one was not
sent yet. Where records are only similar, nothing is decided: a case is noted, and the answer of
the user, or the one to be tried, says whether its records are the same animals or others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace

from petstore_frame.errors import InputError
from petstore_frame.loader.call import Call
from petstore_frame.loader.journal.animals import TO_SEND, Animals
from petstore_frame.loader.journal.equal import find_equal, link_withdrawn, withdraw_unsent
from petstore_frame.loader.journal.keyed import (
    KEY_PROBLEMS,
    claim_keys,
    find_keys,
    known_keys,
    one_record_per_key,
    similar_keys,
)
from petstore_frame.loader.journal.question import Question, likely_key, read_cases
from petstore_frame.loader.journal.rows import count_in, note_facts
from petstore_frame.loader.journal.staging import LEFT_OUT, Staged
from petstore_frame.loader.journal.store_pets import (
    StorePets,
    find_others_pets,
    find_own_pets,
    may_be_listing,
    note_seen,
    show_store,
)
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.record import RecordProblem

ReadStore = Callable[[int], StorePets]


def identify(
    sql: sqlite3.Connection,
    staged: Staged,
    answers: Mapping[str, str],
    read: ReadStore | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Question | None:
    """Give each staged record its animal; try both answers to each open question.

    Args:
        sql: A connection within a transaction.
        staged: The records.
        answers: What the user said, by case: ``skip`` (the same animals) or ``send`` (others).
        read: Reads the store, given the number of records to send; None leaves the store alone.
        pause: Called now and then; what it raises ends the rules.

    Returns:
        What the user must answer first, or None.
    """

    def apply(otherwise: str) -> Animals:
        animals = Animals(sql, staged, answers, otherwise, pause)
        _find_animals(animals, read)
        note_facts(sql, staged.run, staged.run.facts | animals.facts)
        return animals

    sql.execute("SAVEPOINT identity")
    found = apply("skip").cases
    open_cases = {name: found[name] for name in found if name not in answers}
    if not open_cases:
        sql.execute("RELEASE identity")
        return None
    cases, if_skip = read_cases(sql, open_cases, staged.run), count_in(sql, staged.run.id)
    sql.execute("ROLLBACK TO identity")
    apply("send")
    if_send = count_in(sql, staged.run.id)
    return Question(
        staged.run.source,
        sum(if_send.values()),
        tuple(replace(case, if_skip=if_skip, if_send=if_send) for case in cases),
        likely_key(sql, staged.run) if "equal" in open_cases else None,
        None if staged.run.call is None else Call.from_json(staged.run.call),
    )


def _find_animals(animals: Animals, read: ReadStore | None) -> None:
    stores: list[StorePets] = []

    def look() -> None:
        records = animals.count(TO_SEND)
        if read is not None and records and not animals.run.copy and not stores:
            stores.append(read(records))
            show_store(animals, stores[0])

    keep_what_was_said(animals)
    find_fixed(animals)
    withdraw_unsent(animals)
    if animals.run.key:
        find_keys(animals)
        one_record_per_key(animals)
        known_keys(animals)
        similar_keys(animals)
    leave_out(animals)
    if may_be_listing(animals.run):
        look()
        find_own_pets(animals)
    find_equal(animals)
    look()
    find_others_pets(animals)
    claim_keys(animals)
    link_withdrawn(animals)
    for store in stores:
        note_seen(animals, store)
    # A finished import that has something to send again must be resumed after a kill.
    animals.do(
        "UPDATE imports SET ending = NULL WHERE import = :mine AND ending = 'done'"
        f" AND EXISTS (SELECT 1 FROM records WHERE {TO_SEND})"
    )


def keep_what_was_said(animals: Animals) -> None:
    """Give records that are read again the animals that they had."""
    if animals.staged.is_new:
        return
    words = ", ".join(
        f"'{by}'"
        for case, by in (("equal", "equal"), ("own_pets", "store"))
        if animals.answers.get(case) != "send"
    )
    animals.become(
        "SELECT id, animal, known_by FROM temp.again WHERE NOT stays AND ("
        " known_by IS NULL OR known_by IN ('record', 'user') OR is_same AND state = 'skipped'"
        f" AND known_by IN ({words}) AND EXISTS (SELECT 1 FROM records AS live"
        f"  WHERE live.animal = again.animal AND {is_live('live')}))"
    )


def find_fixed(animals: Animals) -> None:
    """Make rows of a fix file the records that they name.

    Raises:
        InputError: A row names a record that this journal does not know.
    """
    if not animals.has("SELECT 1 FROM temp.origins"):
        return
    animals.make(
        "named",
        "id INTEGER PRIMARY KEY, record_id, animal, key, may_change",
        "SELECT origins.id, old.id, old.animal, old.key,"
        f" coalesce(old.problem_code IN {KEY_PROBLEMS}, FALSE)"
        " FROM temp.origins CROSS JOIN records AS mine ON mine.id = origins.id"
        " JOIN imports ON imports.id GLOB origins.import_id || '*'"
        " JOIN records AS old ON old.import = imports.import AND old.record = origins.record"
        " GROUP BY origins.id HAVING count(DISTINCT old.id) = 1",
    )
    unknown = animals.do(
        "SELECT line, import_id, origins.record FROM temp.origins JOIN records USING (id)"
        " WHERE id NOT IN (SELECT id FROM temp.named) ORDER BY id LIMIT 1"
    ).fetchone()
    if unknown is not None:
        raise _unknown_record(*unknown)
    copied = animals.do(
        "SELECT named.id, first.line FROM (SELECT id, min(id) OVER (PARTITION BY record_id) AS one"
        "  FROM temp.named) AS named JOIN records AS first ON first.id = one WHERE named.id > one"
    ).fetchall()
    for record_id, line in copied:
        what = f"this row and line {line} are the same record"
        hint = "remove one of the two, or empty _pf_record where it is another animal"
        animals.spoil(record_id, RecordProblem("record_repeated", what, hint=hint))
        animals.do("DELETE FROM temp.named WHERE id = :id", id=record_id)
    animals.do(
        "UPDATE records SET key = named.key FROM temp.named AS named"
        " WHERE records.id = named.id AND named.key IS NOT NULL AND NOT named.may_change"
    )
    animals.become("SELECT id, animal, 'record' AS known_by FROM temp.named")


def leave_out(animals: Animals) -> None:
    """Skip the rows that the user leaves out, once it is known which row of each key counts."""
    animals.do(
        "UPDATE records SET state = 'skipped', problem = NULL, problem_code = NULL"
        f" WHERE id >= :first AND reason = '{LEFT_OUT}' AND state IN ('pending', 'invalid')"
    )


def _unknown_record(line: int, import_id: str, record: int) -> InputError:
    return InputError(
        f"this row is record {record} of the import {import_id}, which this journal does not know, "
        "so it may be in the store already; nothing was sent",
        line=line,
        hint="name the journal folder that the import was made with; or, if these are new animals, "
        "empty the column _pf_record",
    )
