"""Which animal a staged record is: the rules of identity, and what the user is asked.

1. A row of one of our result files is the record that it names: created at most once.
2. A key that the store's journal knows is that animal: never sent again.
3. Without either nothing is inferred. Records that equal earlier ones in all but the status make
   the import ask (``refuse``), unless the caller said what they are: the same animals (``skip``)
   or others (``send``).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.journal.rows import Run, pack_problem, read_cells
from petstore_frame.loader.journal.staging import LIVE
from petstore_frame.loader.record import RecordProblem

# From so many equal records on, and from such a share of them, the user is asked.
ASKING_RECORDS, ASKING_SHARE = 3, 0.5
_SHOWN_LINES = 5
_SHOWN_SOURCES = 3
_NEW = "staged.state = 'pending'"
_KEY_WORDS = ("id", "key", "tag", "chip", "licence", "license", "number", "no", "nr", "code", "ref")


class Source(NamedTuple):
    """An earlier import as the user knows it.

    Attributes:
        name: Its file.
        created_at: When it was staged, seconds since 1970.
        equal: How many of the new records equal one of its own.
        pending: How many of its records were not sent yet.
    """

    name: str
    created_at: float
    equal: int
    pending: int


class Repeats(NamedTuple):
    """What a source has in common with earlier imports into the store.

    Attributes:
        records: How many of its records are new, or may be.
        equal: How many of them equal an earlier record in all but the status.
        changed: How many of these have another status.
        same_path: When a file of the same path was imported, seconds since 1970, or None.
        sources: The earlier imports, those with most equal records first.
        others: How many more earlier imports there are.
        key_column: A column that looks as if it named each animal, or None.
        must_ask: Whether nothing may be sent before the user has said what they are.
    """

    records: int
    equal: int
    changed: int
    same_path: float | None
    sources: tuple[Source, ...]
    others: int = 0
    key_column: str | None = None
    must_ask: bool = False


def find_roots(sql: sqlite3.Connection, run: Run, journal: Path) -> None:
    """Find the record that each row of a result file names, and skip what that one has become.

    Raises:
        InputError: A row names an import that this journal does not know.
    """
    sql.execute(
        "UPDATE temp.staged SET root_import = coalesce(named.root_import, named.import),"
        " root_record = coalesce(named.root_record, named.record)"
        " FROM main.imports JOIN main.records AS named USING (import)"
        " WHERE imports.run_id = staged.origin_run AND named.record = staged.origin_record"
    )
    _refuse_unknown_imports(sql, run, journal)
    # Where the records of an import are staged once more, each is its own root.
    for root_import, root_record in (
        ("staged.root_import", "staged.root_record"),
        (str(run.number), "staged.record"),
    ):
        is_mine = "IS NULL" if root_record == "staged.record" else "IS NOT NULL"
        sql.execute(
            "UPDATE temp.staged SET state = 'skipped', same_by = 'record',"
            " same_import = taken.import, same_record = taken.record"
            " FROM main.records AS taken JOIN main.imports USING (import)"
            f" WHERE staged.state = 'pending' AND staged.root_import {is_mine}"
            f" AND taken.root_import = {root_import} AND taken.root_record = {root_record}"
            f" AND taken.store = ? AND taken.state IN {LIVE} AND imports.started_at IS NOT NULL",
            [run.store],
        )
    sql.execute(
        "UPDATE temp.staged SET state = 'skipped', same_by = 'record',"
        " same_import = root.import, same_record = root.record"
        " FROM main.records AS root JOIN main.imports USING (import)"
        " WHERE staged.state = 'pending' AND root.import = staged.root_import"
        " AND root.record = staged.root_record AND imports.started_at IS NOT NULL"
        f" AND root.store = ? AND root.state IN {LIVE}",
        [run.store],
    )
    sql.execute(
        "UPDATE temp.staged SET state = 'skipped', same_by = 'record', same_import = ?,"
        " same_record = first.record"
        " FROM (SELECT root_import, root_record, min(record) AS record FROM temp.staged"
        "  WHERE state = 'pending' AND root_import IS NOT NULL GROUP BY 1, 2) AS first"
        " WHERE staged.state = 'pending' AND staged.root_import = first.root_import"
        " AND staged.root_record = first.root_record AND staged.record > first.record",
        [run.number],
    )


def _refuse_unknown_imports(sql: sqlite3.Connection, run: Run, journal: Path) -> None:
    found = sql.execute(
        "SELECT line, origin_run, origin_record FROM temp.staged"
        " WHERE origin_run IS NOT NULL AND root_import IS NULL ORDER BY record LIMIT 1"
    ).fetchone()
    if found is not None:
        line, run_id, record = found
        place = _folder_of(run_id, run.source_path)
        where = "the folder of journals that the import was made with" if place is None else place
        raise InputError(
            f"this row is record {record} of the import {run_id}, which the journals in "
            f"{journal.parent} do not know, so it may be in the store already; nothing was sent",
            line=line,
            hint=Advice(
                f"name {where}: {{}}; or, if these are new animals, empty the columns _pf_run and "
                "_pf_record",
                ("journal", place),
                by_hand=f"it needs {where}",
            ),
        )


def _folder_of(run_id: str, source_path: str | None) -> str | None:
    """Return the folder of an import's journal, where its results beside a file name it."""
    if source_path is None:
        return None
    with suppress(OSError, ValueError, TypeError, AttributeError):
        summary = json.loads((Path(source_path).parent / "summary.json").read_bytes())
        if summary.get("run_id") == run_id:
            return str(Path(summary["journal"]).parent)
    return None


def link_unsent(sql: sqlite3.Connection, run: Run) -> None:
    """Let a record that an import of the same records could not send be that record still.

    The same records were read otherwise then; a fix file of that import may come back yet.
    """
    sql.execute(
        "UPDATE temp.staged SET root_import = coalesce(old.root_import, old.import),"
        " root_record = coalesce(old.root_record, old.record)"
        " FROM main.records AS old JOIN main.imports USING (import)"
        " WHERE imports.store = ? AND imports.records_sha256 = ? AND imports.import <> ?"
        " AND old.record = staged.record AND staged.root_import IS NULL"
        " AND staged.state = 'pending' AND old.state IN ('invalid', 'rejected')",
        [run.store, run.records_sha256, run.number],
    )


def refuse_repeated_keys(sql: sqlite3.Connection) -> None:
    """Make invalid the records whose key stands more than once in the source."""
    repeated = sql.execute(
        "SELECT key FROM temp.staged WHERE key IS NOT NULL AND state <> 'skipped' GROUP BY key"
        " HAVING count(DISTINCT coalesce(root_import || ':' || root_record, record)) > 1"
    ).fetchall()
    if not repeated:
        return
    sql.execute("CREATE INDEX temp.staged_by_key ON staged(key)")
    for (key,) in repeated:
        lines = [
            line
            for (line,) in sql.execute(
                "SELECT line FROM temp.staged WHERE key = ? AND state <> 'skipped' ORDER BY record",
                [key],
            )
        ]
        shown = ", ".join(map(str, lines[:_SHOWN_LINES])) + ", …" * (len(lines) > _SHOWN_LINES)
        problem = RecordProblem(
            "key_repeated",
            f"the key {key!r} stands {len(lines)} times in the file, in the lines {shown}",
            value=key,
            hint="a key names one animal: correct it, or leave one of these lines",
        )
        sql.execute(
            "UPDATE temp.staged SET state = 'invalid', payload = NULL, likeness = NULL, problem = ?"
            " WHERE key = ? AND state = 'pending'",
            [pack_problem(problem), key],
        )


def skip_known_keys(sql: sqlite3.Connection, run: Run) -> None:
    """Skip the records whose key belongs to an animal that was sent, or is about to be.

    One that cannot be read is that animal too: it was mended once, and its source was not.
    """
    sql.execute(
        "UPDATE temp.staged SET state = 'skipped', problem = NULL, same_by = 'key',"
        " same_import = keys.import,"
        " same_record = keys.record"
        " FROM main.keys JOIN main.records AS known USING (import, record)"
        " WHERE (staged.state = 'pending' OR staged.state = 'invalid'"
        "  AND staged.problem NOT LIKE '[\"key_repeated\"%')"
        " AND keys.store = ? AND keys.key = staged.key"
        f" AND known.state IN {LIVE}"
        " AND NOT (keys.import = ? AND keys.record = staged.record)",
        [run.store, run.number],
    )


def find_repeats(sql: sqlite3.Connection, run: Run) -> Repeats:
    """Compare the staged records that are to be sent with those of earlier imports.

    Equal records are paired one to one: two earlier Lunas are no more than two of the new ones.
    With a key only records from before there were keys are compared.
    """
    sql.execute("DROP TABLE IF EXISTS temp.pairs")
    sql.execute("CREATE TEMP TABLE pairs (record INTEGER PRIMARY KEY, import, earlier, changed)")
    sql.execute("DROP TABLE IF EXISTS temp.earlier")
    without_key = "AND old.key IS NULL" if run.key else ""
    sql.execute(
        "CREATE TEMP TABLE earlier AS"
        " SELECT old.import, old.record, old.likeness, old.payload FROM"
        f" (SELECT DISTINCT likeness FROM temp.staged WHERE {_NEW}) AS new"
        " CROSS JOIN main.records AS old ON old.store = ? AND old.likeness = new.likeness"
        " JOIN main.imports USING (import)"
        f" WHERE old.state IN {LIVE} AND imports.started_at IS NOT NULL"
        f" AND old.import <> ? {without_key}",
        [run.store, run.number],
    )
    for column, changed in (("payload", 0), ("likeness", 1)):
        sql.execute(
            "INSERT INTO temp.pairs"
            f" WITH mine AS (SELECT record, {column} AS content, row_number() OVER"
            f"  (PARTITION BY {column} ORDER BY record) AS n FROM temp.staged"
            f"  WHERE {_NEW} AND record NOT IN (SELECT record FROM temp.pairs)),"
            f" theirs AS (SELECT import, record, {column} AS content, row_number() OVER"
            f"  (PARTITION BY {column} ORDER BY import, record) AS n FROM temp.earlier"
            "  WHERE (import, record) NOT IN (SELECT import, earlier FROM temp.pairs))"
            " SELECT mine.record, theirs.import, theirs.record, ? FROM mine"
            " JOIN theirs USING (content, n)",
            [changed],
        )
    ((records, plain),) = sql.execute(
        f"SELECT count(*), coalesce(sum(root_import IS NULL), 0) FROM temp.staged WHERE {_NEW}"
    ).fetchall()
    ((equal, changed),) = sql.execute(
        "SELECT count(*), coalesce(sum(changed), 0) FROM temp.pairs"
    ).fetchall()
    sources = _sources(sql, run)
    # A fix file is written to one place again and again, and its rows name their records.
    same_path = _same_path(sql, run) if plain else None
    is_alike = equal >= ASKING_RECORDS and equal >= ASKING_SHARE * records
    if run.key:
        # What comes from one path again is told by its keys, once its animals have any.
        must_ask = bool(equal) and (is_alike or same_path is not None)
    else:
        must_ask = is_alike or same_path is not None
    shown = tuple(sources[:_SHOWN_SOURCES])
    key = likely_key(sql, run) if must_ask and not run.key else None
    others = len(sources) - len(shown)
    return Repeats(records, equal, changed, same_path, shown, others, key, must_ask)


def _sources(sql: sqlite3.Connection, run: Run) -> list[Source]:
    """Return the imports with equal records, and those of the same path with something left."""
    found = sql.execute(
        "SELECT source_name, created_at, sum(equal), max(pending) FROM ("
        " SELECT import, count(*) AS equal, 0 AS pending FROM temp.pairs GROUP BY import"
        " UNION ALL SELECT import, 0, count(*) FROM main.records JOIN main.imports USING (import)"
        "  WHERE state = 'pending' AND started_at IS NOT NULL AND imports.store = :store"
        "  AND import <> :mine"
        "  AND (source_path = :path OR import IN (SELECT import FROM temp.pairs)) GROUP BY import"
        ") JOIN main.imports USING (import) GROUP BY import ORDER BY 3 DESC, import DESC",
        {"store": run.store, "mine": run.number, "path": run.source_path},
    )
    return [Source(*row) for row in found.fetchall()]


def _same_path(sql: sqlite3.Connection, run: Run) -> float | None:
    """Return when the last import from the same path was made that has sent anything."""
    (last,) = sql.execute(
        "SELECT max(created_at) FROM main.imports WHERE store = ? AND source_path = ?"
        " AND import <> ? AND started_at IS NOT NULL AND EXISTS (SELECT 1 FROM main.records"
        f" WHERE records.import = imports.import AND records.state IN {LIVE}"
        " AND records.root_import IS NULL)",
        [run.store, run.source_path, run.number],
    ).fetchone()
    return None if last is None else float(last)


def skip_equal(sql: sqlite3.Connection, run: Run) -> None:
    """Skip the records that equal earlier ones; with a key, those are known by it from now on."""
    sql.execute(
        "UPDATE temp.staged SET state = 'skipped', same_by = 'equal', same_import = pairs.import,"
        " same_record = pairs.earlier FROM temp.pairs WHERE staged.record = pairs.record"
    )
    if not run.key:
        return
    sql.execute(
        "INSERT OR REPLACE INTO main.keys (store, key, import, record)"
        " SELECT ?, staged.key, pairs.import, pairs.earlier"
        " FROM temp.pairs JOIN temp.staged USING (record)",
        [run.store],
    )
    sql.execute(
        "UPDATE main.records SET key = staged.key FROM temp.pairs JOIN temp.staged USING (record)"
        " WHERE records.import = pairs.import AND records.record = pairs.earlier"
    )


def likely_key(sql: sqlite3.Connection, run: Run) -> str | None:
    """Return a column that is not sent, filled, and different in each record; None for none."""
    used = {*run.mapping.values(), *run.key}
    seen: dict[int, set[str]] = {
        at: set() for at, name in enumerate(run.header) if name.strip() and name not in used
    }
    count = 0
    rows = sql.execute("SELECT cells FROM temp.staged WHERE warnings IS NOT 'blank'")
    for (packed,) in rows:
        count += 1
        cells = read_cells(packed)
        for at in list(seen):
            value = cells[at].strip() if at < len(cells) else ""
            if not value or value in seen[at]:
                del seen[at]
            else:
                seen[at].add(value)
        if not seen:
            return None
    names = [run.header[at] for at in seen] if count > 1 else []
    return next((name for name in names if _sounds_like_key(name)), names[0] if names else None)


def _sounds_like_key(name: str) -> bool:
    words = "".join(sign if sign.isalnum() else " " for sign in name.casefold()).split()
    return any(word in _KEY_WORDS for word in words) or name.casefold().endswith("id")


def release_equal(sql: sqlite3.Connection, run: Run) -> int:
    """Let the records be sent that were skipped because they equal earlier ones.

    Returns:
        How many records that are.
    """
    released = sql.execute(
        "UPDATE main.records SET state = 'pending', same_by = NULL, same_import = NULL,"
        " same_record = NULL WHERE import = ? AND state = 'skipped' AND same_by = 'equal'"
        " AND payload IS NOT NULL",
        [run.number],
    ).rowcount
    if released:
        sql.execute("UPDATE main.imports SET ending = NULL WHERE import = ?", [run.number])
    return released


def as_plan(repeats: Repeats) -> dict[str, Any]:
    """Return what was found, ready for JSON."""
    return repeats._asdict() | {"sources": [list(source) for source in repeats.sources]}


def from_plan(plan: dict[str, Any]) -> Repeats | None:
    """Return what was found when an import was staged; None where nothing was compared."""
    found = plan.get("repeats")
    if found is None:
        return None
    sources: Sequence[Sequence[Any]] = found["sources"]
    return Repeats(**(found | {"sources": tuple(Source(*source) for source in sources)}))
