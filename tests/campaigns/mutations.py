"""Breaks one rule of the loader after another, and names those that no test notices.

    python tests/campaigns/mutations.py [PART OF A NAME]

Each edit is made in a copy of the package, which is then tested with the tests that must fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mutation_list import EDITS, Edit

ROOT = Path(__file__).parents[2]
LONGEST_S = 600
# The exit codes of pytest.
PASSED, FAILED = 0, 1


def outcome_of(edit: Edit) -> str:
    """Return "noticed" if the tests fail with a rule broken, "SURVIVES" if they pass."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "src")
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        path = copy / edit.file
        text = path.read_text(encoding="utf-8")
        if text.count(edit.old) == 0:
            return "NO SUCH TEXT"
        path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
        environment = os.environ | {"PYTHONPATH": str(copy)}
        try:
            done = subprocess.run(
                [*command, *edit.tests.split()],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                timeout=LONGEST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "noticed (hangs)"
    if done.returncode == FAILED:
        return "noticed"
    if done.returncode == PASSED:
        return "SURVIVES"
    # The tests did not run: the edit is no Python, for instance.
    return f"BROKEN EDIT: {done.stdout[-300:]}{done.stderr[-300:]}"


def main() -> None:
    """Try each edit, and print a table; the exit code is the number of edits not noticed."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    not_noticed = 0
    print("| rule | file | tests | outcome |\n|---|---|---|---|")
    for edit in EDITS:
        if part not in edit.name:
            continue
        outcome = outcome_of(edit)
        not_noticed += not outcome.startswith("noticed")
        file = edit.file.removeprefix("petstore_frame/")
        print(f"| {edit.name} | {file} | {edit.tests} | {outcome} |", flush=True)
    sys.exit(not_noticed)


if __name__ == "__main__":
    main()
