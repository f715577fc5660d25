"""Rows of a trial or of a stopped load are named until they are sent or dropped."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.errors import DuplicatesError
from petstore_frame.loader import view_of


class Office:
    """A store, and the files and the journal of one office."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, pf.testing.fake_store()
        self.client = self.store.client()
        self.options: dict[str, Any] = {"journal": str(folder / "journal"), "progress": False}

    @property
    def names(self) -> list[str]:
        return sorted(pet.name for pet in self.store.pets)

    def write(self, name: str, *rows: str, header: str = "tag,name,category_id,status") -> str:
        path = self.folder / name
        path.write_text("\n".join([header, *rows, ""]))
        return str(path)

    def load(self, name: str, *tags: str, **options: Any) -> pf.LoadResult:
        """Load a file with an animal for each tag, or the file that is there."""
        path = str(self.folder / name)
        if tags:
            self.write(name, *(f"{tag},Pet {tag},1,sold" for tag in tags))
        return pf.load(path, self.client, **{"key": "tag"} | self.options | options)

    def resume(self, **options: Any) -> list[pf.LoadResult]:
        return pf.resume_loads(self.client, **self.options, **options)

    def run(self, text: str, function: str) -> Any:
        """Run the call of a function that a result prints."""
        (call,) = re.findall(rf"^ +(pf\.{function}\(.+\))$", text, re.MULTILINE)
        return eval(call, {"pf": pf, "client": self.client})  # what a user would paste


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_the_step_for_a_trial_of_another_file_sends_its_rows(office: Office) -> None:
    """It names that file, loads it by its path with its options, and is no longer shown then."""
    office.load("cats.csv", "C1", "C2", "C3", max_rows=1)
    result = office.load("dogs.csv", "D1")
    assert "2 of cats.csv" in str(result) and "earlier version of this file" not in str(result)
    office.run(str(result), "load")
    assert office.names == ["Pet C1", "Pet C2", "Pet C3", "Pet D1"]
    assert "cats.csv" not in str(office.load("dogs.csv"))


@pytest.mark.parametrize(("answer", "sent"), [("skip", 0), ("create", 2)])
def test_a_trial_that_a_later_file_may_replace_is_dropped_or_sent(
    office: Office, answer: str, sent: int
) -> None:
    """The printed call asks first, and both answers work."""
    office.load("cats.csv", "C1", "C2", "C3", max_rows=1)
    text = str(office.load("dogs.csv", "D1"))
    with pytest.raises(DuplicatesError):
        office.run(text, "resume_loads")
    (result,) = office.resume(duplicates={"unsent": answer})
    assert len(office.names) == 2 + sent and result.exit_code == 0
    assert office.resume() == []


@pytest.mark.parametrize("last", ["cats.csv", "dogs.csv"])
def test_a_file_that_was_overwritten_is_not_loaded_by_its_path(office: Office, last: str) -> None:
    """Its path has other rows now, so only the journal can send those of the trial."""
    office.load("cats.csv", "C1", "C2", max_rows=1)
    office.load("cats.csv", "C3")
    text = str(office.load(last, "C4"))
    assert "pf.load(" not in text
    assert ("an earlier version of this file" in text) is (last == "cats.csv")
    with pytest.raises(DuplicatesError):
        office.run(text, "resume_loads")


def test_a_resume_asks_about_all_replaced_files_at_once(office: Office) -> None:
    """An answer drops only rows of files that the question names."""
    office.load("cats.csv", "C1", "C2", max_rows=1)
    office.write("fish.csv", "F1,1", "F2,1", header="name,category_id")
    office.load("fish.csv", key="", max_rows=1)
    office.write("birds.csv", "B1,1", header="name,category_id")
    office.load("birds.csv", key="")
    office.load("dogs.csv", "D1")
    with pytest.raises(DuplicatesError, match=r"(?s)1 of cats.csv.*1 of fish.csv"):
        office.resume()


def test_a_resume_shows_a_trial_and_does_not_continue_it(office: Office) -> None:
    """It was limited on purpose; the result says how to send the rest."""
    office.load("cats.csv", "C1", "C2", max_rows=1)
    (result,) = office.resume()
    assert office.names == ["Pet C1"] and result.exit_code == 1
    office.run(str(result), "load")
    assert office.names == ["Pet C1", "Pet C2"] and office.resume() == []


def test_a_resume_in_the_shell_names_the_rows_of_a_trial(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not claim that no rows are left to send."""
    office.load("cats.csv", "C1", "C2", max_rows=1)
    monkeypatch.setattr(pf, "Client", lambda *_, **__: office.client)
    command = ["load", "--resume", "--journal", office.options["journal"]]
    shown = CliRunner().invoke(app, command, obj=command)
    assert shown.exit_code == 1
    assert "1 to send" in shown.output and "without --max-rows" in shown.output
    assert "cats.csv --journal" in shown.output and "--key tag" in shown.output


@pytest.mark.parametrize("sheets", [["Pets"], ["Pets", "May"]])
def test_a_trial_of_a_workbook_is_continued_by_its_path(office: Office, sheets: list[str]) -> None:
    """The path of its journal ends with the sheet; the printed call has a path that exists."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for sheet in sheets:
        book.create_sheet(sheet).append(["tag", "name", "category_id", "status"])
        for number in range(3):
            book[sheet].append([f"{sheet}{number}", f"{sheet} {number}", 1, "sold"])
    book.save(office.folder / "cat's #1.xlsx")
    office.load("cat's #1.xlsx", sheet=sheets[-1], max_rows=1)
    result = office.load("dogs.csv", "D1")
    office.run(str(result), "load")
    assert {*office.names} == {*(f"{sheets[-1]} {number}" for number in range(3)), "Pet D1"}


# Dry runs


@pytest.mark.parametrize("max_rows", [None, 2, 9])
def test_a_dry_run_with_a_limit_says_what_the_same_call_sends(
    office: Office, max_rows: int | None
) -> None:
    """The headline and the step have the number of rows within the limit."""
    office.write("cats.csv", *(f"C{number},Pet {number},1,sold" for number in range(4)))
    text = str(office.load("cats.csv", max_rows=max_rows, dry_run=True))
    office.load("cats.csv", max_rows=max_rows)
    sent = len(office.names)
    assert f"{sent} animals would be sent" in text and f"{sent} rows would be sent" in text


def interrupt_after(posts: int) -> Callable[[Any], None]:
    """Return a progress function that presses Ctrl-C once so many animals are created."""

    def progress(counts: Any) -> None:
        if counts["created"] >= posts:
            raise KeyboardInterrupt

    return progress


def test_a_dry_run_does_not_end_as_the_load_before_it(office: Office) -> None:
    """The earlier load was interrupted; the dry run was not."""
    tags = [f"C{number}" for number in range(60)]
    with pytest.raises(pf.errors.LoadInterrupted) as stopped:
        office.load("cats.csv", *tags, workers=1, progress=interrupt_after(1))
    assert stopped.value.result.exit_code == 130
    result = office.load("cats.csv", dry_run=True)
    assert result.exit_code == 1 and view_of(result).is_rehearsal
