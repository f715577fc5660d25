"""Which animals of earlier imports the records of a staged file may be.

In: a staged journal, attached by name, and the journals before it. Out: one row per animal in the
temporary table ``theirs``, with what is known of it now. It matches nothing and changes nothing.

Two journals are kin where one is an edited version of the other, or fixes its records. A record
that a version skipped stands for an animal of an older journal, and one that was taken over for
an animal of a newer one; each animal is counted once, in the journal that answers for it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from petstore_frame.loader.journal.in_place import is_edited_in_place
from petstore_frame.loader.journal.journal import Run, attached
from petstore_frame.loader.journal.lineages import fixed_runs, inherit
from petstore_frame.loader.journal.together import find_parts
from petstore_frame.loader.journal.versions import is_version

CREATED, IN_DOUBT, NOT_SENT, NO_ANIMAL = 0, 1, 2, 3

_LIVE = "state IN ('created', 'unknown', 'in_flight', 'absent', 'pending')"
_RANK = "CASE state WHEN 'created' THEN 0 WHEN 'pending' THEN 2 WHEN 'rejected' THEN 3 ELSE 1 END"
_STANDS_FOR = """
CASE WHEN reason IN ('created_earlier', 'in_doubt_earlier') THEN taken_from
     ELSE :run || ':' || number END
"""
_GATHER = f"""
INSERT INTO temp.found
SELECT CASE WHEN {_LIVE} THEN :run || ':' || number ELSE {_STANDS_FOR} END,
       payload, {{lineage}}, CASE WHEN {_LIVE} THEN {_RANK} END, pet_id, :is_version, :is_in_place,
       CASE reason WHEN 'created_earlier' THEN 0 ELSE 1 END
FROM earlier.rows
WHERE payload IS NOT NULL AND {{which}} AND ({_LIVE} OR state = 'skipped' AND
  (reason = 'taken_over' OR taken_from IS NOT NULL) AND reason IS NOT 'fixed_earlier')
"""  # noqa: S608 # our own names
# What was taken over is answered for by the journal that took it, which is a newer one.
_FOLLOW = """
UPDATE temp.found SET at = :run || ':' || number FROM earlier.rows
WHERE rank IS NULL AND taken_from = at AND (state <> 'skipped' OR rows.reason = 'taken_over')
"""
_ANSWER = f"""
UPDATE temp.found SET rank = {_RANK}, pet_id = rows.pet_id FROM earlier.rows
WHERE rank IS NULL AND substr(at, 1, 32) = :run AND number = CAST(substr(at, 34) AS INTEGER)
  AND state <> 'skipped'
"""  # noqa: S608 # our own names
_THEIRS = """
CREATE TEMP TABLE theirs AS
SELECT at, (SELECT payload FROM temp.found AS newest WHERE newest.at = found.at
             ORDER BY newest.rowid DESC LIMIT 1) AS payload,
       max(lineage) AS lineage, max(pet_id) AS pet_id,
       coalesce(min(rank), min(past)) AS rank, max(is_version) AS is_version,
       max(is_in_place) AS is_in_place
FROM temp.found GROUP BY at HAVING coalesce(min(rank), min(past)) < 3
"""
_FOUND = (
    "CREATE TEMP TABLE found (at, payload, lineage, rank, pet_id, is_version, is_in_place, past)"
)
_ELSEWHERE = f"""
INSERT INTO temp.found SELECT {_STANDS_FOR}, NULL, NULL, NULL, NULL, 0, 0, 1 FROM main.rows
WHERE state = 'skipped' AND reason IN ('in_doubt_earlier', 'taken_over')
UNION ALL
SELECT value, NULL, NULL, NULL, NULL, 0, 0, 1 FROM main.run, json_each(plan, '$.left_in_doubt')
"""  # noqa: S608 # our own names
Runs = Sequence[tuple[Path, Run]]


class Kin(NamedTuple):
    """The earlier runs, by their relation to a staged file.

    Attributes:
        versions: Its earlier versions.
        others: The runs whose records are not matched with its own.
    """

    versions: Runs
    others: Runs


def gather(sql: sqlite3.Connection, earlier: Runs, hold: Callable[[Path], None]) -> Kin:
    """Fill ``temp.theirs`` with the animals that the staged records may be.

    Args:
        sql: The staged journal.
        earlier: The runs of the same store, the oldest first.
        hold: Called with each journal whose records count, before they are read.

    Returns:
        The earlier versions of the staged file, and the runs that are unrelated to it.
    """
    sql.execute(_FOUND)
    in_place = {path for path, _ in earlier if _tell(sql, path, is_edited_in_place)}
    versions = [
        (path, run) for path, run in earlier if path in in_place or _tell(sql, path, is_version)
    ]
    versions += find_parts(sql, [found for found in earlier if found not in versions])
    fixed = fixed_runs(sql)
    inherit(sql, reversed(versions))
    others = list[tuple[Path, Run]]()
    family = _Family(sql, earlier if versions or fixed else ())
    kin_of_versions = family.of(run.run_id for _, run in versions)
    kin_of_fixed = family.of(fixed)
    for path, run in earlier:
        if (path, run) in versions:
            which, lineage = "true", "lineage"
        elif run.run_id in fixed:
            # Its other records are other animals than those fixed, so they have their own lineage.
            which, lineage = "state <> 'pending'", "coalesce(lineage, :run || ':' || number)"
        elif run.run_id in kin_of_fixed:
            which, lineage = "true", "lineage"
        elif run.run_id in kin_of_versions:
            which, lineage = "lineage IS NOT NULL", "lineage"
        else:
            others.append((path, run))
            continue
        if run.run_id not in fixed:
            hold(path)
        facts = {
            "run": run.run_id,
            "is_version": (path, run) in versions,
            "is_in_place": path in in_place,
        }
        with attached(sql, path):
            sql.execute(_GATHER.format(which=which, lineage=lineage), facts)
    _find_answers(sql, earlier, hold)
    sql.execute(_THEIRS)
    return Kin(versions, others)


def count_elsewhere(sql: sqlite3.Connection, run: Run, others: Runs) -> Counter[tuple[str, int]]:
    """Count the skipped records of a journal by what the journals that answer for them know now.

    Args:
        sql: The journal.
        run: Its facts.
        others: The runs of the same store, the oldest first.

    Returns:
        How many are ``CREATED``, ``IN_DOUBT``, ``NOT_SENT`` or ``NO_ANIMAL``, by run id and that;
        those created when they were skipped are left out.
    """
    sql.execute(_FOUND)
    sql.execute(_ELSEWHERE, {"run": run.run_id})
    _find_answers(sql, others, lambda _: None)
    query = "SELECT substr(at, 1, 32), coalesce(rank, past), count(*) FROM temp.found GROUP BY 1, 2"
    return Counter({(run_id, rank): count for run_id, rank, count in sql.execute(query)})


def _tell(
    sql: sqlite3.Connection, path: Path, question: Callable[[sqlite3.Connection], bool]
) -> bool:
    with attached(sql, path):
        return question(sql)


class _Family:
    """Which runs are kin, over any number of versions and corrections."""

    def __init__(self, sql: sqlite3.Connection, earlier: Runs) -> None:
        self._near: dict[str, set[str]] = defaultdict(set)
        for path, run in earlier:
            with attached(sql, path):
                found = sql.execute(
                    "SELECT DISTINCT substr(lineage, 1, 32) FROM earlier.rows"
                    " WHERE lineage NOT NULL"
                ).fetchall()
            versions = [other["run_id"] for other in run.overlap.get("earlier", ())]
            for other in [*versions, *(run_id for (run_id,) in found)]:
                self._near[run.run_id].add(other)
                self._near[other].add(run.run_id)

    def of(self, run_ids: Iterable[str]) -> set[str]:
        """Return the runs that are kin of these, and these."""
        known: set[str] = set()
        new = set(run_ids)
        while new:
            known |= new
            new = set[str]().union(*(self._near[run_id] for run_id in new)) - known
        return known


def _find_answers(sql: sqlite3.Connection, earlier: Runs, hold: Callable[[Path], None]) -> None:
    """Follow each record that stands for another to the journal that answers for it."""
    sql.execute("CREATE INDEX temp.found_at ON found(at)")
    for path, run in earlier:
        if sql.execute("SELECT 1 FROM temp.found WHERE rank IS NULL").fetchone() is None:
            return
        with attached(sql, path):
            sql.execute(_FOLLOW, {"run": run.run_id})
            asks = "SELECT 1 FROM temp.found WHERE rank IS NULL AND substr(at, 1, 32) = ?"
            if sql.execute(asks, [run.run_id]).fetchone() is not None:
                hold(path)
                sql.execute(_ANSWER, {"run": run.run_id})
