"""The tables of a journal.

A record's animal is its own id until a rule of identity says otherwise, and an animal has one life:
the database refuses a second live record of it, and a second record of a pet.
"""

from __future__ import annotations

from petstore_frame.loader.record import DOUBT_STATES, LIVE_STATES, State

FORMAT = 5


def one_of(states: tuple[State, ...], table: str = "") -> str:
    """Return the condition that a record is in one of some states; SQLite is slower with IN."""
    column = f"{table}.state" if table else "state"
    return "(" + " OR ".join(f"{column} = '{state}'" for state in states) + ")"


def is_live(table: str = "") -> str:
    """Return the condition that a record is its animal's only life, as the index below has it."""
    return one_of(LIVE_STATES, table)


def is_doubtful(table: str = "") -> str:
    """Return the condition that a record's pet is not known for sure, as the index below has it."""
    at = f"{table}." if table else ""
    return (
        f"({one_of(DOUBT_STATES, table)} OR {at}state = 'pending' AND {at}is_in_doubt"
        f" OR {at}state = 'created' AND {at}pet_id IS NULL)"
    )


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
-- So that no load looks through all records of all imports for the few in doubt.
CREATE INDEX in_doubt ON records(import) WHERE {is_doubtful()};
CREATE TABLE keys (
  columns TEXT, form TEXT, key TEXT, animal INTEGER, PRIMARY KEY (columns, form, key, animal)
) WITHOUT ROWID;
CREATE TABLE events (import INTEGER, record INTEGER, at REAL, kind TEXT, detail TEXT);
-- The pets at the last reading; and, while a record is in doubt that was sent after an earlier one,
-- those of the reading before it.
CREATE TABLE seen (ids BLOB, is_complete INTEGER, is_before_doubt INTEGER DEFAULT 0);
"""
