"""Brings a journal of version 0.2 (format 4) over, once: every key, pet and record in doubt."""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

from petstore_frame.loader.journal.keys import columns_of, form_of
from petstore_frame.loader.journal.tables import FORMAT, is_live
from petstore_frame.loader.record import fingerprint_of

OLD_FORMAT = 4
_SLOT = 512


def has_lost_commits(path: Path) -> bool:
    """Tell whether the check file of an old journal counts more commits than it has."""
    try:
        text = path.with_name(path.name + ".check").read_bytes()
    except OSError:
        return True
    counted = 0
    for slot in (text[:_SLOT], text[_SLOT:]):
        crc, _, mark = slot.rstrip().partition(b" ")
        if mark and crc == b"%08x" % zlib.crc32(mark):
            counted = max(counted, json.loads(mark)[0])
    with closing(sqlite3.connect(path)) as sql:
        ((commits,),) = sql.execute("SELECT commits FROM journal").fetchall()
    return bool(commits < counted)


# An address may have had several stores; the last one is who answers there now.
_IMPORTS = """
INSERT INTO imports
SELECT import, run_id, is_again, source_name, source_path, header, key_columns(key),
  json_object('mapping', json(mapping), 'key', json(key), 'duplicates', duplicates,
    'keep', NULL, 'call', NULL),
  created_at, started_at, ended_at, ending, ending_detail, '{}'
FROM old.imports WHERE store = :store AND started_at IS NOT NULL
"""
# Keys of requests are made otherwise now, so none that was sent may be repeated under its key.
_RECORDS = """
INSERT INTO records
SELECT row_number() OVER (ORDER BY import, record), import, record, line, cells, payload,
  CASE WHEN payload IS NOT NULL THEN fingerprint_of(payload) END, key,
  row_number() OVER (ORDER BY import, record), NULL, generation, state,
  CASE WHEN problem IS NOT NULL THEN json_extract(problem, '$[0]') END, problem, warnings, reason,
  NULL, attempts, is_in_doubt, 0, pet_id, id_source,
  json_object('http_status', http_status, 'error_code', error_code, 'error_message', error_message,
    'error_field', error_field, 'request_id', request_id, 'elapsed_ms', elapsed_ms),
  first_sent_at, last_sent_at, settled_at
FROM old.records WHERE import IN (SELECT import FROM main.imports)
"""
# The record that a row was fixed from, or that a skipped one is, says which animal it is.
_FIXED = """
UPDATE records SET animal = root.id, known_by = 'record'
FROM old.roots AS named JOIN records AS root
  ON root.import = named.root_import AND root.record = named.root_record
WHERE records.import = named.import AND records.record = named.record
"""
_SKIPPED = """
UPDATE records SET animal = known.animal, known_by = replace(fate.same_by, 'fix', 'record')
FROM old.fates AS fate JOIN records AS known
  ON known.import = fate.same_import AND known.record = fate.same_record
WHERE records.import = fate.import AND records.record = fate.record
  AND records.state = 'skipped' AND fate.same_by IS NOT NULL
"""
_KEYS = """
INSERT OR IGNORE INTO keys
SELECT imports.key_columns, form_of(keys.key), keys.key, records.animal
FROM old.keys JOIN records USING (import, record) JOIN main.imports USING (import)
WHERE keys.store = :store
"""
_EVENTS = """
INSERT INTO events SELECT import, NULL, at, kind, detail FROM old.events
WHERE import IN (SELECT import FROM main.imports)
"""


def bring_over(sql: sqlite3.Connection, path: Path) -> None:
    """Fill an empty journal with what an old one knows."""
    sql.create_function("fingerprint_of", 1, fingerprint_of, deterministic=True)
    sql.create_function("form_of", 1, form_of, deterministic=True)
    sql.create_function("key_columns", 1, lambda key: columns_of(json.loads(key)))
    sql.execute("ATTACH ? AS old", [str(path)])
    sql.execute("BEGIN")
    ((store, store_id),) = sql.execute(
        "SELECT store, store_id FROM old.stores ORDER BY store DESC LIMIT 1"
    ).fetchall() or [(0, None)]
    sql.execute(
        "INSERT INTO main.journal SELECT ?, base_url, ?, 0 FROM old.journal", [FORMAT, store_id]
    )
    for statement in (_IMPORTS, "DROP INDEX one_life", _RECORDS, _FIXED, _SKIPPED, _KEYS, _EVENTS):
        sql.execute(statement, {"store": store} if ":store" in statement else {})
    _make_one_life(sql)
    sql.execute("COMMIT")
    sql.execute("DETACH old")


def _make_one_life(sql: sqlite3.Connection) -> None:
    """Give each record of an animal that has several lives a life of its own, and the index."""
    sql.execute(
        f"UPDATE records SET animal = id, known_by = NULL WHERE {is_live()} AND id NOT IN"
        f" (SELECT min(id) FROM records WHERE {is_live()} GROUP BY animal)"
    )
    sql.execute(f"CREATE UNIQUE INDEX one_life ON records(animal) WHERE {is_live()}")
