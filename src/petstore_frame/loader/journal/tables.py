"""The tables of a journal, and how one of version 0.2 (format 4) is brought over, once.

A record's animal is its own id until a rule of identity says otherwise, and an animal has one life:
the database refuses a second live record of it, and a second record of a pet. A key is kept with
its form, which is all of it that a spreadsheet leaves alone.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from unicodedata import normalize

from petstore_frame.loader.record import DOUBT_STATES, LIVE_STATES, State, fingerprint_of

FORMAT, OLD_FORMAT = 5, 4


def one_of(states: tuple[State, ...], table: str = "") -> str:
    """Return the condition that a record is in one of some states; SQLite is slower with IN."""
    column = f"{table}.state" if table else "state"
    return "(" + " OR ".join(f"{column} = '{state}'" for state in states) + ")"


def is_live(table: str = "") -> str:
    """Return the condition that a record is its animal's only life, as the index below has it."""
    return one_of(LIVE_STATES, table)


# A record whose pet is not known for sure, as the index below has it; and one of which surely
# nothing was sent.
IS_DOUBTFUL = (
    f"({one_of(DOUBT_STATES)} OR state = 'pending' AND is_in_doubt"
    " OR state = 'created' AND pet_id IS NULL)"
)
IS_NOT_SENT = one_of((State.INVALID, State.REJECTED, State.SKIPPED))
IS_UNSENT = "state = 'pending' AND NOT is_in_doubt"

TABLES = f"""
CREATE TABLE journal (format INTEGER, base_url TEXT, store_id TEXT, commits INTEGER);
CREATE TABLE imports (
  import INTEGER PRIMARY KEY, id TEXT UNIQUE, copy INTEGER, source TEXT, place TEXT, header TEXT,
  key_columns TEXT,  -- in their one spelling and order; empty without a key
  recipe TEXT, staged_at REAL, started_at REAL, ended_at REAL, ending TEXT,
  ending_detail TEXT, facts TEXT);
CREATE TABLE records (
  id INTEGER PRIMARY KEY, import INTEGER, record INTEGER, line INTEGER, cells, payload BLOB,
  fingerprint BLOB, key TEXT,
  animal INTEGER, known_by TEXT,  -- record, key, equal, store, user; NULL: an animal of its own
  life INTEGER DEFAULT 0,         -- how many equal animals were known when the user said "another"
  state TEXT CHECK {one_of((*LIVE_STATES, *State))},
  problem_code TEXT, problem TEXT, notes TEXT, reason TEXT,
  reads_now BLOB,                 -- the payload, where what was sent reads otherwise by now
  attempts INTEGER DEFAULT 0, is_in_doubt INTEGER DEFAULT 0,
  is_keyed INTEGER DEFAULT 0,     -- each attempt carried its idempotency key
  pet_id INTEGER, id_source TEXT, answer TEXT,
  first_sent_at REAL, last_sent_at REAL, settled_at REAL, UNIQUE (import, record));
CREATE UNIQUE INDEX one_life ON records(animal) WHERE {is_live()};
CREATE UNIQUE INDEX one_pet ON records(pet_id) WHERE pet_id IS NOT NULL;
-- So that no load looks through all records of all imports for the few in doubt, and no summary
-- through all records of an import for those that are not sent.
CREATE INDEX in_doubt ON records(import) WHERE {IS_DOUBTFUL};
CREATE INDEX not_sent ON records(import, record) WHERE {IS_NOT_SENT};
CREATE TABLE keys (
  columns TEXT, form TEXT, key TEXT, animal INTEGER, PRIMARY KEY (columns, form, key, animal)
) WITHOUT ROWID;
CREATE TABLE events (import INTEGER, record INTEGER, at REAL, kind TEXT, detail TEXT);
-- The pets at the last reading; and, while a record is in doubt that was sent after an earlier one,
-- those of the reading before it.
CREATE TABLE seen (ids BLOB, is_complete INTEGER, is_before_doubt INTEGER DEFAULT 0);
"""


def has_lost_commits(path: Path) -> bool:
    """Return whether the check file of a journal of format 4 counts more commits than it has."""
    try:
        text = path.with_name(path.name + ".check").read_bytes()
    except OSError:
        return True
    counted = 0
    for slot in (text[:512], text[512:]):
        crc, _, mark = slot.rstrip().partition(b" ")
        if mark and crc == b"%08x" % zlib.crc32(mark):
            counted = max(counted, json.loads(mark)[0])
    with closing(sqlite3.connect(path)) as sql:
        return bool(sql.execute("SELECT commits < ? FROM journal", [counted]).fetchone()[0])


# An address may have had several stores; the last one is who answers there now. Keys of requests
# are made otherwise now, so none that was sent may be repeated under its key. The record that a row
# was fixed from, or that a skipped one is, says which animal it is.
_BRING_OVER = f"""
INSERT INTO main.journal SELECT {FORMAT}, base_url, last.store_id, 0
FROM old.journal LEFT JOIN last;
INSERT INTO imports
SELECT import, run_id, is_again, source_name, source_path, header, key_columns(key),
  json_object('mapping', json(mapping), 'key', json(key), 'duplicates', duplicates,
    'keep', NULL, 'call', NULL),
  created_at, started_at, ended_at, ending, ending_detail, '{{}}'
FROM old.imports JOIN last USING (store) WHERE started_at IS NOT NULL;
DROP INDEX one_life;
INSERT INTO records
SELECT row_number() OVER (ORDER BY import, record), import, record, line, cells, payload,
  CASE WHEN payload IS NOT NULL THEN fingerprint_of(payload) END, key,
  row_number() OVER (ORDER BY import, record), NULL, generation, state,
  CASE WHEN problem IS NOT NULL THEN json_extract(problem, '$[0]') END, problem, warnings, reason,
  NULL, attempts, is_in_doubt, 0, pet_id, id_source,
  json_object('http_status', http_status, 'error_code', error_code, 'error_message', error_message,
    'error_field', error_field, 'request_id', request_id, 'elapsed_ms', elapsed_ms),
  first_sent_at, last_sent_at, settled_at
FROM old.records WHERE import IN (SELECT import FROM main.imports);
UPDATE records SET animal = root.id, known_by = 'record'
FROM old.roots AS named JOIN records AS root
  ON root.import = named.root_import AND root.record = named.root_record
WHERE records.import = named.import AND records.record = named.record;
UPDATE records SET animal = known.animal, known_by = replace(was.same_by, 'fix', 'record')
FROM old.fates AS was JOIN records AS known
  ON known.import = was.same_import AND known.record = was.same_record
WHERE records.import = was.import AND records.record = was.record
  AND records.state = 'skipped' AND was.same_by IS NOT NULL;
INSERT OR IGNORE INTO keys
SELECT imports.key_columns, form_of(keys.key), keys.key, records.animal
FROM old.keys JOIN last USING (store) JOIN records USING (import, record)
JOIN main.imports USING (import);
INSERT INTO events SELECT import, NULL, at, kind, detail FROM old.events
WHERE import IN (SELECT import FROM main.imports);
-- An animal that has several lives there gives each its own.
UPDATE records SET animal = id, known_by = NULL WHERE {is_live()} AND id NOT IN
  (SELECT min(id) FROM records WHERE {is_live()} GROUP BY animal);
CREATE UNIQUE INDEX one_life ON records(animal) WHERE {is_live()};
"""


def bring_over(sql: sqlite3.Connection, path: Path) -> None:
    """Fill an empty journal with every key, pet and record in doubt of one of format 4."""
    sql.create_function("fingerprint_of", 1, fingerprint_of, deterministic=True)
    sql.create_function("form_of", 1, form_of, deterministic=True)
    sql.create_function("key_columns", 1, lambda key: columns_of(json.loads(key)))
    sql.execute("ATTACH ? AS old", [str(path)])
    sql.execute("CREATE TEMP VIEW last AS SELECT * FROM old.stores ORDER BY store DESC LIMIT 1")
    sql.executescript(f"BEGIN; {_BRING_OVER} COMMIT; DROP VIEW temp.last; DETACH old;")


def form_of(key: str) -> str:
    """Return a key without what spreadsheets and people change of it.

    That is case, width, spaces, an apostrophe in front, zeros in front and ``.0`` behind. Keys of
    one form may be one key, which is to be asked. A key of several columns is a JSON list.

    Example:
        >>> form_of("007"), form_of("7.0"), form_of("'ab 1"), form_of('["A", "01"]')
        ('7', '7', 'ab1', 'a\\x1f1')
    """
    if key.isascii() and key.isalnum():
        return key.lower().lstrip("0") or "0"
    if key.startswith('["'):
        return "\x1f".join(form_of(part) for part in json.loads(key))
    text = "".join(normalize("NFKC", key).casefold().split()).lstrip("'’`")
    return re.sub(r"(?<=\d)[.,]0+$", "", text).lstrip("0") or ("0" if text else "")


def columns_of(key: Sequence[str]) -> str:
    """Return the columns of a key in their one spelling and order; empty for none.

    Example:
        >>> columns_of(["Site", "Animal ID"]) == columns_of(["animal_id", "site"])
        True
    """
    return "\x1f".join(sorted(map(_column, key)))


def in_order(key: Sequence[str]) -> list[int] | None:
    """Return the order in which the texts of a key are stored; None where it is the given one."""
    order = sorted(range(len(key)), key=lambda at: _column(key[at]))
    return None if order == list(range(len(key))) else order


def _column(name: str) -> str:
    text = normalize("NFKC", name).casefold().strip()
    return "".join(sign for sign in text if sign.isalnum()) or text
