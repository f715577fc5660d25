"""Values that no import writes end a transaction with a JournalError."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import Writer, holding
from petstore_frame.loader.journal.stored_values import stored_json, stored_state


@pytest.mark.parametrize(("decode", "text"), [(stored_json, "{'"), (stored_state, "createD")])
def test_a_damaged_value_ends_the_transaction(decode: Callable, text: str, tmp_path: Path) -> None:
    """The error names the journal, and the transaction is not counted."""
    path = tmp_path / "j.sqlite3"
    with holding(path), Writer(path, "http://127.0.0.1") as writer:
        with pytest.raises(JournalError, match=r"j\.sqlite3 is damaged"), writer.transaction():
            decode(text)
        assert writer.commits == 0


def test_a_mistake_of_the_program_is_not_called_damage(tmp_path: Path) -> None:
    """An error that is not about a stored value keeps its type."""
    path = tmp_path / "j.sqlite3"
    with holding(path), Writer(path, "http://127.0.0.1") as writer:
        with pytest.raises(KeyError), writer.transaction():
            raise KeyError("name")
        assert writer.commits == 0
