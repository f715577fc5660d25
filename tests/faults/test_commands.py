"""``petstore-frame`` at its ends, of every kind: words, files, exit codes, and no process left."""

from __future__ import annotations

import json
import os
import signal
import urllib.request
from collections.abc import Callable
from importlib.util import find_spec
from inspect import unwrap
from pathlib import Path

import psutil
import pytest
from typer.testing import Result

import petstore_frame as pf
from end_to_end.shell import example, started, typed
from faults.flaky_store import KEY, FlakyStore
from faults.hostile import Answer, HostileStore, http, pages, press_ctrl_c
from plain_http import wait_until

OUTPUTS = {
    "fetch": ("--output", "pets.csv"),
    "report": ("--output", "stock.xlsx"),
    "snapshot": ("--history", "history"),
}
ENVIRON = {"PETSTORE_API_KEY": "a-key-of-twenty-signs"}


def broken(head: str) -> bytes:
    return http("500 Oh", "{}")


def store_of(at_third: Answer) -> HostileStore:
    """A store of linked pages of two pets, whose third page is another matter."""
    return HostileStore(pages(9, {3: [at_third] * 9}))


def read(command: str, store: HostileStore, *more: str) -> Result:
    place = ["--base-url", store.base_url]
    return typed(f"petstore-frame {command}", *OUTPUTS[command], *place, *more, **ENVIRON)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own, in which no GET is retried after a failure."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(unwrap(pf.Client.__init__).__kwdefaults__, "retry_timeout", 0)
    return tmp_path


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_listing_that_breaks_off_is_no_success(command: str, here: Path) -> None:
    """What was read is written with what it covers, and the exit code is 8."""
    with store_of(broken) as store:
        ended = read(command, store)
    assert ended.exit_code == 8
    assert (here / OUTPUTS[command][1]).exists()
    assert OUTPUTS[command][1] in ended.stdout and "incomplete" in ended.stdout
    assert "500 from GET /pets" in ended.stderr and "at least 4 pets" in ended.stderr
    assert ".partial" not in ended.output


@pytest.mark.parametrize("command", OUTPUTS)
def test_what_the_store_refuses_is_5(command: str, here: Path) -> None:
    """A wrong key, nonsense and a closed port all blame the store, and write nothing."""
    answers = [http("401 No", "{}"), http("200 OK", '[{"id": "x"}]'), None]
    for answer in answers:
        with HostileStore(lambda head, answer=answer: answer) as store:
            assert read(command, store).exit_code == 5
    assert read(command, store).exit_code == 5  # it is closed
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("command", OUTPUTS)
def test_ctrl_c_leaves_the_output_as_it_was(command: str, here: Path) -> None:
    """Exit code 130; the pets that were read are in a file of their own."""
    output = here / OUTPUTS[command][1]
    if command != "snapshot":
        output.write_text("the file of yesterday")
    overwrite = () if command == "snapshot" else ("--overwrite",)
    with store_of(press_ctrl_c) as store:
        ended = read(command, store, *overwrite)
    assert ended.exit_code == 130
    assert "error: interrupted; " in ended.stderr and "at least 4 pets" in ended.stderr
    if command != "snapshot":
        assert output.read_text() == "the file of yesterday"
    others = {path.name for path in here.iterdir()} - {output.name}
    assert others and all(".partial." in name for name in others)


SETTLE = ("--reconcile", "--grace", "0")


@pytest.fixture
def store(stores) -> FlakyStore:
    return stores(honors_keys=True)


@pytest.fixture
def load(pets_csv, store, monkeypatch) -> Callable[..., Result]:
    """Load so many pets, or the text of a file, as the shell does."""
    monkeypatch.setenv("PETSTORE_API_KEY", KEY)

    def run(source: int | str, *more: str) -> Result:
        path = pets_csv(source) if isinstance(source, int) else Path("pets.csv")
        if isinstance(source, str):
            path.write_text(source)
        place = ["--base-url", store.base_url, "--journal", "journal", "--timeout", "10"]
        return typed("petstore-frame load", str(path), *place, *more)

    return run


def flat(text: str) -> str:
    """A message without the frame that the shell's library draws around it."""
    return " ".join(text.replace("\u2502", " ").split())


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("Pet Name,category\nAda,1\n", [], "--set 'mapping.name=Pet Name'"),
        ("name,category,State\nAda,1,Sold\n", ["--dry-run"], "--set mapping.status=State"),
        ("name,category\nAda,x\n", ["--output", "o"], "petstore-frame load o/fix.csv"),
    ],
)
def test_a_shell_is_told_what_to_add_there(load, content: str, options: list, words: str) -> None:
    """Next steps are words of the command, never arguments of Python."""
    done = load(content, *options)
    assert words in done.output
    assert "result." not in done.output and "mapping=" not in done.output


@pytest.mark.filterwarnings("default")
def test_all_created_is_0_and_files_are_named(load, store) -> None:
    """A rehearsal sends nothing; a clean file is sent once, and a file changed by hand is kept."""
    plan = load(9, "--dry-run", "--json")
    assert (plan.exit_code, store.posts) == (1, 0)  # nine rows are still to send
    assert json.loads(plan.stdout)["states"]["pending"] == 9
    done = load(9, "--output", "out")
    assert "9 animals added" in done.output and "results.csv" in done.output
    Path("out/fix.csv").write_text("mine")
    again = load(9, "--output", "out")
    assert (done.exit_code, again.exit_code, store.posts) == (0, 0, 9)
    assert "note: out/fix.csv was changed since" in again.stderr


@pytest.mark.parametrize(
    ("fault", "options", "code", "words"),
    [
        ("400", [], 1, "the store rejected it"),
        ("fin_after", [], 3, "unconfirmed"),
        # A key that the store honors settles the request, and so may reading back.
        ("fin_after", ["--idempotency-lifetime", "3600"], 0, "9 animals added"),
        ("fin_before", SETTLE, 1, "not found"),
        ("400", ["--max-errors", "0"], 4, "more than"),
        ("401", [], 5, "401"),
        ("html_404", [], 5, "404"),
        (None, ["--journal", __file__], 6, "nothing was sent"),
    ],
)
def test_each_ending_has_its_exit_code(
    load, store, fault: str | None, options: list[str], code: int, words: str
) -> None:
    """What the store does decides the code, and the text says why; no pet is there twice."""
    store.fault_of = {3: fault}.get
    done = load(9, *options)
    assert (done.exit_code, words in flat(done.output)) == (code, True)
    assert set(store.pet_counts().values()) <= {1}


def test_options_say_how_a_file_is_read(load, store) -> None:
    """Columns, delimiter and digits are given as one can type them."""
    words = ["columns=name", "columns=category_id", "delimiter=\t", "thousands=."]
    assert (
        load("Luna\t1.024\n", *(part for word in words for part in ("--set", word))).exit_code == 0
    )
    (pet,) = store.pets.values()
    assert (pet["name"], pet["categoryId"]) == ("Luna", 1024)


@pytest.mark.parametrize("folder", ["notes", "notes/deeper", "link"])
def test_a_folder_that_cannot_be_made_is_2_and_sends_nothing(load, store, folder: str) -> None:
    """A folder for results is looked at before anything is sent."""
    Path("notes").write_text("mine")
    Path("link").symlink_to("nowhere")
    done = load(3, "--output", folder)
    assert (done.exit_code, store.posts) == (2, 0)
    assert f"--output {folder}: " in done.stderr and "nothing was sent" in done.stderr


def test_ctrl_c_is_130_and_writes_what_is_known(load, store) -> None:
    """An interrupted command awaits its answers, says what was sent, and ends with 130."""
    store.on_post = lambda *now: now == (20, "body") and signal.raise_signal(signal.SIGINT)
    done = load(200, "--json")
    assert done.exit_code == 130
    assert json.loads(done.stdout)["states"]["created"] == len(store.pets) < 200


def test_doubt_is_explained_and_settled_by_hand(load, store) -> None:
    """The candidates are in the JSON, and --resolve settles them, where it can be read."""
    store.fault_of = {2: "fin_after", 3: "fin_before"}.get
    load(4, "--workers", "1")
    store.add({"name": "Other", "categoryId": 9})  # so the pet may be that of somebody else
    assert load(4, *SETTLE).exit_code == 3
    assert json.loads(load(4, "--json").stdout)["candidates"] == {"3": [2]}
    codes = [load(4, "--resolve", pair).exit_code for pair in ("two", "3=2", "4=none")]
    assert (codes, len(store.pets)) == ([2, 3, 1], 4)
    assert (load(4).exit_code, len(store.pets), store.posts) == (0, 5, 5)


def test_files_are_written_though_reading_back_fails(load, store) -> None:
    """--output has what the import did, also when --reconcile cannot be done."""
    store.fault_of = {3: "500_after"}.get
    store.on_post = lambda *now: setattr(store, "is_up", now != (5, "answered"))
    done = load(5, "--output", "out", "--workers", "1", *SETTLE)
    assert done.exit_code != 0 and "error" in done.stderr
    assert Path("out/results.csv").exists() and Path("out/unconfirmed.csv").exists()


def test_what_was_sent_is_told_where_its_files_cannot_be_written(load, store) -> None:
    """A folder that becomes a file during the import costs the files, not the result."""

    def replace(number: int, stage: str) -> None:
        if (number, stage) == (2, "body"):
            Path("out").rmdir()
            Path("out").write_text("mine")

    store.on_post = replace
    done = load(3, "--output", "out", "--workers", "1", "--json")
    assert done.exit_code == json.loads(done.stdout)["exit_code"] == 6
    assert json.loads(done.stdout)["states"]["created"] == 3


# Not importorskip: importing Voila takes seconds, and each worker collects this file.
@pytest.mark.skipif(find_spec("voila") is None, reason="needs the extra lab")
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is a POSIX signal")
def test_a_killed_dashboard_leaves_no_process_behind(tmp_path, monkeypatch) -> None:
    """Killed with a page open, its Voila, kernels and bundled store end by themselves."""
    # The page takes no settings from the working directory, so its own token opens it.
    monkeypatch.chdir(tmp_path)
    Path("voila.json").write_text('{"Voila": {"token": "another"}}', encoding="utf-8")
    with started(example("dashboard"), "--no-browser") as (shown, address):
        with urllib.request.urlopen(address.strip(), timeout=60):
            assert wait_until(lambda: has_kernel(shown.pid))
            family = psutil.Process(shown.pid).children(recursive=True)
        shown.kill()
        shown.wait(60)
    _, alive = psutil.wait_procs(family, timeout=60)
    assert len(family) >= 2  # Voila runs in the command itself
    assert alive == []


def has_kernel(pid: int) -> bool:
    """Whether a kernel runs below a process."""
    family = psutil.Process(pid).children(recursive=True)
    return any("ipykernel" in " ".join(process.cmdline()) for process in family)
