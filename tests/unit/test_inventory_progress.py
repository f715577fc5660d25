"""Progress is shown to whoever watches, invents no totals and never ends a fetch."""

from __future__ import annotations

import json

import httpx
import pytest

import petstore_frame as pf
from petstore_frame._internal.progress import is_watched
from petstore_frame.inventory.fetch import FetchProgress


def client() -> pf.Client:
    def answer(request: httpx.Request) -> httpx.Response:
        first = int(request.url.params.get("from", "0"))
        pets = [{"id": first + n, "name": "x", "categoryId": 1} for n in range(100)]
        link = {"Link": f'<?from={first + 100}>; rel="next"'} if first < 200 else {}
        return httpx.Response(200, content=json.dumps(pets), headers=link)

    return pf.Client("http://127.0.0.1/v1", "k", transport=httpx.MockTransport(answer))


def test_a_function_is_told_the_pets_held() -> None:
    """Each page moves the count on, and the last call has them all."""
    told: list[int] = []
    pf.fetch_inventory(client(), progress=told.append)
    assert told == [100, 200, 300]


def test_a_failing_function_ends_no_fetch() -> None:
    """What goes wrong in showing progress is told once, and the pets are all there."""

    def fail(held: int) -> None:
        raise OSError("no screen")

    with pytest.warns(RuntimeWarning, match="no screen") as told:
        inventory = pf.fetch_inventory(client(), progress=fail)
    assert (len(told), len(inventory)) == (1, 300)
    assert told[0].filename == __file__


def test_a_failure_while_the_store_is_awaited_names_the_callers_line(sample_server) -> None:
    """A page is counted from inside the connection, and still the warning is about our caller."""

    def fail_later(held: int) -> None:
        if held > 100:
            raise OSError("no screen")

    with sample_server.client() as client, pytest.warns(RuntimeWarning) as told:
        pf.fetch_inventory(client, progress=fail_later)
    assert [warning.filename for warning in told] == [__file__]


@pytest.mark.parametrize("option", [1, 0, "yes"])
def test_an_option_that_is_not_understood_is_refused(option) -> None:
    """1 is not True: it would show nothing, and nobody would know why."""
    with pytest.raises(pf.ArgumentError, match="progress is a function, True, False or None"):
        pf.fetch_inventory(client(), progress=option)


def test_a_bar_shows_no_total(capsys: pytest.CaptureFixture[str]) -> None:
    """A bar counts pets and promises no end."""
    pf.fetch_inventory(client(), progress=True)
    shown = capsys.readouterr().err
    assert "Pets read" in shown
    assert "%" not in shown


def test_a_fetch_logs_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """INFO has the store and what was read of it, in the logger of the inventory."""
    caplog.set_level("INFO")
    pf.fetch_inventory(client())
    (line,) = caplog.records
    assert (line.name, line.levelname) == ("petstore_frame.inventory", "INFO")
    assert line.getMessage() == "http://127.0.0.1/v1: complete: 300 pets, 7 requests"


def test_nobody_watching_means_silence(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal or a live notebook nothing is printed."""
    assert not is_watched()
    FetchProgress(None)(5)
    assert capsys.readouterr().err == ""
