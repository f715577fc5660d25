"""``pf.serve``: a store of one's own, up in a moment and gone without a trace."""

from __future__ import annotations

import os
import sys
import traceback
from tempfile import gettempdir
from urllib.parse import urlsplit

import psutil
import pytest

import petstore_frame as pf
import threaded
from petstore_frame.service.sample_pets import sample_pets


def test_it_answers_as_soon_as_it_is_there(tmp_path, monkeypatch) -> None:
    """Its client can read at once, and of the process and its folder nothing is left."""
    gettempdir()  # which this process keeps, so that only the service's is the new one
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pf.serve(sample=3, seed=1) as server, server.client() as client:
        names = [pet.name for pet in client.list_pets().pets]
        assert names == [pet.name for pet in sample_pets(3, 1)]
        assert list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []
    assert not psutil.pid_exists(server.pid)


def test_a_file_survives_its_server(tmp_path, capfd) -> None:
    """A named database keeps its pets; a sample is for an empty store only, and stderr says so."""
    place = tmp_path / "store.sqlite3"
    for _ in range(2):
        with threaded.serve(database=place, sample=3) as server, server.client() as client:
            assert len(client.list_pets().pets) == 3
    log = capfd.readouterr().err
    assert log.count("already has pets; sample pets can be added only to an empty store") == 1


def test_what_cannot_start_says_why(tmp_path, server) -> None:
    """A start that fails names the cause and a way out, and makes no key, no pets and no file."""
    place = tmp_path / "untouched.sqlite3"
    wrong = {
        "no-folder": {"database": tmp_path / "no-folder" / "store.sqlite3"},
        "in use; port 0 picks a free one": {"port": urlsplit(server.base_url).port, "sample": 3},
        "sample: Input should be greater than or equal to 0": {"sample": -1},
    }
    for words, options in wrong.items():
        with pytest.raises(pf.errors.ServiceStartError, match=words):
            pf.serve(**{"database": place} | options)
    with pytest.raises(pf.ConfigurationError, match="no API key"):
        pf.serve(api_key="")
    with pytest.raises(pf.ArgumentError, match="port"):
        pf.serve(port=70_000)
    assert not place.exists()


@pytest.mark.parametrize(
    ("key", "error"),
    [
        ("a-key-that-nobody-may-see", pf.errors.ServiceStartError),
        ("a key that nobody-may-see", pf.ConfigurationError),
    ],
    ids=["failed start", "unusable key"],
)
def test_a_failed_start_shows_its_key_in_no_traceback(key, error) -> None:
    """Neither in the variables of any frame, nor in the traceback that a notebook shows."""
    ultratb = pytest.importorskip("IPython.core.ultratb")
    with pytest.raises(error) as caught:
        pf.serve(api_key=key, sample=-1)
    frames = []
    problem: BaseException | None = caught.value
    while problem is not None:
        stack = list(traceback.walk_tb(problem.__traceback__))
        # The frame of this test has the key as its own text.
        frames += [frame for frame, _ in stack if frame.f_code.co_filename != __file__]
        problem = problem.__cause__ or problem.__context__
    assert len(frames) >= 2
    assert not [frame for frame in frames if "nobody-may-see" in repr(frame.f_locals)]
    below_this_test = caught.tb.tb_next
    shown = ultratb.VerboseTB(tb_offset=0).text(caught.type, caught.value, below_this_test)
    assert "checked_key" in shown or "_ServiceProcess" in shown
    assert "nobody-may-see" not in shown


def test_no_file_of_the_working_directory_runs_in_the_service(tmp_path, monkeypatch) -> None:
    """A notebook may lie beside a logging.py of its owner's; the server's repr shows no key."""
    for name in ("h11", "logging", "uvicorn"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pf.serve(sample=3) as server, server.client() as client:
        assert len(client.list_pets()) == 3
        assert server.base_url in repr(server) and "running" in repr(server)
        assert server.api_key.get_secret_value() not in repr(server)
        server.close()
    assert "closed" in repr(server)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has process groups")
def test_ctrl_c_of_a_terminal_does_not_reach_it() -> None:
    """The service has a session of its own, so a terminal interrupts only its caller."""
    with pf.serve() as server:
        assert os.getsid(server.pid) != os.getsid(0)
