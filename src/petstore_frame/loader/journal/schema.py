"""The tables of a journal: ``rows`` has the contents of files, ``animals`` what was sent.

Each animal is one row of ``animals`` that is only ever updated. The database rejects changes of
its state that are not in ``MOVES``, and a second animal with the same pet. In contrast, all rows of
a file are replaced when the file is read again. ``row_state.state_of`` derives the state of a row.
"""

from __future__ import annotations

from collections.abc import Iterable

from petstore_frame.loader.row_state import MOVES, UNCONFIRMED_STATES, State

FORMAT = 11


def in_states(states: Iterable[State], column: str = "state") -> str:
    """Return an SQL condition for a column with one of some states; faster than IN in SQLite."""
    return "(" + " OR ".join(f"{column} = '{state}'" for state in states) + ")"


# An animal whose pet is not certain. The index ``unconfirmed`` has the same condition.
IS_UNCONFIRMED = f"({in_states(UNCONFIRMED_STATES)} OR state = 'created' AND pet_id IS NULL)"
_MOVES = ", ".join(f"'{old or ''}>{new or ''}'" for old, moves in MOVES.items() for new in moves)

TABLES = f"""
CREATE TABLE journal (format INTEGER, base_url TEXT, store_id TEXT, commits INTEGER);
CREATE TABLE imports (
  import INTEGER PRIMARY KEY, id TEXT UNIQUE,
  bytes_id TEXT,     -- digest of the bytes of a file and of its sheet
  copy INTEGER, source TEXT, place TEXT, header TEXT,
  key_columns TEXT,  -- normalized and sorted; empty without a key
  recipe TEXT, answers TEXT, warnings TEXT, staged_at REAL, started_at REAL, ended_at REAL,
  ending TEXT, detail TEXT);
CREATE TABLE rows (
  import INTEGER, row INTEGER, line INTEGER, cells, payload BLOB,
  content TEXT,      -- category and folded name, if the rules compare the row
  unsent_hash BLOB,  -- digest of the texts that an invalid row would send
  is_unnamed INTEGER,
  key TEXT,          -- a JSON list of texts, in the order of key_columns
  core TEXT,         -- normalized key, the same for all its spellings
  rank TEXT,         -- value to sort by, from the column of order_by
  animal INTEGER,
  known_by TEXT,     -- a ``By``; "new:" and a case if the answer was create
  problem TEXT, notes TEXT, reason TEXT, PRIMARY KEY (import, row)) WITHOUT ROWID;
CREATE TABLE animals (
  animal INTEGER PRIMARY KEY, import INTEGER, row INTEGER,  -- the row with its values
  payload BLOB, content TEXT,
  state TEXT CHECK {in_states(state for state in MOVES if state)},
  reason TEXT, answer TEXT,
  may_have_been_applied INTEGER DEFAULT 0,   -- an attempt may have been applied
  key_since REAL,    -- when its idempotency key was first sent; NULL after a request without one
  pet_id INTEGER, id_source TEXT,
  last_pet_id INTEGER,             -- if the animal is gone
  session INTEGER,   -- the commit that started the last session that sent it
  first_sent_at REAL, sent_at REAL, settled_at REAL,
  shown_at REAL,     -- when a reading first showed its pet
  life INTEGER DEFAULT 0,          -- part of the idempotency key: changes to create it again
  UNIQUE (import, row));
CREATE UNIQUE INDEX one_pet ON animals(pet_id) WHERE pet_id IS NOT NULL;
-- Finds the few unconfirmed animals without a scan of the whole table.
CREATE INDEX unconfirmed ON animals(import) WHERE {IS_UNCONFIRMED};
CREATE TRIGGER first_state BEFORE INSERT ON animals
WHEN NEW.state <> 'pending' AND NEW.state <> 'matched'
BEGIN SELECT RAISE(ABORT, 'an animal begins as pending or matched'); END;
CREATE TRIGGER moves BEFORE UPDATE OF state ON animals
WHEN OLD.state IS NOT NEW.state AND (
  coalesce(OLD.state, '') || '>' || coalesce(NEW.state, '') NOT IN ({_MOVES})
  OR OLD.state = 'in_flight' AND NEW.state = 'pending' AND OLD.may_have_been_applied)
BEGIN SELECT RAISE(ABORT, 'no such move of an animal'); END;
CREATE TABLE keys (
  columns TEXT, core TEXT, key TEXT, animal INTEGER, PRIMARY KEY (columns, core, key, animal)
) WITHOUT ROWID;
-- Pets without an animal that a load saw after all its questions were answered. With the header
-- 'first', they were in the store before the first load; with the header of files, the user said
-- that the rows of such files are other animals.
CREATE TABLE other_pets (
  pet_id INTEGER, header TEXT, content TEXT, seen_at REAL,
  PRIMARY KEY (pet_id, header)) WITHOUT ROWID;
-- Answers that apply to all files with a header.
CREATE TABLE answers (header TEXT, question TEXT, answer TEXT, PRIMARY KEY (header, question));
-- Values of likely key columns in earlier files, until the user names a key.
CREATE TABLE column_values (
  column_id TEXT,    -- a digest of a header and of one of its columns
  value TEXT, import INTEGER, PRIMARY KEY (column_id, value, import)) WITHOUT ROWID;
-- What the user answered; the module ``decisions`` says what a scope and a subject are.
CREATE TABLE decisions (
  scope TEXT, question TEXT, subject TEXT, object TEXT, answer TEXT, at REAL,
  PRIMARY KEY (scope, question, subject, object)) WITHOUT ROWID;
CREATE TABLE events (import INTEGER, at REAL, kind TEXT, detail TEXT);
CREATE VIEW rows_and_animals AS SELECT
  rows.import, rows.row, rows.line, rows.cells, rows.key, rows.animal, rows.payload, rows.notes,
  rows.problem, rows.reason, rows.known_by,
  animals.state AS animal_state, animals.reason AS animal_reason,
  animals.payload AS animal_payload, animals.import AS animal_import, animals.row AS animal_row,
  animals.answer, animals.pet_id, animals.session AS animal_session
FROM rows LEFT JOIN animals USING (animal);
"""
# Frees the pet id of an animal: a restored store gave it to another pet, so the animal is gone.
RELEASE_PET_ID = """
UPDATE animals SET state = 'gone', last_pet_id = pet_id, pet_id = NULL, reason = 'id_given_again'
WHERE pet_id = ?
"""
