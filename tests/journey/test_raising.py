"""What raises, so that a scheduled task that could do nothing is not green."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.errors import LoadFailedError, LoadStopped
from threaded import Server

ROWS = "name,category_id\nRaised Ada,1\n,2\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "arrivals.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_a_bad_key_raises_with_the_result(file: Path, server: Server) -> None:
    """Nothing could be done, so the load raises; the same call goes on once the key is right."""
    options = {"journal": file.parent / "journal", "check_store": False}
    with pf.Client(server.base_url, "not-the-key") as stranger, pytest.raises(LoadStopped) as stop:
        pf.load_csv(file, stranger, **options)
    assert stop.value.ending == "stopped"
    assert stop.value.result.counts["pending"] == 1
    assert "pf.load_csv(" in str(stop.value)
    again = pickle.loads(pickle.dumps(stop.value))  # as a worker process hands it over
    assert (str(again), again.ending) == (str(stop.value), "stopped")
    assert again.result.counts == stop.value.result.counts
    with server.client() as client:
        assert len(pf.load_csv(file, client, **options).created) == 1


def test_records_to_fix_raise_only_where_that_is_asked(file: Path, server: Server) -> None:
    """``on_invalid="raise"`` is for a task; without it the result has the records."""
    options = {"journal": file.parent / "journal", "check_store": False}
    with server.client() as client:
        with pytest.raises(LoadFailedError) as failed:
            pf.load_csv(file, client, on_invalid="raise", **options)
        assert len(failed.value.result.fix) == 1
        assert len(pf.load_csv(file, client, **options).fix) == 1


def test_a_load_logs_one_line_and_its_requests(
    file: Path, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """INFO has what became of the file, in the logger of the loader; DEBUG has each request."""
    with server.client() as client, caplog.at_level(logging.DEBUG, "petstore_frame"):
        pf.load_csv(file, client, journal=file.parent / "journal", check_store=False)
    (line,) = [each for each in caplog.records if each.name == "petstore_frame.loader"]
    assert line.levelno == logging.INFO
    assert "arrivals.csv: 1 of 2 records created" in line.getMessage()
    sent = [each.getMessage() for each in caplog.records if each.levelno == logging.DEBUG]
    assert len([text for text in sent if text.startswith("POST /pets 201")]) == 1
