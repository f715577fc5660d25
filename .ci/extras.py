"""Install the wheel without extras and with each extra, and run every command there.

Usage: python .ci/extras.py petstore_frame-0.6.0-py3-none-any.whl   (needs uv, and all extras here)

Every environment is new. The base runs all commands, an extra those that need one. A command must
either work, or end with exit code 2 and the line that installs the missing extra. The store for
them runs in this environment. Prints the packages, the size and the seconds of each installation.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import petstore_frame as pf

# Which extras each command needs; none if the base is enough.
COMMANDS = {
    ("--version",): (),
    ("--help",): (),
    ("sample", "--rows", "20", "--output", "sample.csv"): (),
    ("fetch", "--output", "pets.csv"): (),
    ("load", "arrivals.csv", "--key", "tag", "--journal", "journal", "--output", "results"): (),
    ("compare", "arrivals.csv", "--key", "tag", "--journal", "journal"): (),
    ("report", "--output", "stock.csv"): (),
    ("report", "--output", "stock.html"): (),
    ("report", "--output", "stock.xlsx"): ("excel",),
    ("fetch", "--output", "pets.parquet"): ("history",),
    ("snapshot", "--history", "history"): ("history",),
    ("trend", "--history", "../kept"): ("history",),
    ("api-keys",): ("service",),
    ("serve", "--port", "0", "--api-key-file", "key"): ("service",),
    ("dashboard", "--no-browser"): ("lab",),
}
# An extra, and the extras whose libraries it includes.
EXTRAS = {
    "": (),
    "notebook": (),
    "excel": ("excel",),
    "history": ("history",),
    "service": ("service",),
    "postgres": (),
    "lab": ("lab",),
    "polars": ("history",),
    "png": (),
}
KEEPS_RUNNING = {"serve", "dashboard"}
DEADLINE_S = 180  # a dashboard starts in a few seconds on an idle machine


def run_command(program: str, words: tuple[str, ...], folder: Path, environ: dict[str, str]) -> str:
    """Return ``works``, or the extra that the command names as missing.

    Raises:
        SystemExit: It does neither.
    """
    log = folder / "log"
    with log.open("w+") as output:
        process = subprocess.Popen(
            [program, *words],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        deadline = time.monotonic() + DEADLINE_S
        while process.poll() is None and time.monotonic() < deadline:
            if words[0] in KEEPS_RUNNING and "http://" in log.read_text():
                process.send_signal(signal.SIGTERM)
                process.wait(DEADLINE_S)
                return "works"
            time.sleep(0.05)
        if process.poll() is None:
            process.kill()
        code = process.wait()
    text = log.read_text()
    if code in (0, 1) and "Traceback" not in text:  # 1: done, with something to say
        return "works"
    for extra in EXTRAS:
        if code == 2 and extra and f'pip install "petstore-frame[{extra}]"' in text:
            return extra
    raise SystemExit(f"{' '.join(words)} ended with {code}:\n{text[-2000:]}")


def check(wheel: Path, extra: str, top: Path, environ: dict[str, str]) -> str:
    """Install one extra into a new environment, run the commands, and return a line of results."""
    folder = top / (extra or "base")
    folder.mkdir()
    home = folder / "venv"
    subprocess.run(["uv", "venv", "-q", "--python", sys.executable, str(home)], check=True)
    target = f"petstore-frame[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
    install = ["uv", "pip", "install", "-q", "--python", str(home / "bin/python"), target]
    began = time.monotonic()
    subprocess.run(install, check=True)
    seconds = time.monotonic() - began
    (folder / "arrivals.csv").write_text("tag,name,category_id,status\nA1,Ada,3,sold\nA2,Bo,2,\n")
    row = []
    for words, needs in COMMANDS.items():
        if extra and not needs:
            continue
        state = run_command(str(home / "bin/petstore-frame"), words, folder, environ)
        missing = [name for name in needs if name not in EXTRAS[extra]]
        if (state == "works") != (not missing) or (missing and state != missing[0]):
            raise SystemExit(f"with [{extra}], {' '.join(words)}: {state}, expected {missing}")
        row.append(f"{words[0]} {'works' if state == 'works' else f'needs {state}'}")
    packages = len(list(home.glob("lib/*/site-packages/*.dist-info")))
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file()) / 2**20
    cost = f"{packages} packages, {size:.0f} MB, {seconds:.1f} s"
    return f"[{extra or 'base'}]: {cost}; {', '.join(row)}"


@contextmanager
def environment(folder: Path) -> Iterator[dict[str, str]]:
    """Start a store, write a snapshot, and yield the environment variables that name them."""
    with pf.serve(sample=30, database=folder / "store.sqlite3") as server:
        with server.client() as client:
            pf.History(folder / "kept").add(pf.fetch_inventory(client, progress=False))
        yield {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PETSTORE_BASE_URL": server.base_url,
            "PETSTORE_API_KEY": server.api_key.get_secret_value(),
        }


def main() -> None:
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as top:
        with environment(Path(top)) as environ, ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = pool.map(lambda extra: check(wheel, extra, Path(top), environ), EXTRAS)
            for row in rows:
                print(row, flush=True)
        once = ["uvx", "--from", str(wheel), "petstore-frame", "--version"]
        print(subprocess.run(once, check=True, capture_output=True, text=True).stdout, end="")


if __name__ == "__main__":
    main()
