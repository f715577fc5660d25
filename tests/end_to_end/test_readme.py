"""What the README and two pages show is typed here, in order, in an empty folder."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import petstore_frame as pf
from end_to_end.shell import started, typed
from threaded import Server, serve

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MONDAY = (ROOT / "docs/how_to/weekly.md").read_text(encoding="utf-8")
SHELL = (ROOT / "docs/how_to/shell.md").read_text(encoding="utf-8")


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_first_two_commands_are_the_ones_that_ci_runs() -> None:
    """CI types the README's own test command, and the README opens with it and the demo."""
    first, second = [block.strip() for block in blocks("bash")]
    assert first == 'python -m pip install ".[all]" && petstore-frame demo'
    assert second in (ROOT / ".ci/run").read_text(encoding="utf-8").replace("--quiet ", "")


OUTPUTS = """
print(inventory.completeness)
with pf.serve(sample=500, seed=7, spec_only=True) as bare, bare.client() as client:
    print(pf.fetch_inventory(client).completeness)
(row,) = result.fix[result.fix["line"] == 96].to_dict("records")
print("line {line}, {error_column} `{error_value}`: {hint}".format(**row))
"""


def test_python_blocks_run(tmp_path: Path) -> None:
    """The README's Python runs twice without a warning, and prints to the letter what it shows."""
    script = "\n".join([*blocks("python"), OUTPUTS])
    twice = f"for turn in range(2):\n    exec({script!r}, {{}})\n"
    (tmp_path / "readme.py").write_text(twice, encoding="utf-8")
    home = {name: str(tmp_path / "home") for name in ("HOME", "XDG_STATE_HOME")}
    run = subprocess.run(
        [sys.executable, "-W", "error", "readme.py"],
        cwd=tmp_path, env={**os.environ, **home}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    whole, bare, row, *_ = run.stdout.splitlines()
    assert f"\n| `{whole}` | `{bare}` | {row} |\n" in README


def test_the_rows_of_the_frame_are_real() -> None:
    """The three rows that the README shows are those of its sample store."""
    with serve(sample=500, seed=7) as server, server.client() as client:
        frame = pf.fetch_inventory(client).frame.head(3)
    rows = frame.to_csv(index=False, sep="|", lineterminator="\n").splitlines()
    shown = [f"| {row.replace('|', ' | ')} |" for row in rows]
    assert "\n".join([shown[0], "|---:|---|---:|---|", *shown[1:]]) in README


def test_every_figure_is_a_measured_one() -> None:
    """Each figure of a promise or of another library is in the tables of the benchmarks."""
    benchmarks = (ROOT / "benchmarks/README.md").read_text(encoding="utf-8")
    tables = README.partition("| promise |")[2].partition("## Where to go next")[0]
    rows = [line for line in tables.splitlines() if line.startswith(("| ", "|--"))]
    figures = set(re.findall(r"\d[\d,]*(?:\.\d+)?\d", " ".join(rows))) - {"0.2", "500"}
    assert len(figures) > 15
    unknown = {figure for figure in figures if not re.search(rf"\b{figure}\b", benchmarks)}
    assert unknown == set()


def test_the_weekly_of_the_page_runs(server_here: Server, tmp_path: Path) -> None:
    """The settings of the page load, keep, compare and write the folder, line by line as shown."""
    init, *lines = [line for block in blocks("bash", MONDAY) for line in block.splitlines()]
    assert typed(init).exit_code == 0 and "write" in pf.weekly.plan("weekly.toml")
    (settings,) = blocks("toml", MONDAY)
    text = settings.replace("https://store.example/v1", server_here.base_url)
    (tmp_path / "inbox").mkdir()
    for name, content in {
        "weekly.toml": text,
        "arrivals.toml": 'key = "tag"\n',
        "ours.toml": 'key = "tag"\n',
        "inbox/new.csv": "tag,name,category_id,status\nA1,Ada,1,sold\n",
    }.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    pf.sample_data.write_sample_categories(tmp_path / "categories.csv")
    ours = pd.DataFrame({"tag": ["A1"], "name": ["Ada"], "category_id": [1], "status": ["sold"]})
    ours.to_excel(tmp_path / "ours.xlsx", index=False)
    ended = [typed(line) for line in lines]
    assert [run.exit_code for run in ended] == [0, 0, 0], [run.output for run in ended]
    assert typed(init).exit_code == 2  # there is one already
    assert len(list(tmp_path.glob("reports/*/stock.xlsx"))) == 1


def test_the_exit_codes_of_the_page() -> None:
    """The page lists every outcome in its order with its code."""
    codes = [int(code) for code in re.findall(r"^\| (\d+) \|", MONDAY, re.MULTILINE)]
    assert codes == [*pf.errors.ExitCode]


def test_shell_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store of the one terminal serves the lines typed in the other, all as they stand."""
    # A shell says what each line asks for; the commands run here, as Python need start but once.
    serve, lines = [block.strip() for block in blocks("bash", SHELL)]
    shim = 'petstore-frame() { printf "%q " "$PETSTORE_BASE_URL" "$PETSTORE_API_KEY" "$@"; echo; }'
    monkeypatch.chdir(tmp_path)
    with started(serve, "--port", "0") as (_, first):
        (address,) = re.findall(r":\d+/v1", first)
        script = f"{shim}\n{lines}".replace(":8080/v1", address)
        run = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, check=True)
        for base_url, key, *asked in map(shlex.split, run.stdout.splitlines()):
            place = {"PETSTORE_BASE_URL": base_url, "PETSTORE_API_KEY": key}
            home = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
            fewer = ["--rows", "100"] if asked[0] == "sample" else []
            done = typed("petstore-frame", *asked, *fewer, **place, **home)
            # 1 where the sample's spoilt rows are to be fixed.
            assert done.exit_code <= 1 and "error" not in done.stderr, done.output
    assert len(run.stdout.splitlines()) == lines.count("\npetstore-frame ")
    assert {"results", "pets.csv", "stock.xlsx", "history"} <= {
        path.name for path in tmp_path.iterdir()
    }


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
    (folder / "categories.csv").write_text("id,name\n1,Dog\n2,Cat\n")


def test_the_lines_of_the_page_answer_as_it_shows(server_here: Server, tmp_path: Path) -> None:
    """From three awkward files to created pets, each command and its answer as printed there."""
    write_files(tmp_path)
    shown = "".join(blocks("console", SHELL)).replace("\\\n", "")
    steps = [step.split("\n", 1) for step in re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]]
    for command, answer in steps:
        if "results/fix.csv" in command:
            fix = tmp_path / "results" / "fix.csv"
            fix.write_text(fix.read_text("utf-8-sig").replace("on hold", "pending"), "utf-8")
        done = typed(command)  # its code is not asked
        printed = done.stdout + done.stderr
        assert doctest.OutputChecker().check_output(answer, printed, ALIKE), f"{command}\n{printed}"
    with server_here.client() as client:
        assert len(pf.fetch_inventory(client)) == 9 + 8 + 9
