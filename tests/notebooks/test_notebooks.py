"""Every notebook runs from top to bottom, and is kept without outputs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def sources(notebook: Path) -> list[dict]:
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(notebook: Path) -> None:
    """A committed notebook holds no output, no count and so no key."""
    code = [cell for cell in sources(notebook) if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_dashboard_stays_on_the_screen(notebook: Path) -> None:
    """Run All leaves the dashboards live: no cell closes one, or the store behind it."""
    code = [cell for cell in sources(notebook) if cell["cell_type"] == "code"]
    text = "".join(line for cell in code for line in cell["source"])
    assert not ("pf.Dashboard(" in text and ".close()" in text)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    """A notebook runs on a fresh machine, in an empty folder, without an error or a key shown."""
    home = {name: str(tmp_path / "home") for name in ("HOME", "IPYTHONDIR", "XDG_STATE_HOME")}
    # A kernel works where its notebook lies, and this one must find an empty folder.
    copy = shutil.copy(notebook, tmp_path)
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", copy]
    run = subprocess.run(
        [*command, "--output", "executed"],
        env={**os.environ, **home, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert "Bearer" not in (tmp_path / "executed.ipynb").read_text(encoding="utf-8")
