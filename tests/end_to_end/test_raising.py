"""What raises, so that a scheduled task that could do nothing is not green."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.errors import LoadFailedError, LoadStoppedError
from shop import Shop
from threaded import Server


@pytest.fixture
def file(service_shop: Shop) -> Path:
    return service_shop.write("arrivals.csv", "name", "Raised Ada", "")


def test_a_bad_key_raises_with_the_result(file: Path, server: Server, service_shop: Shop) -> None:
    """Nothing could be done, so the load raises; the same call continues once the key is right."""
    options = {"journal": service_shop.journal, "check_store": False}
    with (
        pf.Client(server.base_url, "not-the-key") as stranger,
        pytest.raises(LoadStoppedError) as stop,
    ):
        pf.load(file, stranger, **options)
    assert stop.value.result.counts["pending"] == 1
    assert "the same call continues" in str(stop.value)
    again = pickle.loads(pickle.dumps(stop.value))  # as a worker process hands it over
    assert (str(again), again.ending) == (str(stop.value), "stopped")
    assert again.result.counts == stop.value.result.counts
    assert len(service_shop.load(file.name, check_store=False).created) == 1


def test_records_to_fix_raise_only_where_that_is_asked(file: Path, service_shop: Shop) -> None:
    """A task asks for an error; without that the result has the rows."""
    service_shop.load("clean.csv", "name", "Bo").raise_for_failures()
    result = service_shop.load(file.name)
    with pytest.raises(LoadFailedError) as failed:
        result.raise_for_failures()
    assert len(failed.value.result.fix) == len(result.fix) == 1


def test_a_load_logs_one_line(file: Path, service_shop: Shop, caplog) -> None:
    """INFO has what became of the file, in the logger of the loader."""
    with caplog.at_level(logging.INFO, "petstore_frame"):
        service_shop.load(file.name)
    (line,) = [record for record in caplog.records if record.name == "petstore_frame.loader"]
    assert line.levelno == logging.INFO
    assert "arrivals.csv: 1 animal added; 1 needs fixing" in line.getMessage()
