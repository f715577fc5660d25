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

from petstore_frame.loader.journal import equal, keyed
from petstore_frame.loader.journal.animals import TO_SEND, Animals
from petstore_frame.loader.journal.rows import count_in, note_facts
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.question import Question
from petstore_frame.loader.record import Reason

ReadStore = Callable[[int], equal.StorePets]


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
    run = staged.run

    def apply(otherwise: str) -> Animals:
        animals = Animals(sql, staged, answers, otherwise, pause)
        _find_animals(animals, read)
        note_facts(sql, run, run.facts | animals.facts)
        return animals

    sql.execute("SAVEPOINT identity")
    animals = apply("skip")
    cases = animals.cases()
    if not cases:
        sql.execute("RELEASE identity")
        return None
    if_skip = count_in(sql, run.id)
    sql.execute("ROLLBACK TO identity")
    apply("send")
    if_send = count_in(sql, run.id)
    return Question(
        run.source,
        sum(if_send.values()),
        tuple(replace(case, if_skip=if_skip, if_send=if_send) for case in cases),
        animals.likely_key() if any(case.name == "equal" for case in cases) else None,
        run.base_url,
    )


def _find_animals(animals: Animals, read: ReadStore | None) -> None:
    run, stores = animals.run, list[equal.StorePets]()

    def look() -> None:
        if read is None or run.copy or stores:
            return
        if records := animals.count(TO_SEND):
            stores.append(read(records))
            equal.show_store(animals, stores[0])

    keep_what_was_said(animals)
    keyed.find_fixed(animals)
    equal.withdraw_unsent(animals)
    if run.key:
        keyed.find_keys(animals)
        keyed.one_record_per_key(animals)
        keyed.known_keys(animals)
        keyed.similar_keys(animals)
    # What the user leaves out is skipped once it is known which row of each key counts.
    animals.do(
        "UPDATE records SET state = 'skipped', problem = NULL, problem_code = NULL"
        f" WHERE id >= :first AND reason = '{Reason.LEFT_OUT}' AND state IN ('pending', 'invalid')"
    )
    if (at := equal.id_column(run)) is not None:
        look()
        equal.find_own_pets(animals, at)
    equal.find_equal(animals)
    look()
    equal.find_others_pets(animals)
    if run.key:
        keyed.claim_keys(animals)
    equal.link_withdrawn(animals)
    for store in stores:
        equal.note_seen(animals, store)
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
