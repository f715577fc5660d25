"""The weekly run: one reading, one folder, and what is left if something goes wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from end_to_end.shell import typed
from faults import weekly_child
from faults.flaky_store import KEY, FlakyStore
from forked import Child
from petstore_frame.errors import InputError
from petstore_frame.exit_codes import ExitCode
from petstore_frame.loader.row_state import Ending
from petstore_frame.weekly import weekly_steps
from unit.conftest import read_book

WEEKS = 6
FIRST = datetime(2026, 1, 5, 9, tzinfo=UTC)  # a Monday
MINUTE = timedelta(minutes=1)
SETTINGS = """\
journal = "journal"
timezone = "{timezone}"
max_drop = 0.3
[[load]]
files = "inbox/*.csv"
recipe = "by_tag.toml"
[[compare]]
list = "ours.csv"
recipe = "by_tag.toml"
"""


class Office:
    """A folder with a ``weekly.toml``, before a store that already has 30 pets."""

    def __init__(self, folder: Path, store: FlakyStore, timezone: str = "UTC") -> None:
        self.folder, self.store, self.path = folder, store, folder / "weekly.toml"
        (folder / "inbox").mkdir()
        (folder / "by_tag.toml").write_text('key = "tag"\n')
        self.path.write_text(SETTINGS.format(timezone=timezone))
        for number in range(30):
            store.add({"name": f"Old {number}", "categoryId": 2, "status": "available"})
        self.write("inbox/a.csv", "A1,Ada,1,sold", "A2,Bob,1,sold")
        self.write("ours.csv", "A1,Ada,1,sold", "A2,Bob,1,sold")

    def write(self, name: str, *lines: str) -> None:
        text = "\n".join(["tag,name,category_id,status", *lines, ""])
        (self.folder / name).write_text(text)

    def run(self, week: int = 0, **options: Any) -> pf.weekly.Run:
        """Run it in a week."""
        options = {"now": FIRST + timedelta(weeks=week)} | options
        with pf.Client(self.store.base_url, KEY, retry_timeout=0) as client:
            return pf.weekly.run(self.path, client=client, **options)

    @property
    def runs(self) -> list[dict[str, Any]]:
        """What ``runs.jsonl`` says."""
        lines = (self.folder / "reports" / "runs.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    @property
    def days(self) -> list[str]:
        """The folders of the days."""
        return sorted(
            folder.name for folder in (self.folder / "reports").iterdir() if folder.is_dir()
        )


@pytest.fixture
def office(tmp_path: Path, stores: Callable[..., FlakyStore]) -> Office:
    """Open an office with its store."""
    return Office(tmp_path, stores(has_links=True))


def texts(book: Path) -> str:
    """Return all texts that the sheets of a workbook show."""
    rows = [row for sheet in read_book(book) for row in sheet.values]
    return "\n".join(str(cell) for row in rows for cell in row)


def test_every_file_is_of_the_same_reading(office: Office) -> None:
    """A pet that comes between any two requests makes no two files contradict each other."""
    office.run()
    late = {"name": "Late", "categoryId": 1, "status": "sold"}
    office.store.on_get = lambda: office.store.add(late)
    office.run(1)
    run = office.run(1, now=FIRST + timedelta(days=7, minutes=9))  # compared with the week before
    assert run.folder is not None and run.folder.name == "2026-01-12-2"
    assert run.facts["compared_with"] == "2026-01-05"
    pets, read_at = run.facts["pets"], run.facts["read_at"]
    summary = json.loads((run.folder / "summary.json").read_text())
    snapshot = pf.History(office.folder / "history", timezone="UTC").read()
    assert abs(snapshot.fetched_at - datetime.fromisoformat(summary["fetched_at"])) < MINUTE
    changes = len(pd.read_csv(run.folder / "changes.csv"))
    assert changes == pets - 32 == sum(summary["changes"].values())
    stock = pd.read_csv(run.folder / "stock.csv")
    assert [summary["pets"], len(snapshot), len(stock)] == [pets] * 3
    for book in ("stock.xlsx", "compare ours.csv.xlsx"):
        shown = texts(run.folder / book)
        assert read_at in shown and f"{pets:,}" in shown
    assert f"{pets:,} pets" in (run.folder / "summary.txt").read_text()


@pytest.mark.parametrize("step", weekly_child.OWNERS)
def test_a_kill_and_the_same_again(office: Office, step: str) -> None:
    """Killed after any step and run again: no pet twice, and no half folder under a day's name."""
    child = Child(weekly_child.run_and_die, office.path, office.store.base_url, KEY, step)
    assert child.wait() == -9
    run = office.run(now=None)
    assert run.exit_code is ExitCode.DONE and run.facts["pets"] == 32
    assert max(office.store.pet_counts().values()) == 1
    assert len(office.days) == (2 if step == "rename" else 1)
    summaries = list((office.folder / "reports").glob("*/summary.json"))
    assert [json.loads(path.read_text())["pets"] for path in summaries] == [32] * len(office.days)
    assert pf.weekly.check(office.path)[0]


def test_several_weeks(office: Office) -> None:
    """With drift each week's changes, trend and check are right, and no run costs more."""
    cost = []
    for week in range(WEEKS):
        day = (FIRST + timedelta(weeks=week)).date()
        (office.folder / "inbox" / "a.csv").unlink(missing_ok=True)
        office.write("inbox/new.csv", f"N{week},New {week},1,sold")
        if week:
            del office.store.pets[min(office.store.pets)]
            assert not pf.weekly.check(office.path, max_age_days=6, today=day)[0]
        before = office.store.gets + office.store.posts
        run = office.run(week)
        cost.append(office.store.gets + office.store.posts - before)
        counts = run.facts.get("changes", {})
        came_and_went = (counts.get("new"), counts.get("gone"), counts.get("changed"))
        assert came_and_went == ((1, 1, 0) if week else (None, None, None))
        assert (run.day, run.facts["pets"]) == (day, 31)
        assert pf.weekly.check(office.path, max_age_days=8, today=day)[0]
    trend = pf.History(office.folder / "history", timezone="UTC").trend(every_days=7)
    assert trend.groupby("date")["pets"].sum().tolist() == [31] * WEEKS
    assert cost[1:] == sorted(cost[1:], reverse=True)  # the first ones are learned from
    assert [row["day"] for row in office.runs] == office.days


def test_a_store_that_is_away(office: Office) -> None:
    """The folder says so and holds no number of before; the check remembers the last good day."""
    office.run()
    office.store.is_up = False
    run = office.run(1)
    assert run.folder is not None and run.exit_code == 5
    assert sorted(path.name for path in run.folder.iterdir()) == ["summary.json", "summary.txt"]
    assert "pets" not in json.loads((run.folder / "summary.json").read_text())
    is_recent, sentence = pf.weekly.check(office.path, today=date(2026, 1, 14))
    assert not is_recent
    assert "2026-01-05" in sentence and ExitCode.STORE.meaning in sentence


def test_possible_duplicates_hold_back_only_themselves(office: Office) -> None:
    """All other rows are loaded; the folder has the rows, and the command that answers."""
    (office.folder / "weekly.toml").write_text('[[load]]\nfiles = "inbox/*.csv"\n')
    office.run()
    office.write("inbox/b.csv", "X,Ada,1,sold", "Y,Bob,1,sold", "W,New,1,sold")
    office.write("inbox/c.csv", "Z,Cleo,1,sold", "B1,Cleo,cat,sold")
    run = office.run(1)
    assert run.folder is not None and run.exit_code is ExitCode.QUESTION
    assert "--duplicates skip" in (run.folder / "question b.csv.txt").read_text()
    assert len(pd.read_csv(run.folder / "results b.csv" / "possible_duplicates.csv")) == 2
    assert (run.folder / "results c.csv" / "fix.csv").exists()
    assert ExitCode.WITH_FINDINGS in run.outcomes
    assert run.facts["pets"] == 34


def test_an_open_question_stops_only_its_file(office: Office) -> None:
    """Nothing of it is sent, the others are loaded; the folder has the question."""
    (office.folder / "weekly.toml").write_text('[[load]]\nfiles = "inbox/*.csv"\n')
    twice = [f"A{number % 9},Pet {number % 9},1,sold" for number in range(18)]
    (office.folder / "inbox" / "b.csv").write_text(
        "\n".join(["Animal ID,name,category_id,status", *twice])
    )
    run = office.run()
    assert run.folder is not None and run.exit_code is ExitCode.QUESTION
    assert "--key" in (run.folder / "question b.csv.txt").read_text()
    assert run.facts["pets"] == 32


def test_rows_that_are_still_to_send_are_no_success(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A load that left rows has the exit code of the command load; the next run sends them."""
    with monkeypatch.context() as patch:
        patch.setattr(weekly_steps, "load", partial(weekly_steps.load, max_rows=1))
        run = office.run()
    assert run.exit_code is ExitCode.WITH_FINDINGS
    assert "a.csv: 1 still to send" in run.attention
    assert office.run().exit_code is ExitCode.DONE
    assert office.store.posts == 2


def test_a_drop_is_an_alarm(office: Office) -> None:
    """More pets gone than ``max_drop`` has a code of its own, and so has a part of the listing."""
    office.run()
    for week, last in ((1, 10), (2, 20)):
        for number in range(last - 9, last):
            del office.store.pets[number]
        assert office.run(week).exit_code is [ExitCode.DONE, ExitCode.MAX_DROP][week - 1]
    office.path.write_text("max_drop = 0.3\noutput = 'parts'\n")
    office.store.has_links, office.store.page_cap = False, 10
    assert office.run(3).exit_code == ExitCode.NOT_COMPLETE
    assert not pf.weekly.check(office.path)[0]


def test_a_step_that_fails_says_which(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file that cannot be written is named beside the others; a fault of ours is raised."""
    (office.folder / "weekly.toml").write_text('categories = "gone.csv"\n')
    run = office.run()
    assert any(text.startswith("write stock.csv: ") for text in run.attention)
    assert run.folder is not None and (run.folder / "summary.txt").exists()
    monkeypatch.setattr(weekly_steps, "write_report", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError) as failed:
        office.run()
    assert failed.value.__notes__ == ["the weekly run stopped at: write stock.csv"]
    assert (office.runs[-1]["outcome"], office.runs[-1]["folder"]) == ("internal", None)
    assert len(office.days) == 1


def make_foreign(snapshot: Path) -> None:
    """Put another store's snapshot in the place of one."""
    history = pf.History(snapshot.parents[1], timezone="UTC")
    kept = history.read()
    shutil.rmtree(history.folder)
    elsewhere = replace(kept.provenance, base_url="https://other.example/v1")
    history.add(pf.Inventory(kept.frame, elsewhere))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut by 20 bytes": lambda snapshot: snapshot.write_bytes(snapshot.read_bytes()[:-20]),
    "emptied": lambda snapshot: snapshot.write_bytes(b""),
    "deleted": lambda snapshot: shutil.rmtree(snapshot.parents[1]),
    "of another store": make_foreign,
}


@pytest.mark.filterwarnings("ignore::petstore_frame.errors.HistoryWarning")
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_missing_evidence_is_a_failure(office: Office, damage: Callable[[Path], object]) -> None:
    """Without the last snapshot a run says so, and the alarm takes its number from runs.jsonl."""
    office.run()
    (snapshot,) = (office.folder / "history").glob("date=*/pets.parquet")
    damage(snapshot)
    same = office.run(1)
    assert same.exit_code is ExitCode.DISK and "changes" not in same.facts
    assert same.folder is not None and "2026-01-05" in (same.folder / "summary.txt").read_text()
    for number in range(1, 21):
        del office.store.pets[number]
    run = office.run(1, now=FIRST + timedelta(days=7, hours=1))
    assert ExitCode.MAX_DROP in run.outcomes and run.exit_code >= 1
    assert "fewer pets than the 32 of 2026-01-05" in texts(run.folder / "stock.xlsx")


def test_another_store_is_a_failure(office: Office) -> None:
    """If the history is gone and the last run read another store, the run says so."""
    office.run()
    shutil.rmtree(office.folder / "history")
    runs = office.folder / "reports" / "runs.jsonl"
    runs.write_text(runs.read_text().replace(office.store.base_url, "https://other.example/v1"))
    run = office.run(now=FIRST + MINUTE)
    assert run.exit_code is ExitCode.DISK and "another store" in str(run)
    assert office.run(1).exit_code is ExitCode.DONE


def test_the_day_is_that_of_the_time_zone(
    tmp_path: Path, stores: Callable[..., FlakyStore]
) -> None:
    """Six in the morning in Sydney has the day of Sydney in every file, with its zone."""
    office = Office(tmp_path, stores(has_links=True), "Australia/Sydney")
    run = office.run(now=datetime(2026, 1, 11, 19, 0, tzinfo=UTC))
    assert run.folder is not None and run.folder.name == "2026-01-12"
    history = pf.History(office.folder / "history", timezone="Australia/Sydney")
    assert history.snapshots()["date"].dt.day.tolist() == [12]
    for book in ("stock.xlsx", "compare ours.csv.xlsx"):
        assert "2026-01-12 06:00 AEDT" in texts(run.folder / book)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('journal = "j"\nhistroy = "h"\n', 2, "history"),
        ('api_key = "secret"\n', 1, "PETSTORE_API_KEY"),
        ('timezone = "Europe/Zurch"\n', 1, "Europe/Zurich"),
        ('load = {api_key = "secret"}\n', 1, "load: "),
        *(
            (f'\n{folder} = "weekly.toml"\n', 2, f"{folder}: must be a folder, and ")
            for folder in ("journal", "output", "history")
        ),
    ],
)
def test_a_wrong_word_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    """The refusal has the line, and the nearest right word or what is right; nothing is sent."""
    path = tmp_path / "weekly.toml"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        pf.weekly.run(path)
    assert refused.value.line == line and said in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_damaged_line_of_the_log_is_named_by_its_number(office: Office) -> None:
    """Nothing is sent or replaced until the line is removed, and the check says the same."""
    office.run()
    office.run(1)
    log = office.folder / "reports" / "runs.jsonl"
    first, second = log.read_text().splitlines()
    posts = office.store.posts
    for damage in ('{"day"', "[]", "{}", "\x00\x00"):
        log.write_text("\n".join([first, damage, second, ""]))
        for attempt in (lambda: office.run(2), lambda: pf.weekly.check(office.path)):
            with pytest.raises(InputError, match="remove the line") as refused:
                attempt()
            assert refused.value.line == 2
        assert office.store.posts == posts and log.read_text().splitlines()[1] == damage
    log.write_text("\n".join([first, second, ""]))
    assert office.run(2).exit_code is ExitCode.DONE


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (pf.errors.JournalLockedError("another import"), ExitCode.LOCKED),
        (pf.errors.JournalError("damaged"), ExitCode.DISK),
        (pf.errors.APIConnectionError("no answer"), ExitCode.STORE),
        (pf.errors.ContractError("not JSON"), ExitCode.STORE),
        (pf.errors.InputError("no such column"), ExitCode.INVALID),
        (pf.errors.ArgumentError("max_drop"), ExitCode.INVALID),
        (ZeroDivisionError(), ExitCode.INTERNAL),
        (pf.errors.LoadStoppedError("", None, Ending.BUDGET), ExitCode.TOO_MANY_ERRORS),
        (pf.errors.LoadStoppedError("", None, Ending.JOURNAL), ExitCode.DISK),
        (pf.errors.LoadStoppedError("", None, Ending.OUTAGE), ExitCode.STORE),
    ],
)
def test_an_error_of_a_step_has_an_outcome(error: Exception, outcome: ExitCode) -> None:
    """A step that ends with an error gives the run the outcome of that error's exit code."""
    assert pf.errors.exit_code_of(error) is outcome


def test_a_listing_that_may_be_a_part_has_one_exit_code(office: Office) -> None:
    """Every command that reads the store ends with 8 if it is not known to have read all pets."""
    office.store.add({"name": "Sold", "categoryId": 2, "status": "sold"})
    office.store.has_links, office.store.page_cap = False, 10
    folder, address = office.folder, f"--base-url {office.store.base_url}"
    lines = [
        f"fetch --output {folder}/pets.csv",
        f"report --output {folder}/stock.xlsx",
        f"snapshot --history {folder}/days",
        f"compare {folder}/ours.csv --on name",
    ]
    ended = [typed(f"petstore-frame {line} {address}", PETSTORE_API_KEY=KEY) for line in lines]
    assert [run.exit_code for run in ended] == [ExitCode.NOT_COMPLETE] * 4, ended[0].stdout
    assert office.run().exit_code == ExitCode.NOT_COMPLETE


def test_an_excluded_row_without_a_pet_needs_nobody(office: Office) -> None:
    """A comparison is mentioned only if list and store do not agree."""
    (office.folder / "by_tag.toml").write_text('key = "tag"\n[exclude]\nstatus = ["adopted"]\n')
    office.write("ours.csv", "A1,Ada,1,sold", "A2,Bob,1,sold", "A9,Cy,1,adopted")
    office.store.pets.clear()
    run = office.run()
    assert run.exit_code is ExitCode.DONE and run.attention == []
    assert run.facts["comparisons"][0]["kinds"] == {"same": 2, "excluded": 1}


def test_a_list_in_question_leaves_numbers(office: Office) -> None:
    """If a list of categories contradicts earlier files, files show numbers, and the code is 9."""
    (office.folder / "names.csv").write_text("id,name\n1,Dog\n2,Cat\n")
    office.path.write_text('categories = "names.csv"\n' + office.path.read_text())
    recipe = 'key = "tag"\ncategories = "names.csv"\n'
    (office.folder / "by_tag.toml").write_text(recipe)
    assert office.run().exit_code == 0
    (office.folder / "names.csv").write_text("id,name\n1,Hund\n2,Cat\n")
    (office.folder / "by_tag.toml").write_text('key = "tag"\n')
    run = office.run(1)
    assert run.exit_code == 9 and run.folder is not None
    assert "rename_categories = [1]" in (run.folder / "question categories.txt").read_text()
    assert "category" not in pd.read_csv(run.folder / "stock.csv")
    office.path.write_text("rename_categories = [1]\n" + office.path.read_text())
    run = office.run(2)
    assert run.exit_code == 0 and run.folder is not None
    assert set(pd.read_csv(run.folder / "stock.csv")["category"]) == {"Hund", "Cat"}
