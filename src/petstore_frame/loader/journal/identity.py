"""Which animal each staged record is: the rules of identity, in their order.

1. The same records are the same import (``staging.py``): what it sent stays, the rest is read anew.
2. A row of a fix file is the record that it names, and keeps that record's key.
3. A key names an animal: rows of one key in one file are one animal, and a known key is its animal.
4. Without a key, a record equal to an earlier one in all but the status may be the same animal.
5. The store is asked, too: a pet that this journal did not make may be it.

A record that is an animal with a live record is skipped, or takes its place where that one was not
sent yet. Where likeness is all there is, nothing is decided: a case is noted, and the answer of the
user, or the one to be tried, says whether its records are the same animals or others.
"""

from __future__ import annotations

from collections.abc import Callable

from petstore_frame.errors import InputError
from petstore_frame.loader.journal.equal import find_equal, link_withdrawn, withdraw_unsent
from petstore_frame.loader.journal.keyed import (
    KEY_PROBLEMS,
    claim_keys,
    find_keys,
    known_keys,
    one_record_per_key,
    similar_keys,
)
from petstore_frame.loader.journal.rules import Rules
from petstore_frame.loader.journal.staging import LEFT_OUT
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


def find_animals(rules: Rules, read: Callable[[int], StorePets] | None = None) -> None:
    """Give each staged record its animal.

    Args:
        rules: The records, and what the user said of them.
        read: Reads the store where so many records are to be sent; None leaves it alone.
    """
    stores: list[StorePets] = []

    def look() -> None:
        records = rules.count_to_send()
        if read is not None and records and not rules.run.copy and not stores:
            stores.append(read(records))
            show_store(rules, stores[0])

    keep_what_was_said(rules)
    find_fixed(rules)
    withdraw_unsent(rules)
    if rules.run.key:
        find_keys(rules)
        one_record_per_key(rules)
        known_keys(rules)
        similar_keys(rules)
    leave_out(rules)
    if may_be_listing(rules.run):
        look()
        find_own_pets(rules)
    find_equal(rules)
    look()
    find_others_pets(rules)
    claim_keys(rules)
    link_withdrawn(rules)
    for store in stores:
        note_seen(rules, store)


def keep_what_was_said(rules: Rules) -> None:
    """Let records that are read anew be the animals that they were."""
    if rules.staged.is_new:
        return
    words = ", ".join(
        f"'{by}'"
        for case, by in (("equal", "equal"), ("own_pets", "store"))
        if rules.answers.get(case) != "send"
    )
    rules.become(
        "SELECT id, animal, known_by FROM temp.again WHERE NOT stays AND ("
        " known_by IS NULL OR known_by IN ('record', 'user') OR is_same AND state = 'skipped'"
        f" AND known_by IN ({words}) AND EXISTS (SELECT 1 FROM records AS live"
        f"  WHERE live.animal = again.animal AND {is_live('live')}))"
    )


def find_fixed(rules: Rules) -> None:
    """Make rows of a fix file the records that they name.

    Raises:
        InputError: A row names a record that this journal does not know.
    """
    if rules.do("SELECT 1 FROM temp.origins LIMIT 1").fetchone() is None:
        return
    rules.make(
        "named",
        "id INTEGER PRIMARY KEY, record_id, animal, key, may_change",
        "SELECT origins.id, old.id, old.animal, old.key,"
        f" coalesce(old.problem_code IN {KEY_PROBLEMS}, FALSE)"
        " FROM temp.origins CROSS JOIN records AS mine ON mine.id = origins.id"
        " JOIN imports ON imports.id GLOB origins.import_id || '*'"
        " JOIN records AS old ON old.import = imports.import AND old.record = origins.record"
        " GROUP BY origins.id HAVING count(DISTINCT old.id) = 1",
    )
    unknown = rules.do(
        "SELECT line, import_id, origins.record FROM temp.origins JOIN records USING (id)"
        " WHERE id NOT IN (SELECT id FROM temp.named) ORDER BY id LIMIT 1"
    ).fetchone()
    if unknown is not None:
        raise _unknown_record(*unknown)
    copied = rules.do(
        "SELECT mine.id, first.line FROM temp.named AS named JOIN records AS mine USING (id)"
        " JOIN (SELECT record_id, min(id) AS id FROM temp.named GROUP BY 1) AS one"
        "  USING (record_id) JOIN records AS first ON first.id = one.id WHERE mine.id > one.id"
    ).fetchall()
    for record_id, line in copied:
        what = f"this row and line {line} are the same record"
        hint = "remove one of the two, or empty _pf_record where it is another animal"
        rules.spoil(record_id, RecordProblem("record_repeated", what, hint=hint))
        rules.do("DELETE FROM temp.named WHERE id = :id", id=record_id)
    rules.do(
        "UPDATE records SET key = named.key FROM temp.named AS named"
        " WHERE records.id = named.id AND named.key IS NOT NULL AND NOT named.may_change"
    )
    rules.become("SELECT id, animal, 'record' AS known_by FROM temp.named")


def leave_out(rules: Rules) -> None:
    """Skip what the user does not want to be sent, once it is known which rows stand."""
    rules.do(
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
