"""``petstore-frame`` fetch, report and snapshot when a reading ends early: words, files, codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faults.hostile import Answer, HostileStore, http, pages, press_ctrl_c
from petstore_frame.cli import app

OUTPUTS = {
    "fetch": ("--output", "pets.csv"),
    "report": ("--output", "stock.xlsx"),
    "snapshot": ("--history", "history"),
}
ENVIRON = {"PETSTORE_API_KEY": "a-key-of-twenty-signs", "PETSTORE_MAX_RETRIES": "0"}


def broken(head: str) -> bytes:
    return http("500 Oh", "{}")


def store_of(at_third: Answer) -> HostileStore:
    """A store of linked pages of two pets, whose third page is another matter."""
    return HostileStore(pages(9, {3: [at_third] * 9}))


def run(command: str, store: HostileStore | str, *more: str) -> Result:
    address = store if isinstance(store, str) else store.base_url
    words = [command, *OUTPUTS[command], "--base-url", address, *more]
    return CliRunner().invoke(app, words, env=ENVIRON)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("options", [[], ["--require-complete", "--json"]], ids=str)
@pytest.mark.parametrize("command", OUTPUTS)
def test_a_listing_that_breaks_off_is_1(command: str, options: list[str], here: Path) -> None:
    """Each says how far it came; only what can say so itself is written, unless that is barred."""
    with store_of(broken) as store:
        ended = run(command, store, *options)
    assert ended.exit_code == 1 and ".partial" not in ended.output
    assert "500 from GET /pets" in ended.stderr and "at least 4 pets" in ended.stderr
    assert (list(here.iterdir()) == []) == (command == "fetch" or options != [])


@pytest.mark.parametrize(("end", "code"), [(broken, 1), (press_ctrl_c, 130)])
def test_a_part_is_written_on_request(here: Path, end: Answer, code: int) -> None:
    """--keep-partial writes the pets held; code and JSON line tell that they are not all."""
    with store_of(end) as store:
        ended = run("fetch", store, "--keep-partial", "--json")
    told = json.loads(ended.stdout)
    assert (ended.exit_code, told["exit_code"], told["rows"]) == (code, code, 4)
    assert len((here / "pets.csv").read_text("utf-8").splitlines()) == 5


@pytest.mark.parametrize("command", OUTPUTS)
def test_what_the_store_refuses_is_5(command: str, here: Path) -> None:
    """A wrong key, nonsense and a closed port all blame the store, and write nothing."""
    answers = [http("401 No", "{}"), http("200 OK", '[{"id": "x"}]'), None]
    for answer in answers:
        with HostileStore(lambda head, answer=answer: answer) as store:
            assert run(command, store).exit_code == 5
    assert run(command, "http://127.0.0.1:9/v1").exit_code == 5
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("command", OUTPUTS)
def test_ctrl_c_leaves_the_output_as_it_was(command: str, here: Path) -> None:
    """Exit code 130, the pets read are counted, and no file is written or changed."""
    output = here / OUTPUTS[command][1]
    if command != "snapshot":
        output.write_text("the file of yesterday")
    with store_of(press_ctrl_c) as store:
        ended = run(command, store)
    assert ended.exit_code == 130
    assert "error: interrupted; " in ended.stderr and "at least 4 pets" in ended.stderr
    if command == "snapshot":
        assert "history was not written" in ended.stderr and not output.exists()
    else:
        assert f"{output.name} is as it was" in ended.stderr
        assert output.read_text() == "the file of yesterday"
        assert list(here.iterdir()) == [output]
