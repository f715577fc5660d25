"""What the README tells a newcomer to type is typed here, in order, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    typed = [line.split("  #")[0].strip() for line in lines if line.startswith("petstore-frame")]
    # These two run until they are interrupted; the conformance and browser tests run them.
    return [line for line in typed if line.split()[1] not in ("serve", "dashboard")]


def test_the_first_two_commands_are_the_ones_that_ci_runs() -> None:
    """CI types the README's own test command, and the README opens with it and the demo."""
    first, second = [block.strip() for block in blocks("bash")[:2]]
    assert first == "python -m pip install '.[all]' && petstore-frame demo"
    assert second in (ROOT / ".ci/run").read_text(encoding="utf-8").replace("--quiet ", "")


def test_python_blocks_run(tmp_path: Path) -> None:
    """The README's Python, put end to end, runs in a fresh process without a warning."""
    script = tmp_path / "readme.py"
    script.write_text("\n".join(blocks("python")), encoding="utf-8")
    home = {name: str(tmp_path / "home") for name in ("HOME", "XDG_STATE_HOME")}
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path, env={**os.environ, **home}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory):
    """An empty folder and a running store, as the README's shell lines expect them."""
    from petstore_frame.server import serve

    folder = tmp_path_factory.mktemp("readme")
    with serve(sample=300, seed=7, api_key="readme-key-0123456789") as server:
        yield (
            folder,
            {
                **os.environ,
                "HOME": str(folder / "home"),
                "XDG_STATE_HOME": str(folder / "home"),
                "PETSTORE_BASE_URL": server.base_url,
                "PETSTORE_API_KEY": "readme-key-0123456789",
            },
        )


@pytest.mark.xdist_group("readme")
@pytest.mark.parametrize(
    "line", [c for c in commands() if " serve" not in c and " dashboard" not in c]
)
def test_shell_lines_run(line: str, shop: tuple[Path, dict[str, str]]) -> None:
    """Each of the README's petstore-frame lines ends well, in the order in which they stand."""
    folder, env = shop
    words = [sys.executable, "-m", "petstore_frame", *shlex.split(line)[1:]]
    run = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr  # 1: done, and some rows are to be mended
    assert "Traceback" not in run.stderr


def test_every_command_is_in_the_readme() -> None:
    """A command that the README does not show is a command that nobody finds."""
    from petstore_frame.cli import app

    names = {command.name for command in app.registered_commands if not command.hidden}
    names |= {group.name for group in app.registered_groups}
    assert {name for name in names if f"petstore-frame {name}" not in README} == set()
