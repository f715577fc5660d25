"""Whether a file is an edited version of an earlier one, by evidence that chance does not give.

In: a staged journal as ``main``, an older one attached as ``earlier``. Out: yes or no. Names
repeat, so two files of different animals share records too; what they do not share is the order
of their records, or more records than chance gives.

=============================================  ==========================================
two files of one store                         what tells
=============================================  ==========================================
fix file, or a file fixed from one            a lineage in common
edited, appended, rolled on, newest first      records that both hold once, in one order
resorted, or sorted by name in both            more in common than chance gives
moved and edited, eight records or fewer       half of the larger file in common
the first lines as a trial, or three in a row  they stand at one distance
equal rows by the dozen (200 x Goldfish)       cannot tell: half of the larger file counts
=============================================  ==========================================

Where both files have the same columns, some of which are not sent (an arrival date, a number of
the animal), the last two and a mere share are judged by the whole text of the records: equal
bodies with different texts are different animals. An order or a share beyond chance is proof
enough by the bodies alone, for such a column may also change from day to day (an age, a row
number). What the path of a file shows is for in_place.py. In doubt the answer is yes: what
is skipped is reported and can still be sent, while an animal that was created twice stays.
"""

from __future__ import annotations

import json
import math
import sqlite3
from typing import NamedTuple

# Of the smaller file. Below it, equal records are taken for different animals: a delivery is
# not an edit.
VERSION_SHARE = 0.5
# Of the larger file: then the two are one file in another order.
RESORTED_SHARE = 0.9
# Nine records in one order by chance: once in 360,000 pairs of files.
LEAST_ORDERED = 9
ORDERED_SHARE = 0.9
# Less, because programs differ on where accents and capitals go.
SORTED_SHARE = 0.8
# Three different records at one distance, of few, are not chance either.
LEAST_IN_A_ROW = 3
# Of fewer groups each is so large that the order within it tells.
LEAST_GROUPS = 4
CHANCE_DEVIATIONS = 4.0

# An edited file too has lineages, of the records that its fix file may have fixed.
_SHARED_LINEAGE = """
SELECT EXISTS (SELECT 1 FROM main.rows AS mine JOIN earlier.rows AS theirs USING (lineage))
   AND NOT EXISTS (SELECT 1 FROM earlier.rows WHERE lineage IS NULL AND payload IS NOT NULL)
"""
# A rejected record is not an animal: fixing most of a file leaves the rest of it what it was.
_SIDES = {
    "main": "payload IS NOT NULL AND lineage IS NULL",
    "earlier": "payload IS NOT NULL AND state <> 'rejected'",
}
_COUNT_SHARED = """
SELECT coalesce(sum(min(mine.n, theirs.n)), 0), coalesce(sum(mine.n = 1 AND theirs.n = 1), 0)
FROM temp.{mine} AS mine JOIN temp.{theirs} AS theirs USING (key)
"""
_COUNT_ASCENDING = """
SELECT count(*), coalesce(sum(place > before), 0) FROM
  (SELECT theirs.number AS place, lag(theirs.number) OVER (ORDER BY mine.number) AS before
   FROM temp.{mine} AS mine JOIN temp.{theirs} AS theirs USING (key)
   WHERE mine.n = 1 AND theirs.n = 1)
WHERE before IS NOT NULL
"""
_ARRANGEMENT = """
SELECT coalesce(sum(name > before), 0), coalesce(sum(name <> before), 0),
       coalesce(sum(name > before AND is_alike), 0), coalesce(sum(name <> before AND is_alike), 0),
       count(DISTINCT category), coalesce(sum(NOT is_same_category), 0),
       count(DISTINCT rest), coalesce(sum(NOT is_alike), 0)
FROM (SELECT *, lag(name) OVER file AS before, rest = lag(rest) OVER file AS is_alike,
             category = lag(category) OVER file AS is_same_category
      FROM (SELECT number, lower(json_extract(body, '$.name')) AS name,
                   json_extract(body, '$.categoryId') AS category,
                   json_remove(body, '$.name') AS rest
            FROM (SELECT number, CAST(payload AS TEXT) AS body FROM {schema}.rows WHERE {which}))
      WINDOW file AS (ORDER BY number))
"""
_NUMBERED = (
    "SELECT number, {key} AS key, row_number() OVER (PARTITION BY {key} ORDER BY number) AS k"
    " FROM {schema}.rows WHERE {which}"
)
_AT_ONE_DISTANCE = f"""
SELECT EXISTS (
  SELECT 1 FROM ({_NUMBERED.format(key="{key}", schema="main", which=_SIDES["main"])}) AS mine
  JOIN ({_NUMBERED.format(key="{key}", schema="earlier", which=_SIDES["earlier"])}) AS theirs
    USING (key, k)
  GROUP BY mine.number - theirs.number
  HAVING count(DISTINCT key) >= :row AND count(*) >= :half
      OR count(*) = :smaller AND mine.number - theirs.number IN (0, :end))
"""  # noqa: S608 # our own names


class Likeness(NamedTuple):
    """What two files have in common, records compared by one key.

    Attributes:
        mine: Records of the staged file.
        theirs: Records of the earlier one.
        shared: Records that both hold, as a multiset.
        lone: Of these, the records that each file holds once.
        is_ordered: The lone ones stand in one order in both files.
        by_chance: The most that would be shared by two files of different animals.
    """

    mine: int
    theirs: int
    shared: int
    lone: int
    is_ordered: bool
    by_chance: float

    @property
    def is_enough(self) -> bool:
        """Whether so much is shared that one may be a version of the other."""
        return bool(self.shared) and self.shared >= VERSION_SHARE * min(self.mine, self.theirs)

    def shares_of_larger(self, share: float) -> bool:
        """Tell whether that share of the larger file is in common."""
        return bool(self.shared) and self.shared >= share * max(self.mine, self.theirs)

    def is_beyond_chance(self, *, order_counts: bool) -> bool:
        """Tell whether different animals cannot be so alike."""
        is_told = self.is_enough and self.lone >= LEAST_ORDERED
        return is_told and ((self.is_ordered and order_counts) or self.shared > self.by_chance)


def is_version(sql: sqlite3.Connection) -> bool:
    """Tell whether the journal ``main`` holds an edited version of the one in ``earlier``."""
    if sql.execute(_SHARED_LINEAGE).fetchone() == (1,):
        return True
    found = _compare(sql, "payload")
    if not found.is_enough:
        return False
    order_counts = not (found.is_ordered and _are_sorted(sql))
    if found.is_beyond_chance(order_counts=order_counts):
        return True
    key = "payload"
    if _has_more_than_is_sent(sql):
        key = "cells"
        found = _compare(sql, key)
        if found.is_beyond_chance(order_counts=order_counts):
            return True
    if found.lone >= LEAST_ORDERED:
        return found.shares_of_larger(RESORTED_SHARE)
    return found.shares_of_larger(VERSION_SHARE) or _stand_together(sql, key, found)


def _compare(sql: sqlite3.Connection, key: str) -> Likeness:
    mine, theirs = f"mine_by_{key}", f"theirs_by_{key}"
    # The staged file is compared with many others, so what it holds is counted once.
    _count_kinds(sql, mine, "main", key)
    sql.execute(f"DROP TABLE IF EXISTS temp.{theirs}")
    _count_kinds(sql, theirs, "earlier", key)
    names = {"mine": mine, "theirs": theirs}
    shared, lone = sql.execute(_COUNT_SHARED.format(**names)).fetchone()
    sizes = {name: _size(sql, name) for name in (mine, theirs)}
    is_ordered = False
    if lone >= LEAST_ORDERED:
        steps, ascending = sql.execute(_COUNT_ASCENDING.format(**names)).fetchone()
        is_ordered = ascending >= ORDERED_SHARE * steps
    by_chance = most_by_chance(min(n for n, _ in sizes.values()), *max(sizes.values()))
    return Likeness(sizes[mine][0], sizes[theirs][0], shared, lone, is_ordered, by_chance)


def _count_kinds(sql: sqlite3.Connection, table: str, schema: str, key: str) -> None:
    """Count the records of each kind, and note where the first one is."""
    if sql.execute("SELECT 1 FROM temp.sqlite_master WHERE name = ?", [table]).fetchone():
        return
    sql.execute(f"CREATE TEMP TABLE {table} (key PRIMARY KEY, n, number) WITHOUT ROWID")
    sql.execute(
        f"INSERT INTO temp.{table} SELECT {key}, count(*), min(number)"  # noqa: S608 # our own names
        f" FROM {schema}.rows WHERE {_SIDES[schema]} GROUP BY {key}"
    )


def _size(sql: sqlite3.Connection, table: str) -> tuple[int, int]:
    """Return how many records were counted, and how many are the only ones of their kind."""
    counted = f"SELECT coalesce(sum(n), 0), coalesce(sum(n = 1), 0) FROM temp.{table}"  # noqa: S608
    records, lone = sql.execute(counted).fetchone()
    return records, lone


def most_by_chance(smaller: int, larger: int, lone: int) -> float:
    """Return how many records a smaller file of other animals may share with a larger one.

    By Good and Turing: of new records as many are of a kind not seen before as the larger file
    has records that are the only ones of their kind. Where each name occurs once, that is all.
    """
    if not larger:
        return 0.0
    mean = smaller * (1 - lone / larger)
    return mean + CHANCE_DEVIATIONS * math.sqrt(mean * lone / larger)


class _Arrangement(NamedTuple):
    """How the records of a file follow each other.

    Attributes:
        by_name: Share of the steps from one name to another that ascend.
        by_name_in_group: The same among records alike in category and status.
        is_grouped: Each category, or each category with each status, stands in one piece.
    """

    by_name: float
    by_name_in_group: float
    is_grouped: bool


def _are_sorted(sql: sqlite3.Connection) -> bool:
    """Tell whether both files are sorted by what is sent, where their order is no evidence."""
    one, other = (_arrangement(sql, schema) for schema in _SIDES)
    shares = [(one.by_name, other.by_name), (one.by_name_in_group, other.by_name_in_group)]
    return (one.is_grouped and other.is_grouped) or any(
        min(pair) >= SORTED_SHARE or max(pair) <= 1 - SORTED_SHARE for pair in shares
    )


def _arrangement(sql: sqlite3.Connection, schema: str) -> _Arrangement:
    counting = _ARRANGEMENT.format(schema=schema, which=_SIDES[schema])
    found: tuple[int, ...] = sql.execute(counting).fetchone()
    pairs = list(zip(found[::2], found[1::2], strict=True))
    by_name, in_group = (up / steps if steps >= LEAST_ORDERED else 0.5 for up, steps in pairs[:2])
    is_grouped = any(kinds >= LEAST_GROUPS and changes < kinds for kinds, changes in pairs[2:])
    return _Arrangement(by_name, in_group, is_grouped)


def _has_more_than_is_sent(sql: sqlite3.Connection) -> bool:
    """Tell whether both files have the same columns, and some that are not sent."""
    headers = []
    for schema in _SIDES:
        header, mapping = sql.execute(f"SELECT header, mapping FROM {schema}.run").fetchone()  # noqa: S608
        headers.append(header)
        if not set(json.loads(header)) - set(json.loads(mapping).values()):
            return False
    return bool(headers[0] == headers[1])


def _stand_together(sql: sqlite3.Connection, key: str, found: Likeness) -> bool:
    """Tell whether half of the smaller file stands in the larger as it is, or all at an end."""
    last = "SELECT max(number) FROM {}.rows WHERE {}"
    ends = [sql.execute(last.format(*side)).fetchone()[0] for side in _SIDES.items()]
    smaller = min(found.mine, found.theirs)
    ((is_so,),) = sql.execute(
        _AT_ONE_DISTANCE.format(key=key),
        {
            "row": LEAST_IN_A_ROW,
            "half": VERSION_SHARE * smaller,
            "smaller": smaller,
            "end": ends[0] - ends[1],
        },
    )
    return bool(is_so)
