"""What a result shows of a record that was tried very often."""

from __future__ import annotations

from pathlib import Path

from unit.staged import RUN, change, records_of, stage


def test_a_record_may_have_any_number_of_attempts(tmp_path: Path) -> None:
    """A store that asks for patience all night makes a frame like any other."""
    result = stage(tmp_path / "x.sqlite3", RUN, records_of([b'{"name":"A","categoryId":1}']))
    change(result, "UPDATE records SET attempts = 1000000")
    assert result.frame["attempts"].tolist() == [1_000_000]
    assert str(result.frame["attempts"].dtype) == "Int32"
