"""The tables of a journal: what files say in ``rows``, and what was done about it in ``animals``.

An animal has one life because it is one row, which nothing replaces; the database refuses a move
that is not in ``MOVES``, and a second animal for a pet. The rows of a file are replaced whole when
it is read again. ``row_state.state_of`` says which state a row shows.
"""

from __future__ import annotations

from collections.abc import Iterable

from petstore_frame.loader.row_state import MOVES, UNCONFIRMED_STATES, State

FORMAT = 9


def one_of(states: Iterable[State], column: str = "state") -> str:
    """Return the condition that a column has one of some states; SQLite is slower with IN."""
    return "(" + " OR ".join(f"{column} = '{state}'" for state in states) + ")"


# An animal whose pet is not known for sure, as the index below has it.
IS_UNCONFIRMED = f"({one_of(UNCONFIRMED_STATES)} OR state = 'created' AND pet_id IS NULL)"
_MOVES = ", ".join(f"'{old or ''}>{new or ''}'" for old, moves in MOVES.items() for new in moves)

TABLES = f"""
CREATE TABLE journal (format INTEGER, base_url TEXT, store_id TEXT, commits INTEGER);
CREATE TABLE imports (
  import INTEGER PRIMARY KEY, id TEXT UNIQUE,
  bytes_id TEXT,     -- digest of the bytes of a file and of its sheet
  copy INTEGER, source TEXT, place TEXT, header TEXT,
  key_columns TEXT,  -- in their one spelling and order; empty without a key
  recipe TEXT, answers TEXT, warnings TEXT, staged_at REAL, started_at REAL, ended_at REAL,
  ending TEXT, detail TEXT);
CREATE TABLE rows (
  import INTEGER, row INTEGER, line INTEGER, cells, payload BLOB,
  content TEXT,      -- category and folded name of a row that the rules compare
  unsent_hash BLOB,  -- of the texts that a row would send if it could
  is_unnamed INTEGER,
  key TEXT,          -- a JSON list of texts, in the order of key_columns
  core TEXT,         -- of the key: what is left of it when it is written in another way
  rank TEXT,         -- sorts as the column of order_by
  animal INTEGER,
  known_by TEXT,     -- a ``By``, or "new:" and the case in which the user said that it is new
  problem TEXT, notes TEXT, reason TEXT, PRIMARY KEY (import, row)) WITHOUT ROWID;
CREATE TABLE animals (
  animal INTEGER PRIMARY KEY, import INTEGER, row INTEGER,  -- the row that speaks for it
  payload BLOB, content TEXT,
  state TEXT CHECK {one_of(state for state in MOVES if state)},
  reason TEXT, answer TEXT,
  may_have_been_applied INTEGER DEFAULT 0,   -- an attempt may have been applied
  key_since REAL,    -- when its idempotency key was first sent; NULL after a request without one
  pet_id INTEGER, id_source TEXT,
  last_pet_id INTEGER,             -- of an animal that is gone
  session INTEGER,   -- the commit that began the session which sent it last
  first_sent_at REAL, sent_at REAL, settled_at REAL,
  shown_at REAL,     -- the first reading that showed its pet
  life INTEGER DEFAULT 0,          -- how often it was said to be another one
  UNIQUE (import, row));
CREATE UNIQUE INDEX one_pet ON animals(pet_id) WHERE pet_id IS NOT NULL;
-- So that no load looks through all animals for the few unconfirmed ones.
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
-- Pets of others that a load has seen which got past its questions; those that were there before
-- the first load (header 'first'); and with the header of files, as a JSON list, those that the
-- user called other animals than the rows of such files.
CREATE TABLE other_pets (
  pet_id INTEGER, header TEXT, content TEXT, seen_at REAL,
  PRIMARY KEY (pet_id, header)) WITHOUT ROWID;
-- What was answered for all files of a header.
CREATE TABLE answers (header TEXT, question TEXT, answer TEXT, PRIMARY KEY (header, question));
-- What columns that may be a key held in earlier files, while no key was named.
CREATE TABLE column_values (
  column_id TEXT,    -- a digest of a header and of one of its columns
  value TEXT, import INTEGER, PRIMARY KEY (column_id, value, import)) WITHOUT ROWID;
CREATE TABLE events (import INTEGER, at REAL, kind TEXT, detail TEXT);
CREATE VIEW rows_and_animals AS SELECT
  rows.import, rows.row, rows.line, rows.cells, rows.key, rows.animal, rows.payload, rows.notes,
  rows.problem, rows.reason, rows.known_by,
  own.state AS animal_state, own.reason AS animal_reason, own.payload AS animal_payload,
  own.import AS animal_import, own.row AS animal_row, own.answer, own.pet_id
FROM rows LEFT JOIN animals AS own USING (animal);
"""
# What a store that was restored does to animals: it gives their ids to other pets.
ID_GIVEN_AGAIN = """
UPDATE animals SET state = 'gone', last_pet_id = pet_id, pet_id = NULL, reason = 'id_given_again'
WHERE pet_id = ?
"""
