"""Breaks one rule of the loader after another, and names those that no test notices.

    python tests/campaigns/mutations.py [PART OF A NAME] [--log FILE]

Each edit is made in a copy of the package, which is then tested with the tests that must fail.
With a log, a later run repeats only edits that were not noticed, or whose file or tests changed
since; those that were never tried come first, then those that took least time.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import pytest
from mutation_list import EDITS, Edit

ROOT = Path(__file__).parents[2]
LONGEST_S = 600
NOTICED = "noticed"
# The exit codes of pytest.
PASSED, FAILED = 0, 1
# What the package and its tests import.
LIBRARIES = ("httpx", "hypothesis", "msgspec", "numpy", "openpyxl", "pandas", "pydantic")
# Python cannot run these at all, so they say nothing about a rule.
BROKEN = re.compile(r"^E +(NameError|SyntaxError|IndentationError|UnboundLocalError)\b.*", re.M)
FAILED_TEST = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.M)


class Trial(NamedTuple):
    """What came of one edit; ``texts`` is a digest of its file, its tests and the edit itself."""

    name: str
    texts: str
    outcome: str
    seconds: float
    test: str = ""  # the first test that failed


def try_edit(edit: Edit) -> Trial:
    """Run the tests of an edit with its rule broken: "noticed" if they fail, else "SURVIVES"."""
    texts = digest(edit)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "src")
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        path = copy / edit.file
        text = path.read_text(encoding="utf-8")
        if edit.old not in text:
            return Trial(edit.name, texts, "NO SUCH TEXT", 0.0)
        path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        outcome, test = run_tests(edit.tests, copy)
    return Trial(edit.name, texts, outcome, round(time.monotonic() - start, 1), test)


def run_tests(tests: str, package: Path) -> tuple[str, str]:
    """Return the outcome of tests with a copy of the package, and the first that failed."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as output:
        # A fork has the libraries already, which take most of the time of a short test.
        process = get_context("fork").Process(
            target=_run_pytest, args=(tests.split(), package, output.name)
        )
        process.start()
        process.join(LONGEST_S)
        if process.is_alive():
            process.kill()
            process.join()
            return f"{NOTICED} (hangs)", ""
        text = output.read()
    if process.exitcode == PASSED:
        return "SURVIVES", ""
    broken = BROKEN.search(text)
    if process.exitcode != FAILED or broken:
        return f"BROKEN EDIT: {broken.group() if broken else text[-300:]}", ""
    failed = FAILED_TEST.search(text)
    return NOTICED, failed.group(1) if failed else ""


def _run_pytest(tests: list[str], package: Path, output: str) -> None:
    """Run tests with a copy of the package, also in the processes that they start, and exit."""
    with Path(output).open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = str(package)
    sys.path.insert(0, str(package))
    # Without rewritten assertions, because libraries with pytest plugins are imported already.
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--assert=plain"]
    code = pytest.main([*options, *tests])
    used = Path(importlib.import_module("petstore_frame").__file__ or "")
    sys.exit(int(code) if used.is_relative_to(package) else "the copy was not used")


def digest(edit: Edit) -> str:
    """Return a digest of the texts that decide about an edit; other modules may matter too."""
    texts = [repr(edit).encode(), (ROOT / "src" / edit.file).read_bytes()]
    for test in edit.tests.split():
        path = ROOT / test.partition("::")[0]
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        texts += [file.read_bytes() for file in files]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


def read_log(file: Path | None) -> dict[str, Trial]:
    """Return the latest trial of each edit."""
    if file is None or not file.exists():
        return {}
    trials = [Trial(*json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    return {trial.name: trial for trial in trials}


def is_done(edit: Edit, trials: dict[str, Trial]) -> bool:
    """Return whether an edit was noticed, and nothing that decides about it changed since."""
    trial = trials.get(edit.name)
    return trial is not None and trial.outcome.startswith(NOTICED) and trial.texts == digest(edit)


def main() -> None:
    """Try the edits, and print a table of all; exit with 1 if one of them is not noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="?", default="", help="try edits with this in their name")
    parser.add_argument("--log", type=Path, help="file that keeps the outcomes for a later run")
    options = parser.parse_args()
    edits = [edit for edit in EDITS if options.part in edit.name]
    trials = read_log(options.log)
    to_try = [edit for edit in edits if not is_done(edit, trials)]
    to_try.sort(key=lambda edit: trials[edit.name].seconds if edit.name in trials else 0.0)
    for library in LIBRARIES:
        importlib.import_module(library)
    for count, edit in enumerate(to_try, start=1):
        trial = try_edit(edit)
        trials[edit.name] = trial
        if options.log is not None:
            with options.log.open("a", encoding="utf-8") as log:
                log.write(f"{json.dumps(trial)}\n")
        progress = f"{count} of {len(to_try)}, {trial.seconds} s: {edit.name}: {trial.outcome}"
        print(progress, file=sys.stderr, flush=True)

    print("| rule | file | outcome | first test that fails |\n|---|---|---|---|")
    for edit in edits:
        trial = trials[edit.name]
        file = edit.file.removeprefix("petstore_frame/")
        test = trial.test.replace("|", "\\|")
        print(f"| {edit.name} | {file} | {trial.outcome} | {test} |")
    outcomes = [trials[edit.name].outcome for edit in edits]
    sys.exit(any(not outcome.startswith(NOTICED) for outcome in outcomes))


if __name__ == "__main__":
    main()
