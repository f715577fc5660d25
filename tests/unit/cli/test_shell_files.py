"""What a shell prints about files: their names as they were typed, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from end_to_end.shell import print_of, typed
from shop import Shop


def test_a_weekly_run_names_its_folder_as_the_settings_do(office: Shop) -> None:
    """Paths that are relative to a relative settings file stay relative."""
    Path("jobs").mkdir()
    Path("jobs/weekly.toml").write_text('journal = "../j"\nhistory = "days"\n', encoding="utf-8")
    text = print_of("weekly jobs/weekly.toml")
    assert "wrote jobs/reports/20" in text
    assert str(office.folder) not in text
    assert "write jobs/reports/20" in print_of("weekly jobs/weekly.toml --dry-run")


def test_a_question_of_a_weekly_run_has_the_command_that_answers(office: Shop) -> None:
    """The file with the question ends with the command to add the answer to."""
    rows = [f"Pet {number},1" for number in range(9)]
    office.write("a.csv", "name,categoryId", *rows)
    office.write("b.csv", "name,categoryId", *rows[::-1])
    Path("weekly.toml").write_text('journal = "j"\n[[load]]\nfiles = "[ab].csv"\n')
    print_of("weekly")
    (question,) = Path("reports").glob("*/question b.csv.txt")
    *_, command = question.read_text(encoding="utf-8").splitlines()
    address = f"--base-url {office.store.base_url}"
    assert command.strip() == "petstore-frame load b.csv --journal j"
    assert typed(f"{command.strip()} {address} --duplicates skip").exit_code == 0


def test_a_printed_command_names_the_journal_as_it_was_typed(office: Shop) -> None:
    """A path such as ../j is not replaced by the folder that it means."""
    office.write("a.csv", "tag,name", "1,", "2,Bo")
    text = print_of("load a.csv --key tag --journal ../j --output results")
    assert "petstore-frame load results/fix.csv --journal ../j\n" in text


@pytest.mark.parametrize("name", ["XDG_STATE_HOME", "HOME"])
def test_a_state_folder_that_cannot_be_made_is_named(
    name: str, office: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the variable and the alternative, and no journal is said to be gone."""
    office.write("a.csv", "tag,name", "1,Ada")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv(name, str(office.folder / "a.csv" / "x"))
    ended = typed("petstore-frame load a.csv --key tag")
    assert (ended.exit_code, office.pets) == (6, [])
    assert f"which is from {name}, cannot be created" in ended.stderr
    assert "--journal" in ended.stderr and "gone" not in ended.stderr


def test_a_named_journal_that_cannot_be_made_is_named(office: Shop) -> None:
    """An error about a folder that the user named does not blame the environment."""
    office.write("a.csv", "tag,name", "1,Ada")
    ended = typed("petstore-frame load a.csv --key tag --journal a.csv/j")
    assert ended.exit_code == 6 and "XDG_STATE_HOME" not in ended.stderr
    assert "a.csv/j cannot be created" in ended.stderr and "name another one" in ended.stderr


@pytest.mark.parametrize("command", ["load", "compare --on name", "recipe"])
def test_a_list_that_is_missing_has_a_next_step(command: str, office: Shop) -> None:
    """Each command that reads a list says what to check."""
    name, *options = command.split()
    ended = typed(f"petstore-frame {name} nofile.csv", *options)
    assert ended.exit_code == 2
    assert ended.stderr.rstrip().endswith("No such file or directory; check its path")
    assert office.pets == []


@pytest.mark.parametrize(
    "line", ["load {}", "compare {} --on name", "compare {} --on id", "recipe {}"]
)
def test_a_damaged_parquet_file_is_explained(line: str, office: Shop) -> None:
    """Our own sentence has the file and the next step, whatever part of the file is damaged."""
    table = {"id": range(1, 500), "name": "Ada", "category_id": 1, "status": "sold"}
    pd.DataFrame(table).to_parquet("whole.parquet")
    whole = Path("whole.parquet").read_bytes()
    damaged = {
        "cut.parquet": whole[:300],
        "changed.parquet": whole[:20] + b"x" * 60 + whole[80:],
        "other.parquet": bytes(range(128, 256)),
    }
    for name, data in damaged.items():
        Path(name).write_bytes(data)
        ended = typed(f"petstore-frame {line.format(name)}")
        assert ended.exit_code == 2
        assert ended.stderr.startswith(f"error: {name}")
        assert "Parquet file" in ended.stderr and "again" in ended.stderr
        assert "corrupted" not in ended.stderr
    assert office.pets == []
