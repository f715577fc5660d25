"""Which animal a staged record is: the rules of identity, and what the user is asked.

1. A row of one of our result files is the record that it names: created at most once.
2. A key that the store's journal knows is that animal: never sent again.
3. Without either nothing is inferred. Records that equal earlier ones in all but the status make
   the import ask (``refuse``), unless the caller said what they are: the same animals (``skip``)
   or others (``send``).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.advice import Advice
from petstore_frame.loader.journal.rows import Run, pack_problem, read_cells
from petstore_frame.loader.reading.mapping import likely_keys
from petstore_frame.loader.record import RecordProblem

# From so many equal records on, and from such a share of them, the user is asked.
ASKING_RECORDS, ASKING_SHARE = 3, 0.5
# Its pet is in the store, may be, or will be.
LIVE = "('created', 'in_flight', 'unknown', 'absent', 'pending')"
SENT = "('created', 'in_flight', 'unknown', 'absent')"
_SHOWN_LINES = 5
_SHOWN_SOURCES = 3


class Source(NamedTuple):
    """An earlier import as the user knows it: how many new records equal one of its own, and how
    many of those it has not sent yet; staged at a time in seconds since 1970."""

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


_HAS_REPEATED_KEYS = """
SELECT count(*) > count(DISTINCT key) FROM contents WHERE import = :staged AND key IS NOT NULL
"""
_REPEATED_KEYS = """
SELECT key, record, line FROM records WHERE import = :staged AND state <> 'skipped' AND key IN (
  SELECT key FROM records WHERE import = :staged AND key IS NOT NULL AND state <> 'skipped'
  GROUP BY key HAVING count(DISTINCT coalesce(root_import || ':' || root_record, record)) > 1)
ORDER BY record
"""
# A record has one fate; the first rule that gives it one decides.
_SKIP = """
INSERT OR IGNORE INTO fates (import, record, store, state, same_by, same_import, same_record)
SELECT :staged, {record}, :store, 'skipped', {by}
"""
_SPOIL = """
INSERT OR IGNORE INTO fates (import, record, store, state, problem)
VALUES (:staged, :record, :store, 'invalid', :problem)
"""
_SKIP_KNOWN_KEYS = f"""
{_SKIP.format(record="staged.record", by="'key', keys.import, keys.record")}
FROM contents AS staged JOIN keys USING (key)
JOIN records AS known ON known.import = keys.import AND known.record = keys.record
WHERE staged.import = :staged AND keys.store = :store
AND known.state IN {LIVE} AND NOT (keys.import = :mine AND keys.record = staged.record)
ON CONFLICT (import, record) DO UPDATE SET state = 'skipped', problem = NULL, same_by = 'key',
  same_import = excluded.same_import, same_record = excluded.same_record
WHERE state = 'invalid' AND problem NOT LIKE '["key_repeated"%'
"""
_NEW = """
CREATE TEMP TABLE new AS SELECT likeness(payload) AS likeness, payload, record
FROM records WHERE import = :staged AND state = 'pending'
"""
_INDEX = """
INSERT OR IGNORE INTO likenesses
SELECT store, likeness(payload) AS likeness, import, record
FROM contents JOIN imports USING (import)
WHERE store = :store AND NOT is_compared AND started_at IS NOT NULL AND payload IS NOT NULL
ORDER BY likeness
"""
_ARE_COMPARED = """
UPDATE imports SET is_compared = 1
WHERE store = :store AND NOT is_compared AND started_at IS NOT NULL
"""
# A record that was read otherwise since has a likeness of then, too.
_EARLIER = f"""
CREATE TEMP TABLE earlier AS SELECT old.import, old.record, known.likeness, old.payload
FROM (SELECT DISTINCT likeness FROM temp.new ORDER BY likeness) AS new
CROSS JOIN likenesses AS known ON known.store = :store AND known.likeness = new.likeness
CROSS JOIN records AS old USING (import, record) JOIN imports USING (import)
WHERE old.state IN {LIVE} AND imports.started_at IS NOT NULL AND old.import <> :mine {{more}}
AND likeness(coalesce(old.payload, x'')) = known.likeness
"""
_PAIRS = """
INSERT INTO temp.pairs
WITH mine AS (SELECT record, {column} AS content,
    row_number() OVER (PARTITION BY {column} ORDER BY record) AS n
  FROM temp.new WHERE likeness IN (SELECT likeness FROM temp.earlier)
  AND record NOT IN (SELECT record FROM temp.pairs)),
theirs AS (SELECT import, record, {column} AS content,
    row_number() OVER (PARTITION BY {column} ORDER BY import, record) AS n
  FROM temp.earlier WHERE (import, record) NOT IN (SELECT import, earlier FROM temp.pairs))
SELECT mine.record, theirs.import, theirs.record, :changed FROM mine JOIN theirs USING (content, n)
"""
# The imports with equal records, and those of the same path with something left.
_SOURCES = """
SELECT source_name, created_at, sum(equal), max(pending) FROM (
  SELECT import, count(*) AS equal, 0 AS pending FROM temp.pairs GROUP BY import
  UNION ALL SELECT import, 0, count(*) FROM imports JOIN records USING (import)
  WHERE state = 'pending' AND started_at IS NOT NULL AND imports.store = :store
  AND ending IS NOT 'done'
  AND import <> :staged
  AND (source_path = :path OR import IN (SELECT import FROM temp.pairs)) GROUP BY import
) JOIN imports USING (import) GROUP BY import ORDER BY 3 DESC, import DESC
"""
# When the last import from the same path was made that has sent anything.
_SAME_PATH = f"""
SELECT max(created_at) FROM imports WHERE store = :store AND source_path = :path
AND import <> :staged AND started_at IS NOT NULL AND EXISTS (SELECT 1 FROM records
  WHERE records.import = imports.import AND records.state IN {LIVE} AND root_import IS NULL)
"""
_NAMED = """
INSERT INTO roots
SELECT :staged, origins.record, coalesce(named.root_import, named.import),
  coalesce(named.root_record, named.record)
FROM temp.origins
CROSS JOIN contents AS staged ON staged.import = :staged AND staged.record = origins.record
JOIN imports USING (run_id)
JOIN records AS named ON named.import = imports.import AND named.record = origins.origin
"""
_UNNAMED = """
SELECT line, run_id, origin FROM temp.origins CROSS JOIN contents USING (record)
WHERE import = :staged AND record NOT IN (SELECT record FROM roots WHERE import = :staged)
ORDER BY record LIMIT 1
"""
# What a root, or another record of the same root, has become decides; where the records of an
# import are staged once more, each is its own root; of several in one source the first is sent.
_SKIP_TAKEN = f"""
WITH taken (staged, import, record) AS (
  SELECT mine.record, other.import, other.record
  FROM roots AS mine JOIN roots AS other USING (root_import, root_record)
  WHERE mine.import = :staged
  UNION ALL SELECT record, root_import, root_record FROM roots WHERE import = :staged
  UNION ALL SELECT mine.record, roots.import, roots.record
  FROM roots JOIN contents AS mine ON mine.import = :staged AND mine.record = root_record
  WHERE root_import = :mine
  AND mine.record NOT IN (SELECT record FROM roots WHERE import = :staged))
{_SKIP.format(record="taken.staged", by="'record', import, record")}
FROM taken JOIN records USING (import, record) JOIN imports USING (import)
WHERE imports.store = :store AND state IN {LIVE} AND started_at IS NOT NULL
AND import <> :staged AND NOT (import = :mine AND record = taken.staged)
"""
_SKIP_TWINS = f"""
{_SKIP.format(record="staged.record", by="'record', :mine, first.record")}
FROM roots AS staged JOIN (
  SELECT root_import, root_record, min(record) AS record
  FROM roots LEFT JOIN fates USING (import, record)
  WHERE import = :staged AND state IS NULL GROUP BY 1, 2
) AS first USING (root_import, root_record)
WHERE staged.import = :staged AND staged.record > first.record
"""
# A record that an import of the same records could not send is that record still: they were read
# otherwise then, and a fix file of that import may come back yet.
_LINK_UNSENT = """
INSERT OR IGNORE INTO roots
SELECT :staged, old.record, coalesce(root_import, old.import), coalesce(root_record, old.record)
FROM imports JOIN fates AS old USING (import) LEFT JOIN roots USING (import, record)
WHERE imports.store = :store AND records_sha256 = :digest AND old.import <> :staged
AND old.state IN ('invalid', 'rejected') AND old.record IN (
  SELECT record FROM records WHERE import = :staged AND state = 'pending')
"""


class Staged:
    """The records of a source that are being staged, while the rules give each its state.

    They have a number of their own, also where an earlier import goes on with them.
    """

    def __init__(self, sql: sqlite3.Connection, run: Run, number: int) -> None:
        self._sql, self._run = sql, run
        self._facts: dict[str, Any] = {
            "staged": number,
            "mine": run.number,
            "store": run.store,
            "path": run.source_path,
            "digest": run.records_sha256,
        }

    def _do(self, statement: str, **more: Any) -> sqlite3.Cursor:
        return self._sql.execute(statement, self._facts | more)

    def find_roots(self, journal: Path) -> None:
        """Find the record that each row of a result file names, and skip what it has become.

        Raises:
            InputError: A row names an import that this journal does not know.
        """
        self._do(_NAMED)
        unnamed = self._do(_UNNAMED).fetchone()
        if unnamed is not None:
            raise _unknown_import(self._run, journal, *unnamed)
        self._do(_SKIP_TAKEN)
        self._do(_SKIP_TWINS)
        if self._facts["staged"] == self._run.number and not self._run.is_again:
            self._do(_LINK_UNSENT)

    def refuse_repeated_keys(self) -> None:
        """Make invalid the records whose key stands more than once in the source."""
        if not self._run.key or self._do(_HAS_REPEATED_KEYS).fetchone() == (0,):
            return
        places: dict[str, list[tuple[int, int]]] = {}
        for key, record, line in self._do(_REPEATED_KEYS):
            places.setdefault(key, []).append((record, line))
        for key, found in places.items():
            lines = [str(line) for _, line in found]
            shown = ", ".join(lines[:_SHOWN_LINES]) + ", …" * (len(lines) > _SHOWN_LINES)
            problem = RecordProblem(
                "key_repeated",
                f"the key {key!r} stands {len(lines)} times in the file, in the lines {shown}",
                value=key,
                hint="a key names one animal: correct it, or leave one of these lines",
            )
            for record, _ in found:
                if self._do(_SPOIL, record=record, problem=pack_problem(problem)).rowcount:
                    self._do(
                        "UPDATE contents SET payload = NULL"
                        " WHERE import = :staged AND record = :record",
                        record=record,
                    )

    def skip_known_keys(self) -> None:
        """Skip the records whose key belongs to an animal that was sent, or is about to be.

        One that cannot be read is that animal too: it was mended once, and its source was not.
        """
        if self._run.key:
            self._do(_SKIP_KNOWN_KEYS)

    def find_repeats(self) -> Repeats:
        """Compare the records that are to be sent with those of earlier imports.

        Equal records are paired one to one: two earlier Lunas are no more than two of the new
        ones. With a key only records from before there were keys are compared.
        """
        run = self._run
        self._pair()
        records, plain = self._do(
            "SELECT (SELECT count(*) FROM contents WHERE import = :staged)"
            " - (SELECT count(*) FROM fates WHERE import = :staged), EXISTS (SELECT 1 FROM records"
            "  WHERE import = :staged AND state = 'pending' AND root_import IS NULL)"
        ).fetchone()
        equal, changed = self._do(
            "SELECT count(*), coalesce(sum(changed), 0) FROM temp.pairs"
        ).fetchone()
        # A fix file is written to one place again and again, and its rows name their records.
        (same_path,) = self._do(_SAME_PATH).fetchone() if plain else (None,)
        is_alike = equal >= ASKING_RECORDS and equal >= ASKING_SHARE * records
        # What comes from one path again is told by its keys, once its animals have any.
        must_ask = is_alike or (same_path is not None and bool(equal or not run.key))
        sources = [Source(*row) for row in self._do(_SOURCES).fetchall()]
        shown = tuple(sources[:_SHOWN_SOURCES])
        key = self._likely_key() if must_ask and not run.key else None
        others = len(sources) - len(shown)
        return Repeats(records, equal, changed, same_path, shown, others, key, must_ask)

    def _pair(self) -> None:
        """Pair new records with equal earlier ones, those of the same status first."""
        for table in ("pairs", "new", "earlier"):
            self._do(f"DROP TABLE IF EXISTS temp.{table}")
        self._do("CREATE TEMP TABLE pairs (record INTEGER PRIMARY KEY, import, earlier, changed)")
        self._sql.create_function("likeness", 1, likeness_of, deterministic=True)
        self._do(_INDEX)
        self._do(_ARE_COMPARED)
        if self._do("SELECT 1 FROM likenesses WHERE store = :store LIMIT 1").fetchone() is None:
            return
        self._do(_NEW)
        self._do(_EARLIER.format(more="AND old.key IS NULL" if self._run.key else ""))
        for column, changed in (("payload", 0), ("likeness", 1)):
            self._do(_PAIRS.format(column=column), changed=changed)

    def skip_equal(self) -> None:
        """Skip the records that equal earlier ones; with a key, those are known by it now."""
        self._do(_SKIP.format(record="record", by="'equal', import, earlier") + " FROM temp.pairs")
        if not self._run.key:
            return
        self._do(
            "INSERT OR REPLACE INTO keys (store, key, import, record)"
            " SELECT :store, staged.key, pairs.import, pairs.earlier FROM temp.pairs"
            " JOIN contents AS staged ON staged.import = :staged AND staged.record = pairs.record"
        )
        self._do(
            "UPDATE contents AS old SET key = staged.key FROM temp.pairs"
            " JOIN contents AS staged ON staged.import = :staged AND staged.record = pairs.record"
            " WHERE old.import = pairs.import AND old.record = pairs.earlier"
        )

    def _likely_key(self) -> str | None:
        """Return a column that is not sent, filled, and different in each record, if any."""
        run = self._run
        rows = self._do(
            "SELECT cells FROM contents WHERE import = :staged AND warnings IS NOT 'blank'"
        )
        cells = (read_cells(packed) for (packed,) in rows)
        found = likely_keys(run.header, cells, {*run.mapping.values(), *run.key})
        return found[0] if found else None


def likeness_of(payload: bytes) -> bytes:
    """Return a digest of all that is sent of an animal but its status.

    Example:
        >>> sold = b'{"name":"Rex","categoryId":3,"status":"sold"}'
        >>> likeness_of(sold) == likeness_of(b'{"name":"Rex","categoryId":3}')
        True
    """
    # This cannot stand within a JSON string, whose quotes are escaped.
    head, sign, tail = payload.partition(b',"status":"')
    rest = head + tail.partition(b'"')[2] if sign else payload
    return hashlib.blake2b(rest, digest_size=12).digest()


def _unknown_import(run: Run, journal: Path, line: int, run_id: str, record: int) -> InputError:
    place = _folder_of(run_id, run.source_path)
    where = "the folder of journals that the import was made with" if place is None else place
    return InputError(
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


def release_equal(sql: sqlite3.Connection, run: Run) -> int:
    """Let records be sent that were skipped as equal to earlier ones; return how many."""
    released = sql.execute(
        "DELETE FROM fates WHERE import = ? AND state = 'skipped' AND same_by = 'equal'"
        " AND EXISTS (SELECT 1 FROM contents WHERE contents.import = fates.import"
        "  AND contents.record = fates.record AND payload IS NOT NULL)",
        [run.number],
    ).rowcount
    if released:
        sql.execute("UPDATE imports SET ending = NULL WHERE import = ?", [run.number])
    return released


def from_plan(plan: dict[str, Any]) -> Repeats | None:
    """Return what was found when an import was staged; None where nothing was compared."""
    if "repeats" not in plan:
        return None
    found = Repeats(*plan["repeats"])
    return found._replace(sources=tuple(Source(*source) for source in found.sources))
