"""``pf.serve``: a store of one's own, up in a moment and gone without a trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

import petstore_frame as pf
from petstore_frame.bundled.children import child_environ


def test_it_answers_as_soon_as_it_is_there() -> None:
    """Up in under two seconds of a processor, and its client can read at once."""
    with pf.serve(sample=3, seed=1) as server, server.client() as client:
        took = psutil.Process(server.pid).cpu_times()
        assert len(client.list_pets().pets) == 3
    assert took.user + took.system < 2
    assert not psutil.pid_exists(server.pid)


def test_the_same_seed_gives_the_same_pets() -> None:
    """Statuses of each kind and none, in several scripts, and the same again."""
    pages = []
    for _ in range(2):
        with pf.serve(sample=100, seed=5) as server, server.client() as client:
            pages.append(client.list_pets(limit=100).pets)
    assert pages[0] == pages[1]
    assert {pet.status for pet in pages[0]} == {"available", "pending", "sold", None}


def test_a_file_survives_its_server(tmp_path) -> None:
    """A named database keeps its pets, and a sample is for an empty store only."""
    for _ in range(2):
        with pf.serve(database=tmp_path / "store.sqlite3", sample=4) as server:
            with server.client() as client:
                assert len(client.list_pets().pets) == 4


def test_a_store_without_a_name_leaves_nothing(tmp_path, monkeypatch) -> None:
    """The fresh store of ``serve()`` is gone with its server."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pf.serve():
        assert list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"log_level": "loud"}, "log_level is one of debug, info, warning, error, off, got"),
        ({"sample": -1}, "sample is 0 or more, got -1"),
        ({"sample": True}, "sample is a whole number, got True"),
        ({"port": 70_000}, "port is 0 to 65535, got 70000"),
        ({"strict": "no"}, "strict is True or False, got 'no'"),
        ({"start_timeout_s": float("nan")}, "start_timeout_s is a number above 0, got nan"),
        ({"database": 7}, "database is a path or a SQLAlchemy URL, got 7"),
        ({"public_url": 7}, "public_url is text, got 7"),
        ({"workers": 2}, "workers=2 needs PostgreSQL, as in database="),
        ({"workers": 2, "database": "store.sqlite3"}, "otherwise workers is 1"),
    ],
)
def test_a_wrong_argument_starts_no_process(options, words: str, monkeypatch) -> None:
    """An argument of a wrong type or value is refused before anything is started."""
    monkeypatch.setattr(
        "petstore_frame.bundled.server._launch", lambda _: pytest.fail("it was started")
    )
    with pytest.raises(pf.ArgumentError, match=words):
        pf.serve(**options)


def test_an_empty_key_is_not_a_missing_one() -> None:
    """A program whose own key is empty is not given another one without a word."""
    with pytest.raises(pf.ConfigurationError, match="the API key is empty"):
        pf.serve(api_key="")


def test_what_the_service_itself_refuses_is_reported(tmp_path) -> None:
    """A setting that only the service can judge: an error with its own text, no process left."""
    with pytest.raises(pf.errors.ServiceStartError, match=r"no-folder"):
        pf.serve(database=tmp_path / "no-folder" / "store.sqlite3")


def test_a_sample_for_a_store_with_pets_is_said_to_be_left_out(tmp_path, capfd) -> None:
    """A sample never mixes with what is there, and stderr says that it did not."""
    place = tmp_path / "store.sqlite3"
    for _ in range(2):
        command = [sys.executable, "-m", "petstore_frame", "serve", "--sample", "3", "--port", "0"]
        with subprocess.Popen(
            [*command, "--database", str(place)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert json.loads(process.stdout.readline())["pid"] == process.pid
            process.terminate()
    said = capfd.readouterr().err
    assert said.count("holds pets already; a sample is for an empty store") == 1


def test_a_taken_port_leaves_the_database_alone(tmp_path, server) -> None:
    """A start that fails names the cause and a way out, and makes no key, no pets and no file."""
    place = tmp_path / "untouched.sqlite3"
    with pytest.raises(pf.errors.ServiceStartError, match="in use; port 0 picks a free one"):
        pf.serve(port=urlsplit(server.base_url).port, database=place, sample=3)
    assert not place.exists()


def test_no_file_of_the_working_directory_runs_in_the_service(tmp_path, monkeypatch) -> None:
    """A notebook may lie beside an h11.py or a logging.py of its owner's."""
    for name in ("h11", "logging", "uvicorn"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pf.serve(sample=3) as server, server.client() as client:
        assert len(client.list_pets()) == 3


def test_a_child_runs_the_package_of_its_parent(monkeypatch) -> None:
    """A checkout goes before PYTHONPATH; a package where Python looks anyway changes nothing."""
    home = str(Path(pf.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", "/before")
    assert child_environ(())["PYTHONPATH"] == f"{home}{os.pathsep}/before"
    assert child_environ((home,)) == dict(os.environ)
    monkeypatch.delenv("PYTHONPATH")
    assert child_environ(())["PYTHONPATH"] == home


def test_its_client_counts_on_keys_for_as_long_as_they_are_kept() -> None:
    """The two sides share no code, so the number is written twice and compared here."""
    from petstore_frame.bundled import server
    from petstore_frame.service import store

    assert server._KEY_LIFETIME_S == store.IDEMPOTENCY_KEEP_S


def test_it_tells_what_it_is_without_its_key(process_server) -> None:
    """The repr has the address and the state."""
    assert process_server.base_url in repr(process_server) and "running" in repr(process_server)
    assert process_server.api_key.get_secret_value() not in repr(process_server)
    process_server.close()
    process_server.close()
    assert "closed" in repr(process_server)
