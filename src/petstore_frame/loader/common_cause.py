"""Decides whether a file is blocked because most of its rows cannot be sent for one reason.

Sent pets cannot be deleted, so nothing is sent of a file that was probably read with wrong options.
"""

from __future__ import annotations

import json
import sqlite3

from petstore_frame.loader.journal.row_counts import count_states
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.results.import_facts import Cause, read_causes
from petstore_frame.loader.row_state import State

_MIN_ROWS = 3
_CREATED = """
SELECT 1 FROM animals JOIN imports USING (import)
WHERE header = ? AND state IN ('created', 'matched') AND ending IS NOT 'max_rows' LIMIT 1
"""


def common_cause(sql: sqlite3.Connection, run: Import) -> Cause | None:
    """Return the cause that blocks a file because most of its rows share it, or None.

    A file is never blocked if another with the same header was loaded, other than as a trial with
    ``max_rows=``. ``max_errors=`` overrides it.
    """
    causes = read_causes(sql, run)
    if not causes or causes[0].rows < _MIN_ROWS:
        return None
    states = count_states(sql, run.number)
    animals = sum(states.values()) - states[State.EXCLUDED]
    was_created = sql.execute(_CREATED, [json.dumps(run.header)]).fetchone()
    if was_created or 2 * causes[0].rows <= animals:
        return None
    return causes[0]
