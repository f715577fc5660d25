"""The awkward files of the page on the shell, loaded by the lines that it shows."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from threaded import Server

PAGE = Path(__file__).parents[2] / "docs/how_to/shell.md"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ALIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def write_files(folder: Path) -> None:
    """Write the three files, and the labels of two categories."""
    german = [f"K{at};Bärbel {at};{at % 4 + 1};available" for at in range(8)]
    lines = ["Tiernummer;Tiername;Kategorie;Status", *german, "K8;Zoë;2;reserved"]
    (folder / "kunden.csv").write_bytes("\r\n".join(lines).encode("cp1252"))
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Arrivals"
    sheet["A1"] = "Arrivals of November"
    sheet.merge_cells("A1:D1")
    sheet.append([])
    sheet.append(["Tag", "Pet name", "Category", "Status"])
    for at in range(8):
        sheet.append([f"W{at}", f"Luna {at}", at % 4 + 1, "on hold" if at == 2 else "available"])
    book.create_sheet("Prices").append(["Item", "Price"])
    book.save(folder / "november.xlsx")
    labels = [f"L{at},Milo {at},{('Dog', 'Cat', 'Dragon')[at % 3]},available" for at in range(9)]
    (folder / "labels.csv").write_text("\n".join(["tag,name,category,status", *labels]))
    (folder / "categories.csv").write_text("category_id,label\n1,Dog\n2,Cat\n")


def correct(path: Path) -> None:
    """Write the status that a person would, on the sheet Fix."""
    book = openpyxl.load_workbook(path)
    header = [cell.value for cell in book["Fix"][1]]
    book["Fix"].cell(2, header.index("Status") + 1).value = "pending"
    book.save(path)


def test_the_lines_of_the_page_answer_as_it_shows(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From three awkward files to created pets, each command and its answer as printed there."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    environ = {
        "PETSTORE_BASE_URL": server.base_url,
        "PETSTORE_API_KEY": server.api_key.get_secret_value(),
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    shown = "".join(CONSOLE.findall(PAGE.read_text(encoding="utf-8"))).replace("\\\n", "")
    steps = [step.split("\n", 1) for step in re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]]
    for command, answer in steps:
        if "results.xlsx" in command:
            correct(tmp_path / "results" / "results.xlsx")
        program, *words = shlex.split(command)
        done = CliRunner().invoke(app, words, env=environ)  # its code is not asked
        told = done.stdout + done.stderr
        assert program == "petstore-frame"
        assert doctest.OutputChecker().check_output(answer, told, ALIKE), f"{command}\n{told}"
    with server.client() as client:
        assert len(pf.fetch_inventory(client)) == 9 + 8 + 9
