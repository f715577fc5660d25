"""Decides which animal each row is, and writes the decision to the journal.

The rules themselves are in ``loader/matching``, which uses neither the journal nor the store.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from petstore_frame.inventory import Provenance
from petstore_frame.loader.duplicate_question import CASES, Case, Earlier, Example, Question
from petstore_frame.loader.journal.fix_links import link_fix_rows
from petstore_frame.loader.journal.matching_input import Export, Reader, read_matching_input
from petstore_frame.loader.journal.plan_writer import mark_new_lines, write_plan
from petstore_frame.loader.journal.rows import (
    GONE,
    GONE_ANIMALS,
    GONE_ELSEWHERE,
    GONE_ELSEWHERE_ANIMALS,
    LISTING_DOUBT,
    RENAMED,
    UNPROVEN_GONE,
    note_facts,
    shown_key,
)
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.store_check import (
    MAX_NAMED,
    StorePets,
    answer_gone,
    count_added_elsewhere,
    gone_elsewhere,
    note_reading,
    pets_of_listing,
    restore_seen_again,
)
from petstore_frame.loader.matching.match import MatchingInput, match
from petstore_frame.loader.matching.values import CREATE, SKIP, By, Match, OpenCase, Pet, Plan
from petstore_frame.loader.row_state import State
from petstore_frame.transport import same_store_address

_EXAMPLE = """
SELECT rows.line, CAST(rows.payload AS TEXT), rows.key, CAST(own.payload AS TEXT),
  coalesce((SELECT key FROM rows AS same WHERE same.import = :mine AND same.row = :same_as),
    (SELECT key FROM keys WHERE columns = :columns AND keys.animal = :animal
      AND key <> rows.key),
    (SELECT key FROM keys WHERE keys.animal = :animal AND keys.core = rows.core)),
  imports.source, imports.staged_at, own.pet_id
FROM rows LEFT JOIN animals AS own ON own.animal = :animal
LEFT JOIN imports ON imports.import = own.import AND own.import <> :mine
WHERE rows.import = :mine AND rows.row = :row
"""
_SOURCES = """
SELECT imports.id, source, staged_at, count(*) FROM json_each(:animals) AS of
JOIN animals ON animals.animal = of.value JOIN imports USING (import)
WHERE import <> :mine GROUP BY import ORDER BY 4 DESC
"""
_UNSENT = """
FROM animals WHERE state = 'pending' AND import IN (
  SELECT import FROM imports
  WHERE import <> :mine AND header = :header AND NOT copy AND ending IS NOT 'done')
"""
_SEND_AGAIN = """
UPDATE animals SET state = 'pending', reason = 'user', may_have_been_applied = 0
WHERE import = :mine AND state = 'not_found'
AND content NOT IN (SELECT value FROM json_each(:there))
"""
# The names of some animals, each with the file that it was loaded from.
_NAMES_AND_FILES = """
SELECT CAST(payload AS TEXT), source FROM animals
JOIN imports USING (import)
WHERE animal IN (SELECT value FROM json_each(:animals)) ORDER BY animal
"""
_LINES = """
SELECT row, line FROM rows WHERE import = :mine AND row IN (SELECT value FROM json_each(:rows))
"""
_EXAMPLES = 2


def identify(
    sql: sqlite3.Connection,
    staged: Staged,
    answers: Mapping[str, str],
    store: StorePets | None = None,
    *,
    named_answers: Mapping[str, str] | None = None,
    is_rehearsal: bool = False,
    exported: Provenance | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Question | None:
    """Give each staged row its animal; return the question to answer first, if there is one.

    If there is a question, nothing is written. A rehearsal continues instead, as if the answer were
    that the rows are different animals.

    Args:
        sql: The connection to the journal.
        staged: The import.
        answers: The answer to each case of the question that has one.
        store: The pets of the store; None if the store is not checked.
        named_answers: The answers that were given by case; these also reverse earlier answers.
        is_rehearsal: Whether nothing will be sent.
        exported: The store that the file was exported from, if the file says so.
        pause: Called from time to time, so that Ctrl-C works.
    """
    now, run = time.time(), staged.run
    reader = Reader(sql, staged, pause, now)
    named_answers = named_answers or {}
    header = json.dumps(run.header)
    links: list[tuple[int, int, int]] = []
    if not staged.is_resumed:
        links = link_fix_rows(reader)
        if staged.new_lines:
            mark_new_lines(reader)
    if store is not None:
        restore_seen_again(sql, store, now)
    is_first = not reader.has("FROM animals")
    reverses_decision = named_answers.get(By.IN_STORE) == SKIP
    pets = []
    if store is not None:
        pets = pets_of_listing(sql, store, None if reverses_decision else header)
    inputs = read_matching_input(
        reader,
        store,
        pets,
        sorted({number for _, number, _ in links}),
        answers,
        named_answers,
        is_first=is_first,
        has_created_same=_has_answer(sql, header, By.SAME_CONTENT, CREATE),
        export=_export(exported, run.base_url, None if store is None else store.store_id),
    )
    plan = match(inputs, answers, SKIP)
    question = None
    if plan.cases:
        created = match(inputs, answers, CREATE)
        question = _question(reader, inputs, plan, created, store)
        if not is_rehearsal:
            return question
        plan = created
    _write(reader, inputs, plan, links, answers, now)
    facts: dict[str, Any] = dict(run.facts) if staged.is_resumed else {}
    if store is not None:
        note_reading(
            sql, run.number, store, _left_to_others(plan, pets), _decided_header(plan, header),
            now, is_first=is_first,
        )  # fmt: skip
    facts |= _facts(reader, inputs, plan, store, header, now)
    note_facts(sql, run, facts)
    return question


def _export(exported: Provenance | None, base_url: str, store_id: str | None) -> Export:
    """Return whether a file was exported from this store, by its id or its address."""
    if exported is None:
        return Export.UNMARKED
    if exported.store_id is not None and store_id is not None:
        is_same = exported.store_id == store_id
    else:
        addresses = [same_store_address(url) for url in (exported.base_url, base_url) if url]
        is_same = len(addresses) == 2 and addresses[0] == addresses[1]
        if is_same and (exported.store_id is None) != (store_id is None):
            return Export.UNMARKED
    return Export.OF_THIS_STORE if is_same else Export.OF_ANOTHER_STORE


def _has_answer(sql: sqlite3.Connection, header: str, question: str, answer: str) -> bool:
    cursor = sql.execute(
        "SELECT 1 FROM answers WHERE header = ? AND question = ? AND answer = ?",
        [header, str(question), answer],
    )
    return cursor.fetchone() is not None


def _write(
    reader: Reader,
    inputs: MatchingInput,
    plan: Plan,
    links: Sequence[tuple[int, int, int]],
    answers: Mapping[str, str],
    now: float,
) -> None:
    answer_gone(reader.sql, plan.gone, SKIP)
    answer_gone(reader.sql, plan.created_again, CREATE)
    write_plan(reader, plan, links, now)
    if answers.get("not_found") == CREATE:
        owned = {pet_id for (pet_id,) in reader.execute("SELECT pet_id FROM animals")}
        there = [pet.content for pet in inputs.pets if pet.id not in owned]
        reader.execute(_SEND_AGAIN, there=json.dumps(there))
    if By.SAME_CONTENT in plan.created.values():
        values = [json.dumps(reader.staged.run.header), By.SAME_CONTENT.value, CREATE]
        reader.sql.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", values)


def _left_to_others(plan: Plan, pets: Sequence[Pet]) -> list[Pet]:
    """Return the pets of the store that no row of the file was matched with."""
    matched = {pet.id for pet in plan.pets.values()}
    return [pet for pet in pets if pet.id not in matched]


def _decided_header(plan: Plan, header: str) -> str | None:
    """Return which files need not ask about these pets: a header, '' for all, None for none."""
    if plan.creates_in_store:
        return header
    if plan.has_store_matches:
        return None
    return ""


def _facts(
    reader: Reader,
    inputs: MatchingInput,
    plan: Plan,
    store: StorePets | None,
    header: str,
    now: float,
) -> dict[str, Any]:
    """Return what the user should know about a load besides its rows."""
    lines = {row.number: row.line for row in inputs.rows}
    facts: dict[str, Any] = {}
    for name, case in (("equal_few", By.SAME_CONTENT), ("store_few", By.IN_STORE)):
        if case in plan.few:
            facts[name] = sorted(lines[match_.row] for match_ in plan.few[case])
    for name, matches in ((GONE, plan.few_gone), (UNPROVEN_GONE, plan.unproven_gone)):
        if matches:
            facts[name] = _lines(reader, matches)
            facts[GONE_ANIMALS[name]] = _names_and_files(reader, matches[:MAX_NAMED])
    if plan.renamed:
        facts[RENAMED] = _renamed(reader, inputs, plan)
    moved = [row for row in plan.moved if not _is_own(reader, plan, row)]
    if moved:
        facts["moved"] = sorted(lines[row] for row in moved)
    if reader.staged.stays_created:
        facts["stays_created"] = list(reader.staged.stays_created)
    if not reader.staged.is_resumed and (unsent := reader.count(_UNSENT, header=header)):
        facts["left_unsent"] = unsent
    if store is not None:
        facts |= _store_facts(reader, inputs, plan, store, now)
    return facts


def _store_facts(
    reader: Reader, inputs: MatchingInput, plan: Plan, store: StorePets, now: float
) -> dict[str, Any]:
    """Return what the user should know about the store besides the rows of the file."""
    facts: dict[str, Any] = {}
    if not store.is_complete:
        facts["store_cut"] = len(store.pets)
    elsewhere = gone_elsewhere(reader.sql, reader.staged.run.number, store, now)
    if elsewhere:
        facts[GONE_ELSEWHERE] = len(elsewhere)
        facts[GONE_ELSEWHERE_ANIMALS] = elsewhere[:MAX_NAMED]
    if store.doubt is not None and (elsewhere or plan.unproven_gone):
        facts[LISTING_DOUBT] = store.doubt
    if reader.has("FROM animals WHERE state IN ('created', 'matched')"):
        others = _left_to_others(plan, inputs.pets)
        if possible_duplicates := count_added_elsewhere(reader.sql, others):
            facts["twins"] = possible_duplicates
    return facts


def _renamed(reader: Reader, inputs: MatchingInput, plan: Plan) -> list[dict[str, Any]]:
    """Return the rows whose pets have a different name in the store, with that name."""
    names = {pet.id: pet.name for pet in inputs.pets}
    animals = json.dumps([match_.animal for match_ in plan.renamed])
    pet_ids = dict(
        reader.execute(
            "SELECT animal, pet_id FROM animals"
            " WHERE animal IN (SELECT value FROM json_each(:animals))",
            animals=animals,
        ).fetchall()
    )
    rows = json.dumps([match_.row for match_ in plan.renamed])
    lines = dict(reader.execute(_LINES, rows=rows).fetchall())
    return [
        {"row": match_.row, "line": lines[match_.row], "name": names[pet_ids[match_.animal]]}
        for match_ in plan.renamed
    ]


def _is_own(reader: Reader, plan: Plan, row: int) -> bool:
    """Return whether only this import has rows of an animal that moved to another row."""
    animal, _ = plan.animals[row]
    cursor = reader.execute(
        "SELECT 1 FROM rows WHERE animal = :animal AND import <> :mine LIMIT 1", animal=animal
    )
    return cursor.fetchone() is None


def _lines(reader: Reader, matches: Sequence[Match]) -> list[int]:
    rows = json.dumps([match_.row for match_ in matches])
    return [line for _, line in reader.execute(_LINES, rows=rows)]


def _names_and_files(reader: Reader, matches: Sequence[Match]) -> list[dict[str, str]]:
    """Return the name of each matched animal, and the file that it was loaded from."""
    animals = json.dumps([match_.animal for match_ in matches])
    records = reader.execute(_NAMES_AND_FILES, animals=animals)
    return [{"name": json.loads(body)["name"], "source": source} for body, source in records]


def _question(
    reader: Reader, inputs: MatchingInput, skipped: Plan, created: Plan, store: StorePets | None
) -> Question:
    """Return the question, with the effect of both answers."""
    order = list(CASES)
    open_cases = sorted(skipped.cases, key=lambda case: order.index(case.name))
    run = reader.staged.run
    total = reader.count("FROM rows WHERE import = :mine")
    return Question(
        run.source,
        total,
        tuple(_case(reader, inputs, case) for case in open_cases),
        run.base_url,
        _counts(reader, inputs, skipped, total),
        _counts(reader, inputs, created, total),
        listed_pets=None if store is None else len(store.pets),
        is_listing_complete=store is not None and store.is_complete,
    )


def _counts(reader: Reader, inputs: MatchingInput, plan: Plan, total: int) -> dict[State, int]:
    """Return how many rows will be in each state if this plan is written."""
    to_send = inputs.to_send
    invalid = reader.count(
        "FROM rows LEFT JOIN animals AS own USING (animal) WHERE rows.import = :mine"
        " AND rows.problem IS NOT NULL AND rows.reason IS NULL AND own.state IS NULL"
    )
    for row in inputs.rows:
        has_animal = row.number in plan.animals and row.number not in plan.moved
        is_settled = has_animal or row.number in plan.same_as or row.number in plan.pets
        if row.is_to_send and (is_settled or row.number in plan.problems):
            to_send -= 1
        if row.has_problem and (is_settled or row.number in plan.animals):
            invalid -= 1
    to_send += len(plan.created_again)
    invalid += sum(not row.has_problem for row in inputs.rows if row.number in plan.problems)
    counts = {
        State.PENDING: to_send,
        State.MATCHED: len(plan.pets),
        State.INVALID: max(invalid, 0),
        State.GONE: len(plan.gone),
    }
    counts[State.EXCLUDED] = max(0, total - sum(counts.values()))
    return counts


def _case(reader: Reader, inputs: MatchingInput, case: OpenCase) -> Case:
    animals = [match_.animal for match_ in case.matches if match_.animal is not None]
    sources = reader.execute(_SOURCES, animals=json.dumps(animals)).fetchall()
    examples = tuple(
        _example(reader, inputs, case.name, match_) for match_ in case.matches[:_EXAMPLES]
    )
    earlier = tuple(Earlier(*source) for source in sources)
    return Case(str(case.name), len(case.matches), case.of, examples, earlier)


def _example(reader: Reader, inputs: MatchingInput, case: By, match_: Match) -> Example:
    cursor = reader.execute(_EXAMPLE, animal=match_.animal, row=match_.row, same_as=match_.same_as)
    line, body, key, animal_body, animal_key, source, day, pet_id = cursor.fetchone()
    if case is By.SIMILAR_KEY:
        body, animal_body = shown_key(key), shown_key(animal_key)
    elif match_.pet is not None:
        animal_body, pet_id = match_.pet.payload.decode(), match_.pet.id
    elif case is By.GONE:  # a pet that is listed has another name now
        animal_body = next(
            (pet.payload.decode() for pet in inputs.pets if pet.id == pet_id), animal_body
        )
    return Example(match_.row, line, body or "", animal_body or "", source, day, pet_id)
