"""What a shell prints has the words of a shell, and none of Python."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest

import petstore_frame as pf
from end_to_end.shell import print_of, python_words
from faults.flaky_store import KEY, FlakyStore
from petstore_frame.inventory.verdict.facts import Fact
from shop import Shop

INPUTS = sorted((Path(__file__).parents[1] / "loader" / "inputs").iterdir())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("load it again with keep='last'", ["keep="]),
        ("use result.reconcile(client)", ["result.reconcile("]),
        ("see pf.Recipe", ["pf."]),
        ("add --set keep=last", []),
        ("error: a.csv; add --duplicates create", []),
    ],
)
def test_python_is_recognized(text: str, words: list[str]) -> None:
    """A call, the module and an argument are words of Python; a command and its options are not."""
    assert python_words(text) == words


WEEK = ["tag,name,categoryId,status", *(f"A{n},Pet {n},1,available" for n in range(9))]
LINES = [
    # Each question, and what a load tells besides its rows.
    "load again.csv --key tag", "load copy.csv --set mapping.name=name",
    "load other_key.csv --key tag",
    "load week.csv --key tag", "load week.csv --key tag --as-new", "load excluded.csv --key tag "
    "--set exclude.status=sold", "load bad.csv --key tag", "load bad.csv --key tag --max-errors 1",
    "load labels.csv --key tag", "load week.csv --key tag --max-rows 2 --as-new --dry-run",
    "load week.csv --key tag --exclude-lines 99", "load week.csv --key nothing", "load --resume",
    "load week.csv --key '?'", "load week.csv --set keep=last", "load week.csv --set order_by=tag",
    "load week.csv --resolve 3=4", "load week.csv --key tag --duplicates create",
    "load nofile.csv", "load week.csv --recipe week.csv", "load week.csv --categories bad.csv",
    # The other commands.
    "recipe week.csv", "recipe nofile.csv", "recipe bad.csv --key '?'", "compare week.csv",
    "compare week.csv --key tag", "compare week.csv --on id", "compare week.csv --on nothing",
    "compare nofile.csv --key tag", "compare bad.csv --on name", "fetch --output pets.xlsx",
    "fetch --output pets.csv --status sold", "fetch --output no/pets.csv",
    "report --output pets.txt",
    "report --output pets.xlsx --categories bad.csv", "trend --history nothing", "trend --by name",
    "trend --history history --since tomorrow", "snapshot --history history --timezone Mars",
    "snapshot --history history", "trend --history history", "weekly", "weekly bad.csv",
    "weekly weekly.toml", "weekly weekly.toml --check", "weekly weekly.toml --dry-run",
    "api-keys --revoke nothing --database nothing.sqlite3", "serve --faults nothing=1",
    "sample --output no/a.csv", "demo --folder week.csv", "dashboard 5",
]  # fmt: skip


@pytest.fixture(scope="module")
def loaded_office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """An office with a file of each kind, one of them loaded, whose store has lost pets since."""
    folder = tmp_path_factory.mktemp("office")
    with FlakyStore(has_links=True) as store, store_in_environment(store, folder):
        with pf.Client(store.base_url, KEY) as client:
            office = Shop(folder, client, store)
            write_files(office)
            print_of("load week.csv --key tag")
            print_of("load week.csv --key tag")  # shows the store to the journal
            for pet_id in list(store.pets)[:4]:
                del store.pets[pet_id]
            yield office


@contextmanager
def store_in_environment(store: FlakyStore, folder: Path) -> Iterator[None]:
    """Work in the folder, with the store in the environment."""
    with pytest.MonkeyPatch.context() as patch, chdir(folder):
        patch.setenv("PETSTORE_BASE_URL", store.base_url)
        patch.setenv("PETSTORE_API_KEY", KEY)
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        yield


@pytest.fixture
def copied_office(loaded_office: Shop, tmp_path: Path) -> Iterator[Shop]:
    """The same office for one command, after which files and pets are what they were."""
    store, pets = loaded_office.store, dict(loaded_office.store.pets)
    shutil.copytree(loaded_office.folder, tmp_path / "before")
    yield loaded_office
    store.pets = pets
    for path in loaded_office.folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(tmp_path / "before", loaded_office.folder, dirs_exist_ok=True)


def write_files(office: Shop) -> None:
    office.write("week.csv", *WEEK)
    office.write("bad.csv", "tag,name,status", "1,,sold", "2,Bo,lost", "3,,lost", "4,Di,sold")
    office.write("labels.csv", "tag,name,categoryId", "1,Ada,Dog", "2,Bo,Cat", "3,Cy,Dog")
    office.write("again.csv", "tag,name,categoryId", *(f"a-{n},Pet {n},1" for n in range(9)))
    office.write("copy.csv", "name,categoryId", *(f"Pet {n},1" for n in range(9)))
    office.write("other_key.csv", "tag,name,categoryId", *(f"A{n},Dog {n},2" for n in range(9)))
    office.write("excluded.csv", WEEK[0], *(f"A{n},Pet {n},1,sold" for n in range(3)))
    recipe = '[[load]]\nfiles = "bad.csv"\n[[load]]\nfiles = "labels.csv"\n'
    more = '[[load]]\nfiles = "copy.csv"\n[[compare]]\nlist = "week.csv"\n'
    Path("weekly.toml").write_text(recipe + more, encoding="utf-8")


@pytest.mark.usefixtures("copied_office")
@pytest.mark.parametrize("line", LINES)
def test_commands_speak_the_words_of_a_shell(line: str) -> None:
    """Results, questions and errors of each command, and of a store that loses pets."""
    text = print_of(line)
    for question in Path("reports").glob("*/question *"):
        text += question.read_text(encoding="utf-8")
    assert python_words(text) == []


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_a_file_is_explained_in_the_words_of_a_shell(path: Path, loaded_office: Shop) -> None:
    """Each problem of a file, and the next step."""
    copy = Path(shutil.copy(path, loaded_office.folder))
    text = print_of(f"load {path.name} --dry-run")
    copy.unlink()
    assert python_words(text) == []


def test_what_a_listing_lacks_is_said_in_plain_words() -> None:
    """The reasons and next steps of a listing are for Python and for a shell."""
    in_python = {Fact.CHANGED_SINCE, Fact.NO_RECORD, Fact.CUT_BY_MAX_PETS}  # of a table in memory
    for fact in set(Fact) - in_python:
        assert python_words(" ".join(map(str, fact.value))) == [], fact


@pytest.mark.parametrize("name", ["PETSTORE_BASE_URL", "PETSTORE_API_KEY"])
def test_a_missing_setting_is_explained(
    name: str, office: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable that is missing is named."""
    monkeypatch.delenv(name)
    text = print_of("fetch --output pets.csv")
    assert name in text and python_words(text) == []
    assert issubclass(pf.errors.ConfigurationError, ValueError)
