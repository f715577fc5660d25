"""The tables of a journal: ``rows`` has the contents of files, ``animals`` what was sent.

Each animal is one row of ``animals``. The database rejects changes of its state that are not in
``MOVES``, and a second animal with the same pet. In contrast, the rows of a file are written again
whenever the file is read. The view ``row_states`` gives the state, the reason and the group of each
row; nothing else derives them.
"""

from __future__ import annotations

from collections.abc import Iterable

from petstore_frame.loader.row_state import ANIMAL_STATES, MOVES, UNCONFIRMED_STATES, State

FORMAT = 11


def in_states(states: Iterable[State], column: str = "state") -> str:
    """Return an SQL condition for a column with one of some states; faster than IN in SQLite."""
    return "(" + " OR ".join(f"{column} = '{state}'" for state in states) + ")"


# An animal whose pet is not certain. The index ``unconfirmed`` has the same condition.
IS_UNCONFIRMED = (
    f"({in_states(UNCONFIRMED_STATES)}"
    " OR state = 'created' AND pet_id IS NULL AND last_pet_id IS NULL)"
)
# An animal that was sent and is not proven absent, or that was matched with a pet.
IS_ANIMAL = in_states(ANIMAL_STATES, "animals.state")
_CAN_BE_DELETED = in_states(
    [state for state, moves in MOVES.items() if state and None in moves], "OLD.state"
)
_MOVES = ", ".join(f"'{old}>{new}'" for old, moves in MOVES.items() for new in moves if old and new)

TABLES = f"""
CREATE TABLE journal (format INTEGER, base_url TEXT, store_id TEXT, commits INTEGER);
CREATE TABLE imports (
  import INTEGER PRIMARY KEY, id TEXT UNIQUE,
  reading INTEGER,   -- the latest reading of the file, which has its rows
  session INTEGER,   -- the commit that started sending in the latest call; NULL if it sent nothing
  bytes_id TEXT,     -- digest of the bytes of a file and of its sheet
  copy INTEGER, source TEXT, place TEXT, header TEXT,
  recipe TEXT, facts TEXT, staged_at REAL, started_at REAL, ended_at REAL,
  ending TEXT, detail TEXT);
CREATE UNIQUE INDEX readings ON imports(reading);
CREATE TABLE rows (
  reading INTEGER, row INTEGER, line INTEGER, cells, payload BLOB,
  content TEXT,      -- category, if it can be read, and folded name
  unsent_hash BLOB,  -- digest of the texts that an invalid row would send
  is_unnamed INTEGER,
  key TEXT,          -- a JSON list of texts, in the alphabetical order of the columns
  core TEXT,         -- the same for all spellings of a key
  rank TEXT,         -- value to sort by, from the column of order_by
  problem TEXT,      -- why it needs fixing, as it was read
  conflict TEXT,     -- why it needs fixing, compared with other rows of its key
  notes TEXT,
  excluded TEXT,     -- why the row is not sent: a ``Reason``
  is_unranked INTEGER,  -- it is excluded whatever the other rows of its key are
  animal INTEGER,    -- the animal that it is, or will be
  same_as INTEGER,   -- the row that was selected for its key
  possible TEXT,     -- the animal or pet that it may be, with the line of the table that found it
  PRIMARY KEY (reading, row)) WITHOUT ROWID;
-- Cells that a fix file or the dashboard changed.
CREATE TABLE corrections (
  import INTEGER, row INTEGER, column TEXT, before TEXT, after TEXT, at REAL,
  PRIMARY KEY (import, row, column)) WITHOUT ROWID;
CREATE TABLE animals (
  animal INTEGER PRIMARY KEY, import INTEGER, row INTEGER,  -- the row with its values
  attempt INTEGER DEFAULT 0,       -- part of the idempotency key: changes to create a row again
  payload BLOB, content TEXT, is_unnamed INTEGER DEFAULT 0,
  state TEXT NOT NULL CHECK {in_states(state for state in MOVES if state)},
  reason TEXT, answer TEXT,
  may_have_been_applied INTEGER DEFAULT 0,   -- an attempt may have been applied
  key_since REAL,    -- when its idempotency key was first sent; NULL after a request without one
  pet_id INTEGER, id_source TEXT,
  last_pet_id INTEGER,             -- if the store gave its id to another pet
  session INTEGER,   -- the commit that started the last session that sent it
  first_sent_at REAL, sent_at REAL, settled_at REAL,
  shown_at REAL,     -- when a reading first showed its pet
  gone_at REAL,      -- when a complete reading first lacked its pet; NULL if the latest shows it
  UNIQUE (import, row, attempt));
CREATE UNIQUE INDEX one_pet ON animals(pet_id) WHERE pet_id IS NOT NULL;
-- Finds the few unconfirmed animals without a scan of the whole table.
CREATE INDEX unconfirmed ON animals(import) WHERE {IS_UNCONFIRMED};
CREATE TRIGGER first_state BEFORE INSERT ON animals
WHEN NEW.state <> 'pending'
BEGIN SELECT RAISE(ABORT, 'an animal begins as pending'); END;
CREATE TRIGGER moves BEFORE UPDATE OF state ON animals
WHEN OLD.state IS NOT NEW.state AND (
  OLD.state || '>' || NEW.state NOT IN ({_MOVES})
  OR OLD.state = 'in_flight' AND NEW.state = 'pending' AND OLD.may_have_been_applied)
BEGIN SELECT RAISE(ABORT, 'no such move of an animal'); END;
CREATE TRIGGER last_state BEFORE DELETE ON animals
WHEN NOT {_CAN_BE_DELETED}
BEGIN SELECT RAISE(ABORT, 'an animal that was sent is never deleted'); END;
CREATE TABLE keys (
  core TEXT, key TEXT, animal INTEGER, PRIMARY KEY (core, key, animal)) WITHOUT ROWID;
-- Pets without an animal that a load saw, to tell whether a pet is new since a request was sent.
CREATE TABLE other_pets (pet_id INTEGER PRIMARY KEY, content TEXT, seen_at REAL);
-- Values of likely key columns in earlier files, until the user names a key.
CREATE TABLE column_values (
  column_id TEXT,    -- a digest of a header and of one of its columns
  value TEXT, import INTEGER, PRIMARY KEY (column_id, value, import)) WITHOUT ROWID;
-- What the user answered; the module ``decisions`` says what a scope and a subject are.
CREATE TABLE decisions (
  scope TEXT, question TEXT, subject TEXT, object TEXT, answer TEXT, at REAL,
  PRIMARY KEY (scope, question, subject, object)) WITHOUT ROWID;
CREATE TABLE events (import INTEGER, at REAL, kind TEXT, detail TEXT);
-- A row with the same key as a selected row shares its outcome.
CREATE VIEW rows_and_animals AS SELECT
  imports.import, rows.reading, rows.row, rows.line, rows.cells, rows.key, rows.payload, rows.notes,
  rows.same_as, imports.session,
  coalesce(rows.excluded, selected.excluded) AS excluded,
  iif(rows.same_as IS NULL, coalesce(rows.problem, rows.conflict),
    coalesce(selected.problem, selected.conflict)) AS problem,
  iif(rows.same_as IS NULL, rows.possible, selected.possible) AS possible,
  animals.animal, animals.state AS animal_state, animals.reason AS animal_reason,
  animals.payload AS animal_payload, animals.import AS animal_import, animals.row AS animal_row,
  animals.answer, animals.pet_id, animals.last_pet_id, animals.session AS animal_session,
  animals.gone_at,
  coalesce(animals.import = imports.import AND animals.row = rows.row, FALSE) AS is_own,
  coalesce({IS_ANIMAL}, FALSE) AS is_animal
FROM imports JOIN rows USING (reading)
LEFT JOIN rows AS selected ON selected.reading = rows.reading AND selected.row = rows.same_as
LEFT JOIN animals ON animals.animal = coalesce(rows.animal, selected.animal);
CREATE VIEW row_states AS SELECT *,
  CASE
    WHEN state <> 'excluded' AND (same_as IS NOT NULL OR is_animal AND NOT is_own
      AND animal_import = import) THEN 'repeated'
    WHEN state = 'created' THEN iif(is_own AND animal_session = session, 'added', 'already_loaded')
    WHEN state IN ('pending', 'not_found') THEN 'to_send'
    WHEN state = 'invalid' THEN 'need_fixing'
    WHEN state = 'in_flight' THEN 'unconfirmed'
    ELSE state END AS "group",
  CASE
    WHEN state = 'excluded' THEN excluded
    WHEN is_own THEN animal_reason
    WHEN NOT is_animal THEN NULL
    WHEN payload <> animal_payload THEN 'changed'
    ELSE 'known' END AS reason
FROM (SELECT *,
  CASE
    WHEN is_animal AND (is_own OR excluded IS NULL)
      THEN iif(gone_at IS NULL, animal_state, 'gone')
    WHEN excluded IS NOT NULL THEN 'excluded'
    WHEN possible IS NOT NULL THEN 'possible_duplicate'
    WHEN problem IS NOT NULL OR animal_state IS NULL THEN 'invalid'
    ELSE animal_state END AS state
FROM rows_and_animals);
"""
# Whether the core of a key may be that of a date, which has more cores.
MAY_BE_DATE = "rows.core GLOB '*-*-*' OR rows.core GLOB '[12][0-9][0-9][0-9][01][0-9][0-3][0-9]'"
# Frees the id of a pet that the store gave to another one: the animal that had it is gone.
RELEASE_PET_ID = """
UPDATE animals SET last_pet_id = pet_id, pet_id = NULL, gone_at = coalesce(gone_at, :now)
WHERE pet_id = :pet_id
"""
