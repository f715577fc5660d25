"""A journal damaged after a kill, at hundreds of places: what came of it, by the store's ledger.

    PYTHONPATH=tests python tests/campaigns/damaged_files.py --places 100

A load is killed in its middle. Its files are then damaged in a copy, the same command is run again,
and the store's pets are counted: none may be there twice, and what has lost anything must be
refused, or asked about, before a byte is sent. The store is put back to the moment of the kill
before each trial.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from faults.flaky_store import KEY, FlakyStore
from faults.load_harness import start_child
from petstore_frame.client import Client
from petstore_frame.errors import JournalError
from petstore_frame.loader import LoadResult
from petstore_frame.loader.loading import run_import
from petstore_frame.loader.source import Recipe

ROWS, COMMITS = 120, 25
# The older copy is made after the import before it, the other amid the import at this request.
OLDER_ROWS = 20
LATER = OLDER_ROWS + 15
FRAME_HEADER, PAGE, LOG_HEADER = 24, 4096, 32
Damage = Callable[[Path], None]


@dataclass
class Outcome:
    """What one kind of damage came to."""

    trials: int = 0
    refused: int = 0
    asked: int = 0
    resumed: int = 0
    doubled: int = 0
    other_errors: Counter[str] = field(default_factory=Counter)


class Scene:
    """A load killed in its middle, and the store as it was then.

    Args:
        folder: For files.
        store: An empty store.
    """

    def __init__(self, folder: Path, store: FlakyStore) -> None:
        self.folder, self.store = folder, store
        self.file = folder / "pets.csv"
        lines = "".join(f"Pet {n},{n % 7 + 1},\n" for n in range(ROWS))
        self.file.write_text(f"name,categoryId,status\n{lines}")
        older = folder / "older"
        # An import before it, so that the older copy is a journal with a past.
        first = folder / "first.csv"
        first.write_text(
            "name,categoryId,status\n" + "".join(f"Old {n},1,\n" for n in range(OLDER_ROWS))
        )
        self._load(first, folder / "journal")
        shutil.copytree(folder / "journal", older)
        early = folder / "early"

        def keep(number: int, stage: str) -> None:
            if number == LATER and stage == "headers" and not early.exists():
                shutil.copytree(folder / "journal", early)

        store.on_post = keep
        child = start_child(folder, self.file, store, step="committed", nth=COMMITS, workers=4)
        child.wait(60)
        store.on_post = lambda number, stage: None
        store.settle()
        self.killed, self.older, self.early = folder / "killed", older, early
        (folder / "journal").rename(self.killed)
        self._pets, self._last = dict(store.pets), store._last_id

    def _load(self, file: Path, journal: Path) -> LoadResult:
        with Client(self.store.base_url, KEY, timeout=5.0, retry_timeout=0) as client:
            return run_import(file, client, Recipe(), workers=4, journal=journal, progress=False)

    def try_out(self, damage: Damage, outcome: Outcome) -> None:
        """Damage a copy of the journal, run the same load again, and count."""
        self.store.pets, self.store._last_id = dict(self._pets), self._last
        place = self.folder / "trial"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.killed, place)
        damage(place)
        posts = self.store.posts
        outcome.trials += 1
        try:
            result = self._load(self.file, place)
            outcome.resumed += 1
            outcome.asked += result.counts["possible_duplicate"] > 0
        except JournalError:
            outcome.refused += self.store.posts == posts
            outcome.other_errors["sent before it was refused"] += self.store.posts != posts
        except Exception as problem:  # whatever escapes is a finding
            outcome.other_errors[type(problem).__name__] += 1
        counts = self.store.pet_counts()
        outcome.doubled += sum(n - 1 for (name, *_), n in counts.items() if name.startswith("Pet"))
        outcome.other_errors = +outcome.other_errors

    def damages(self, places: int, draw: random.Random) -> Iterator[tuple[str, Damage]]:
        """Yield kinds of damage, each as often as it has places."""
        (database,) = (path.name for path in self.killed.glob("*.sqlite3"))
        log, count = f"{database}-wal", f"{database}.commits"
        size = (self.killed / log).stat().st_size
        frames = (size - LOG_HEADER) // (FRAME_HEADER + PAGE)
        yield "nothing", lambda place: None
        yield "log removed", lambda place: (place / log).unlink()
        yield "log emptied", lambda place: (place / log).write_bytes(b"")
        for frame in _some(range(frames), places, draw):
            end = LOG_HEADER + frame * (FRAME_HEADER + PAGE)
            yield "log cut at a frame", lambda place, end=end: _cut(place / log, end)
            more = end + draw.randrange(1, FRAME_HEADER + PAGE)
            yield "log cut within a frame", lambda place, end=more: _cut(place / log, end)
            at = end + draw.randrange(FRAME_HEADER + PAGE)
            yield "one bit of the log flipped", lambda place, at=at: _flip(place / log, [at], draw)
        main = (self.killed / database).stat().st_size
        for _ in range(places):
            at = [draw.randrange(main)]
            yield (
                "one bit of the main file flipped",
                lambda place, at=at: _flip(place / database, at, draw),
            )
            some = [draw.randrange(main) for _ in range(10)]
            yield (
                "ten bits of the main file flipped",
                lambda place, at=some: _flip(place / database, at, draw),
            )
            cut = draw.randrange(main)
            yield "main file cut", lambda place, end=cut: _cut(place / database, end)
        for source, words in ((self.older, "before the import"), (self.early, "amid it")):
            for name, what in ((database, "main file"), (count, "count file"), (log, "log")):
                if (source / name).exists():
                    yield (
                        f"{what} from {words}",
                        lambda place, name=name, source=source: _take(source, place, [name]),
                    )
            yield (
                f"main file and log from {words}",
                lambda place, source=source: _take(source, place, [database, log]),
            )
        yield "count file removed", lambda place: (place / count).unlink()
        for _ in range(max(1, places // 5)):
            at = [draw.randrange(20)]
            yield "count file flipped", lambda place, at=at: _flip(place / count, at, draw)
        yield "main file removed", lambda place: (place / database).unlink()


def _some(every: range, count: int, draw: random.Random) -> list[int]:
    return list(every) if len(every) <= count else sorted(draw.sample(every, count))


def _cut(path: Path, end: int) -> None:
    path.write_bytes(path.read_bytes()[:end])


def _flip(path: Path, places: list[int], draw: random.Random) -> None:
    """Flip bits in place; the size, the inode and the times of the file stay as they were."""
    stat, content = path.stat(), bytearray(path.read_bytes())
    for at in places:
        content[at] ^= 1 << draw.randrange(8)
    with path.open("r+b") as file:
        file.write(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _take(source: Path, place: Path, names: list[str]) -> None:
    for name in names:
        (place / name).unlink(missing_ok=True)
        if (source / name).exists():
            shutil.copy(source / name, place / name)


def run(places: int, seed: int) -> dict[str, Outcome]:
    """Try out all kinds of damage."""
    draw = random.Random(seed)
    outcomes: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory() as folder, FlakyStore() as store:
        scene = Scene(Path(folder), store)
        for kind, damage in scene.damages(places, draw):
            scene.try_out(damage, outcomes.setdefault(kind, Outcome()))
    return outcomes


def main() -> None:
    """Print one Markdown table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--places", type=int, default=100)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    print("| damage after a kill | trials | went on | refused | asked | doubled | other |")
    print("|---|---:|---:|---:|---:|---:|---|")
    for kind, outcome in run(chosen.places, chosen.seed).items():
        other = ", ".join(f"{n} {name}" for name, n in outcome.other_errors.items())
        ways = f"{outcome.resumed} | {outcome.refused} | {outcome.asked}"
        counts = f"{outcome.trials} | {ways} | {outcome.doubled}"
        print(f"| {kind} | {counts} | {other} |")


if __name__ == "__main__":
    main()
