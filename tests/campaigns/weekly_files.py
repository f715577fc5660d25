"""Months of weekly files, the truth known for each row: which animals are lost, which are doubled.

    python tests/campaigns/weekly_files.py [--weeks 26] [--per-week 120]

Names repeat as in a real shelter: of 1,560 named animals of Austin's (May 2025 to May 2026), 15 to
17 % have the name and the kind of an earlier one; of as many drawn here, 17 %. Each pattern of
files is loaded twice over: with the column of ids as key, and without one, where the question is
answered as a user who knows the file would answer it: ``skip`` where it holds animals that were
loaded before, ``send`` where it holds none. The store is in memory and is not asked, as nobody else
adds pets to it. Without a key equality is all there is to go by, so what it cannot know is counted:

- lost: a new animal that equals one which has left the export since. Each is listed as skipped.
- doubled: an animal whose name or kind was corrected, where its equals are answered for.
- unnecessary: a question about a file that holds no animal that was loaded before. Without the
  question, nothing would have been created twice or lost.

Then the CPU time of one load is measured after 1 and after 100 earlier imports.
"""

from __future__ import annotations

import argparse
import csv
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import accumulate, count
from pathlib import Path
from typing import NamedTuple

from petstore_frame.client import Client
from petstore_frame.errors import DuplicatesError
from petstore_frame.loader import view_of
from petstore_frame.loader.loading import load
from petstore_frame.loader.results.load_result import LoadResult
from petstore_frame.loader.row_state import FIX_STATES, State
from petstore_frame.sample_data import write_sample_csv
from petstore_frame.testing import fake_store

# The commonest names and kinds of animals come some forty times in 14,000, half of them once.
KINDS = 8000
WEIGHTS = list(accumulate((rank + 11) ** -0.6 for rank in range(KINDS)))
STATUSES = ("available", "available", "available", "pending", "sold")


class Animal(NamedTuple):
    """One animal of the truth."""

    id: str
    name: str
    category: str
    status: str


Week = list[tuple[str, list[Animal]]]
"""The files of a week: the path, and the animals in it."""


class Kennel:
    """Where new animals come from, week after week."""

    def __init__(self, seed: int, per_week: int) -> None:
        self.draw = random.Random(seed)
        self.per_week = per_week
        self._ids = count(1)

    def arrivals(self, number: int | None = None) -> list[Animal]:
        ranks = self.draw.choices(range(KINDS), cum_weights=WEIGHTS, k=number or self.per_week)
        return [
            Animal(
                f"A-{next(self._ids):05}",
                f"Name {rank}",
                str(rank * 7 % 12 + 1),
                self.draw.choice(STATUSES),
            )
            for rank in ranks
        ]

    def moved(self, animals: list[Animal]) -> list[Animal]:
        """Return animals a week later: a third has another status."""
        return [
            a._replace(status=self.draw.choice(STATUSES)) if self.draw.random() < 0.33 else a
            for a in animals
        ]


def growing(kennel: Kennel, weeks: int, *, path: str) -> Iterator[Week]:
    """All animals so far, statuses change."""
    here: list[Animal] = []
    for week in range(weeks):
        here = kennel.moved(here) + kennel.arrivals()
        yield [(path.format(week), here)]


def rolling(kennel: Kennel, weeks: int) -> Iterator[Week]:
    """The animals of the last four weeks."""
    here: list[list[Animal]] = []
    for week in range(weeks):
        here = [*map(kennel.moved, here[-3:]), kennel.arrivals()]
        yield [(f"export-{week}.csv", [animal for part in here for animal in part])]


def stock(kennel: Kennel, weeks: int, *, path: str) -> Iterator[Week]:
    """What is there now, in another order each week; the sold are gone a week later."""
    here: list[Animal] = kennel.arrivals(4 * kennel.per_week)
    for week in range(weeks):
        here = kennel.moved([a for a in here if a.status != "sold"]) + kennel.arrivals()
        kennel.draw.shuffle(here)
        yield [(path.format(week), list(here))]


def few_names(kennel: Kennel, weeks: int) -> Iterator[Week]:
    """New animals each week, called Puppy 1 to Puppy 5."""
    for week in range(weeks):
        named = [a._replace(name=f"Puppy {n % 5 + 1}", category="1", status="available")
                 for n, a in enumerate(kennel.arrivals())]  # fmt: skip
        yield [(f"puppies-{week}.csv", named)]


def litters(kennel: Kennel, weeks: int) -> Iterator[Week]:
    """Files of five newborns, named by their mother."""
    for week in range(weeks):
        files = []
        for n in range(6):
            litter = kennel.arrivals(5)
            files.append((f"litter-{week}-{n}.csv",
                          [a._replace(name=f"{litter[0].name} {at}", category=litter[0].category,
                                      status="") for at, a in enumerate(litter, 1)]))  # fmt: skip
        yield files


def overwritten(kennel: Kennel, weeks: int) -> Iterator[Week]:
    """The arrivals of the week alone, always in one path."""
    for _ in range(weeks):
        yield [("arrivals.csv", kennel.arrivals())]


def branches(kennel: Kennel, weeks: int) -> Iterator[Week]:
    """Two branches with a growing file each; some animals move and are in both."""
    north: list[Animal] = []
    south: list[Animal] = []
    half = kennel.per_week // 2
    for week in range(weeks):
        moving = kennel.draw.sample(north, min(len(north), 4))
        north = kennel.moved(north) + kennel.arrivals(half)
        south = kennel.moved(south) + moving + kennel.arrivals(half)
        south = list({animal.id: animal for animal in south}.values())
        yield [(f"north-{week}.csv", north), (f"south-{week}.csv", south)]


PATTERNS: dict[str, Callable[[Kennel, int], Iterator[Week]]] = {
    "growing export, new paths": lambda k, w: growing(k, w, path="export-{}.csv"),
    "growing export, one path overwritten": lambda k, w: growing(k, w, path="export.csv"),
    "rolling four weeks, new paths": rolling,
    "current stock, new paths": lambda k, w: stock(k, w, path="stock-{}.csv"),
    "current stock, one path overwritten": lambda k, w: stock(k, w, path="stock.csv"),
    "few names, new animals": few_names,
    "litters in files of five": litters,
    "the week's arrivals, one path overwritten": overwritten,
    "two branches, growing, animals in both": branches,
    "growing export, fixed in fix files": lambda k, w: growing(k, w, path="export-{}.csv"),
}


class Question(Enum):
    """Whether a question prevented that an animal is created twice."""

    NEEDED = "needed"
    UNNECESSARY = "unnecessary"


class Tally(NamedTuple):
    """What a pattern came to."""

    animals: int
    files: int
    asked: int
    unnecessary: int
    lost: int
    listed: int
    doubled: int


def run(name: str, seed: int, weeks: int, per_week: int, *, with_key: bool) -> Tally:
    """Load the files of a pattern, and count the animals by the truth."""
    created: Counter[str] = Counter()
    listed: set[str] = set()
    known: dict[str, Animal] = {}
    files = asked = unnecessary = 0
    client = fake_store().client()
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        for week in PATTERNS[name](Kennel(seed, per_week), weeks):
            for path, animals in week:
                file = _write(folder / path, animals, spoil="fixed" in name)
                result, question = _load(file, client, folder, animals, known, with_key=with_key)
                files += 1
                asked += question is not None
                unnecessary += question is Question.UNNECESSARY
                _count(result, animals, created, listed)
                known |= {animal.id: animal for animal in animals}
                if "fixed" in name and len(result.fix):
                    question = _fix(result, client, folder, created, with_key=with_key)
                    asked += question is not None
                    unnecessary += question is Question.UNNECESSARY
    lost, lost_and_listed, doubled = _missed(known, created, listed)
    return Tally(len(known), files, asked, unnecessary, lost, lost_and_listed, doubled)


def _missed(
    known: dict[str, Animal], created: Counter[str], listed: set[str]
) -> tuple[int, int, int]:
    """Count what is lost and doubled; equal animals are interchangeable, as they are in a store."""
    equals: dict[tuple[str, str], list[str]] = defaultdict(list)
    for animal in known.values():
        equals[animal.name, animal.category].append(animal.id)
    lost = lost_and_listed = doubled = 0
    for group in equals.values():
        missing = len(group) - sum(created[animal] for animal in group)
        lost += max(0, missing)
        lost_and_listed += min(max(0, missing), sum(animal in listed for animal in group))
        doubled += max(0, -missing)
    return lost, lost_and_listed, doubled


def _write(path: Path, animals: list[Animal], *, spoil: bool) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["animal_id", "name", "categoryId", "status"])
        for animal in animals:
            # The same animals are spoilt in each export, until the source is fixed.
            is_spoilt = spoil and int(animal.id.rpartition("-")[2]) % 20 == 0
            category = f"no. {animal.category}" if is_spoilt else animal.category
            writer.writerow([animal.id, animal.name, category, animal.status])
    return path


def _load(
    file: Path,
    client: Client,
    folder: Path,
    animals: list[Animal],
    known: set[str],
    *,
    with_key: bool,
) -> tuple[LoadResult, Question | None]:
    options = {"journal": folder / "journal", "progress": False, "check_store": False}
    if not file.name.startswith("fix"):
        options["key"] = "animal_id" if with_key else ""
    try:
        return load(file, client, **options), None
    except DuplicatesError:
        is_needed = any(animal.id in known for animal in animals)
        answer = "skip" if is_needed else "create"
        question = Question.NEEDED if is_needed else Question.UNNECESSARY
        return load(file, client, duplicates=answer, **options), question


def _count(
    result: LoadResult, animals: list[Animal], created: Counter[str], listed: set[str]
) -> None:
    for row in view_of(result).rows():
        animal = animals[row.number - 1].id
        created[animal] += row.state is State.CREATED
        if row.state is State.EXCLUDED:
            listed.add(animal)


def _fix(
    result: LoadResult, client: Client, folder: Path, created: Counter[str], *, with_key: bool,
) -> Question | None:  # fmt: skip
    """Correct a fix file and load it, as a user does with each; return its question."""
    out = folder / "results" / view_of(result).import_id
    result.write(out)
    fix = out / "fix.csv"
    fix.write_text(fix.read_text("utf-8-sig").replace("no. ", ""), encoding="utf-8")
    fixed_ids = [Animal(row.cells[0], "", "", "") for row in view_of(result).rows(*FIX_STATES)]
    there = [animal for animal, times in created.items() if times]
    fixed, question = _load(fix, client, folder, fixed_ids, there, with_key=with_key)
    for row in view_of(fixed).rows(State.CREATED):
        created[row.cells[0]] += 1
    return question


def cpu_after(imports: int, rows: int = 200) -> float:
    """Return the CPU seconds of one load after so many earlier imports, the best of five."""
    client, seconds = fake_store().client(), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(imports + 5):
            path = write_sample_csv(folder / f"{number}.csv", rows, number + 1, dirty=False)
            start = time.process_time()
            load(path, client, journal=folder / "journal", progress=False, duplicates="create",
                     check_store=False)  # fmt: skip
            seconds.append(time.process_time() - start)
    return min(seconds[imports:])


def main() -> None:
    """Print two Markdown tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--weeks", type=int, default=26)
    options.add_argument("--per-week", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    print(f"{chosen.weeks} weeks, {chosen.per_week} new animals each, seed {chosen.seed}\n")
    numbers = ("animals", "files", "asked", "unnecessary", "lost", "listed as skipped", "doubled")
    print(f"| files | key | {' | '.join(numbers)} |")
    print(f"|---|---|{'---:|' * len(numbers)}")
    asked = unnecessary = 0
    for name in PATTERNS:
        for with_key in (True, False):
            tally = run(name, chosen.seed, chosen.weeks, chosen.per_week, with_key=with_key)
            asked, unnecessary = asked + tally.asked, unnecessary + tally.unnecessary
            counts = " | ".join(f"{number:,}" for number in tally)
            print(f"| {name} | {'animal_id' if with_key else 'none'} | {counts} |", flush=True)
    share = unnecessary / asked if asked else 0.0
    print(f"\n{unnecessary:,} of {asked:,} questions ({share:.0%}) were unnecessary")
    print("\n| earlier imports of 200 records | CPU of one load of 200 records |")
    print("|---:|---:|")
    for imports in (1, 100):
        print(f"| {imports} | {1000 * cpu_after(imports):.0f} ms |", flush=True)


if __name__ == "__main__":
    main()
