"""LibreOffice, as a person would use it: a file is opened, and saved as something else."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

SOFFICE = shutil.which("soffice")
NEEDED = [
    pytest.mark.skipif(SOFFICE is None, reason="LibreOffice (soffice) is not installed"),
    # One LibreOffice at a time: each start takes a core for seconds.
    pytest.mark.xdist_group("libreoffice"),
]


def save_as(path: Path, kind: str, folder: Path, profile: Path, *options: str) -> Path:
    """Open a file, recalculate it, and save it in a folder as another kind."""
    return save_all_as([path], kind, folder, profile, *options)[0]


def save_all_as(
    paths: Sequence[Path], kind: str, folder: Path, profile: Path, *options: str
) -> list[Path]:
    """Do so with several files and one start of the program."""
    command = [str(SOFFICE), f"-env:UserInstallation=file://{profile}", "--headless", *options]
    command += ["--convert-to", kind, "--outdir", str(folder), *map(str, paths)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return [folder / f"{path.stem}.{kind.partition(':')[0]}" for path in paths]
