"""What the README and two pages show is typed here, in order, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import petstore_frame as pf
from threaded import Server

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MONDAY = (ROOT / "docs/how_to/monday.md").read_text(encoding="utf-8")
SHELL = (ROOT / "docs/how_to/shell.md").read_text(encoding="utf-8")


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_first_two_commands_are_the_ones_that_ci_runs() -> None:
    """CI types the README's own test command, and the README opens with it and the demo."""
    first, second = [block.strip() for block in blocks("bash")]
    assert first == "python -m pip install '.[all]' && petstore-frame demo"
    assert second in (ROOT / ".ci/run").read_text(encoding="utf-8").replace("--quiet ", "")


def test_python_blocks_run(tmp_path: Path) -> None:
    """The README's Python, put end to end, runs without a warning, and again in the same folder.

    The output under the first block is its output, to the letter.
    """
    script = "\n".join(blocks("python"))
    twice = f"for turn in range(2):\n    exec({script!r}, {{}})\n"
    assert run_python(twice, tmp_path).startswith(blocks("text")[0])


def test_the_monday_script_runs(server: Server, tmp_path: Path) -> None:
    """The script of the page loads, keeps, compares and writes the workbook, and ends with 0."""
    (script,) = blocks("bash", MONDAY)
    for name, text in {
        "monday.sh": script,
        "petstore-frame": f'#!/bin/sh\nexec "{sys.executable}" -m petstore_frame "$@"\n',
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    pf.samples.write_sample_categories(tmp_path / "categories.csv")
    pf.samples.write_sample_csv(tmp_path / "list.csv", rows=50)
    environ = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PETSTORE_BASE_URL": server.base_url,
        "PETSTORE_API_KEY": server.api_key.get_secret_value(),
        "HOME": str(tmp_path / "home"),
        "XDG_STATE_HOME": str(tmp_path / "home"),
    }
    done = subprocess.run([tmp_path / "monday.sh"], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("stock-*.xlsx"))) == 1
    assert (tmp_path / "differences.xlsx").exists()


def run_python(text: str, folder: Path) -> str:
    """Run a script in a folder, warnings as errors; return what it prints."""
    script = folder / "readme.py"
    script.write_text(text, encoding="utf-8")
    home = {name: str(folder / "home") for name in ("HOME", "XDG_STATE_HOME")}
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=folder, env={**os.environ, **home}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_shell_blocks_run(tmp_path: Path) -> None:
    """The store of the one terminal serves the lines typed in the other, all as they stand."""
    serve, lines = [block.strip() for block in blocks("bash", SHELL)]
    port = free_port()
    words = [sys.executable, "-m", "petstore_frame", *shlex.split(serve)[1:], "--port", port]
    # A line may end with 1, as the sample's spoilt rows are to be fixed.
    script = "\n".join(f"{line}\n[ $? -le 1 ] || exit 9" for line in lines.splitlines())
    script = 'petstore-frame() { "$PYTHON" -m petstore_frame "$@"; }\n' + script
    home = {name: str(tmp_path / "home") for name in ("HOME", "XDG_STATE_HOME")}
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as store:
        assert store.stdout is not None
        assert f":{port}/v1" in store.stdout.readline()
        typed = subprocess.run(
            ["bash", "-c", script.replace(":8080/", f":{port}/")],
            cwd=tmp_path, env={**os.environ, **home, "PYTHON": sys.executable},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        store.terminate()
    assert typed.returncode == 0, typed.stderr
    assert "error" not in typed.stderr
    assert {"results", "pets.csv", "stock.xlsx", "history"} <= {
        path.name for path in tmp_path.iterdir()
    }


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return str(probe.getsockname()[1])
