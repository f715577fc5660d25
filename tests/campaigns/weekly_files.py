"""Files as shelters and shops produce them, week after week, with the truth known for each row.

    PYTHONPATH=tests python tests/campaigns/weekly_files.py [--seeds 3] [--rows 15 50] [--only NAME]

A pattern writes the files of some weeks: a new program gives new numbers, Excel drops a zero, a
colleague's list is joined, a store is wiped. Each is loaded with a key and without one, and the
possible duplicates of each load are answered as a user who knows the animals would: ``skip``,
``create``, or ``skip`` with the lines of those that are new. It counts, against the truth:

- doubled: animals that are twice in the store, and how many of these nobody was shown as possible
  duplicates before (silent);
- missing: animals that are not in the store, although no result names their rows as not sent;
- needless: possible duplicates that were none, and the loads that had some.
"""

from __future__ import annotations

import argparse
import csv
import html
import random
import shutil
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from petstore_frame.errors import ArgumentError, LoadStoppedError, QuestionError
from petstore_frame.loader import State, view_of
from petstore_frame.loader.loading import load, resume_loads
from petstore_frame.loader.results.load_result import LoadResult
from petstore_frame.loader.row_state import FIX_STATES
from petstore_frame.testing import FakeStore, fake_store

NAMES = [
    f"{first}{last}"
    for first in ("Lu", "Ma", "Be", "Ro", "Ti", "Sam", "Co", "Fi", "Jo", "Ki")
    for last in ("na", "x", "lla", "cky", "ger", "my", "co", "do", "se", "ra", "wi", "be")
]
STATUSES = ("available", "available", "pending", "sold")
IN_STORE = (State.CREATED, State.MATCHED)


@dataclass(frozen=True)
class Animal:
    """One animal of the truth, as the shelter's program has it."""

    id: int
    key: str
    name: str
    category: str
    status: str = "available"


@dataclass
class Week:
    """One file, and what a user does with it.

    Attributes:
        animals: The animals of its rows, in order.
        header: The names of the columns for the key, the name, the category and the status.
        texts: Writes the key, or another column, in another way.
        options: Options of the load.
        before: Something that happens before this file is loaded.
        office: Who loads it; each office has a journal of its own.
    """

    animals: Sequence[Animal]
    header: tuple[str, ...] = ("tag", "name", "categoryId", "status")
    texts: Callable[[Animal], list[str]] = lambda animal: [
        animal.key, animal.name, animal.category, animal.status,
    ]  # fmt: skip
    key: Any = None  # the columns of the key, if not the first column
    options: dict[str, Any] = field(default_factory=dict)
    before: Callable[[World], None] | None = None
    office: str = "ours"
    encoding: str = "utf-8"
    stops_after: int | None = None


class World:
    """A store, its offices, and what became of each animal."""

    def __init__(self, folder: Path, seed: int, rows: int) -> None:
        self.draw, self.rows, self.folder = random.Random(seed), rows, folder
        self.store: FakeStore = fake_store()
        self.client = self.store.client()
        self.created: Counter[int] = Counter()  # by animal
        self.pet_of: dict[int, int] = {}  # the animal of each pet
        self.shown: set[int] = set()  # animals that were listed as possible duplicates
        self.listed: set[int] = set()  # animals that a result named as not sent, and why
        self.needless = self.loads = self.loads_with_needless = self.held = 0
        self._next = 0

    def arrivals(self, count: int | None = None, start: int = 100) -> list[Animal]:
        """Return new animals; about one in six has the name and category of another."""
        animals = []
        for _ in range(count or self.rows):
            self._next += 1
            name, category = self.draw.choice(NAMES), str(self.draw.randint(1, 4))
            if self.draw.random() < 0.7:
                name = f"{name} {self._next}"
            key = f"A-{start + self._next:04}"
            animals.append(Animal(self._next, key, name, category, self.draw.choice(STATUSES)))
        return animals

    def moved(self, animals: Iterable[Animal]) -> list[Animal]:
        """Return animals a week later: a third has another status."""
        return [
            replace(animal, status=self.draw.choice(STATUSES))
            if self.draw.random() < 0.33
            else animal
            for animal in animals
        ]

    def journal(self, office: str) -> Path:
        return self.folder / office

    def remove_pets(self, pet_ids: Iterable[int]) -> None:
        """Remove pets from the store behind everybody's back."""
        for pet_id in pet_ids:
            del self.store._pets[pet_id]
            self.created[self.pet_of.pop(pet_id)] -= 1

    def load(self, week: Week, number: int, *, with_key: bool) -> None:
        """Write the file of a week, load it, and answer its possible duplicates by the truth."""
        if week.before is not None:
            week.before(self)
        path = self.folder / f"week {number}.csv"
        with path.open("w", encoding=week.encoding, newline="") as file:
            writer = csv.writer(file)
            writer.writerow(week.header)
            writer.writerows(map(week.texts, week.animals))
        options: dict[str, Any] = {
            "journal": self.journal(week.office),
            "progress": False,
            "key": (week.key or week.header[0]) if with_key else "",
        } | week.options
        if week.encoding != "utf-8":
            options["encoding"] = week.encoding
        if week.stops_after is not None:
            self._run(path, week, options | {"max_rows": week.stops_after})
            return
        result = self._run(path, week, options)
        if result is None:  # the error says why, and nothing was sent
            self.listed |= {animal.id for animal in week.animals}
            return
        self.loads += 1
        for row in view_of(result).rows(*FIX_STATES, State.GONE):
            self.listed.add(week.animals[row.line - 2].id)
        duplicates = [row.line - 2 for row in view_of(result).rows(State.POSSIBLE_DUPLICATE)]
        self.held += len(duplicates)
        if not duplicates:
            return
        new = [at for at in duplicates if not self.created[week.animals[at].id]]
        self.shown |= {week.animals[at].id for at in duplicates}
        self.needless += len(new)
        self.loads_with_needless += bool(new)
        answers: dict[str, Any] = {"duplicates": "skip", "as_new": [at + 2 for at in new]}
        if len(new) == len(duplicates):
            answers = {"duplicates": "create"}
        self._run(path, week, {**options, **answers})

    def _run(self, path: Path, week: Week, options: dict[str, Any]) -> LoadResult | None:
        before = {pet.id for pet in self.store.pets}
        try:
            result = load(path, self.client, **options)
        except (ArgumentError, QuestionError):
            return None  # refused: nothing was sent
        except LoadStoppedError as stopped:
            result = stopped.result
        self._note(result, week, before)
        return result

    def _note(self, result: LoadResult, week: Week, before: set[int]) -> None:
        for row in view_of(result).rows(*IN_STORE):
            if row.pet_id is not None and row.pet_id not in before | self.pet_of.keys():
                animal = week.animals[row.line - 2]
                self.created[animal.id] += 1
                self.pet_of[row.pet_id] = animal.id


# -- patterns: each yields the weeks of one shelter


def growing(world: World) -> Iterator[Week]:
    here: list[Animal] = []
    for _ in range(4):
        here = world.moved(here) + world.arrivals(world.rows // 3 or 1)
        yield Week(here)


def arrivals_only(world: World) -> Iterator[Week]:
    for _ in range(4):
        yield Week(world.arrivals())


def changes_only(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)
    for _ in range(2):
        yield Week([animal for animal in world.moved(here) if world.draw.random() < 0.3])


def shuffled(world: World) -> Iterator[Week]:
    here = world.arrivals()
    for _ in range(3):
        yield Week(world.draw.sample(here, len(here)))
        here = here + world.arrivals(3)


def rows_return(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)
    yield Week(here[: len(here) // 2])
    yield Week(here + world.arrivals(3))


def months_and_weeks(world: World) -> Iterator[Week]:
    month: list[Animal] = []
    for _ in range(3):
        week = world.arrivals(world.rows // 2)
        month += week
        yield Week(week)
    yield Week(month)
    yield Week(month[-world.rows :] + world.arrivals(4))


def _with_keys(share: float, change: Callable[[str], str]) -> Callable[[World], Iterator[Week]]:
    """Return a pattern in which a share of the keys is written in another way from week two on."""

    def weeks(world: World) -> Iterator[Week]:
        here = world.arrivals()
        yield Week(here)
        count = max(1, round(share * len(here)))
        changed = {animal.id for animal in world.draw.sample(here, count)}

        def texts(animal: Animal) -> list[str]:
            key = change(animal.key) if animal.id in changed else animal.key
            return [key, animal.name, animal.category, animal.status]

        yield Week(here + world.arrivals(2), texts=texts)

    return weeks


def _with_first_keys(
    first: Callable[[Animal], str], then: Callable[[Animal], str]
) -> Callable[[World], Iterator[Week]]:
    """Return a pattern whose keys are written in one way in week one, and in another after it."""

    def weeks(world: World) -> Iterator[Week]:
        here = world.arrivals()
        for write in (first, then):

            def texts(animal: Animal, write: Callable[[Animal], str] = write) -> list[str]:
                return [write(animal), animal.name, animal.category, animal.status]

            yield Week(here, texts=texts)
            here = here + world.arrivals(2)

    return weeks


def _new_numbers(new: int) -> Callable[[World], Iterator[Week]]:
    def weeks(world: World) -> Iterator[Week]:
        here = world.arrivals()
        yield Week(here)
        yield Week(
            [replace(animal, key=str(7000 + animal.id)) for animal in here]
            + world.arrivals(new or 1, start=7000)[:new]
        )

    return weeks


def typing_error(world: World) -> Iterator[Week]:
    here = world.arrivals()
    wrong = replace(here[3], key="A-9999")
    yield Week([wrong if animal.id == wrong.id else animal for animal in here])
    yield Week(here + world.arrivals(2))


def _header(*header: str) -> Callable[[World], Iterator[Week]]:
    def weeks(world: World) -> Iterator[Week]:
        here = world.arrivals()
        yield Week(here)
        mapping = dict(zip(("name", "category_id", "status"), header[1:], strict=True))
        new = world.arrivals(2)
        yield Week(world.moved(here) + new, header=header, options={"mapping": mapping})

    return weeks


def key_in_two_columns(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)

    def split(animal: Animal) -> list[str]:
        shelter, number = animal.key.split("-")
        return [shelter, animal.name, animal.category, animal.status, number]

    header = ("shelter", "name", "categoryId", "status", "number")
    yield Week(here + world.arrivals(2), header=header, texts=split, key=["shelter", "number"])


def chip_later(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)

    def with_chip(animal: Animal) -> list[str]:
        return [animal.key, animal.name, animal.category, animal.status, f"98100020{animal.id:07}"]

    header = ("tag", "name", "categoryId", "status", "chip")
    yield Week(here, header=header, texts=with_chip)
    yield Week(here + world.arrivals(2), header=header, texts=with_chip, key="chip")


def departments(world: World) -> Iterator[Week]:
    dogs = [replace(animal, key=str(number)) for number, animal in enumerate(world.arrivals(), 1)]
    cats = [replace(animal, key=str(number)) for number, animal in enumerate(world.arrivals(), 1)]
    yield Week(dogs)
    yield Week(cats)
    yield Week(dogs + world.arrivals(2))


def numbers_start_again(world: World) -> Iterator[Week]:
    for _ in range(3):
        animals = world.arrivals()
        yield Week([replace(animal, key=str(at)) for at, animal in enumerate(animals, 1)])


def transfers(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)
    back = [replace(animal, key=f"T-{animal.id}") for animal in here[:3]]
    yield Week(world.arrivals(4) + back)


def litters(world: World) -> Iterator[Week]:
    for _ in range(4):
        born = world.arrivals(5)
        yield Week([
            replace(animal, name=f"Kitten {at}", category="2", status="available")
            for at, animal in enumerate(born, 1)
        ])  # fmt: skip


def few_names(world: World) -> Iterator[Week]:
    here: list[Animal] = []
    for _ in range(4):
        born = world.arrivals(world.rows // 3)
        names = ("Luna", "Max", "Bella", "Rex", "Kitty", "Tom", "Sam")
        here = here + [replace(animal, name=names[animal.id % 7], category="1") for animal in born]
        yield Week(here)


def renamed(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)
    here = [replace(a, name=f"New {a.name}") if a.id % 9 == 0 else a for a in here]
    yield Week(here + world.arrivals(2))


def renamed_in_store(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)

    def rename(world: World) -> None:
        for pet in world.store.pets[:3]:
            world.store._pets[pet.id] = pet.model_copy(update={"name": f"Home {pet.name}"})

    yield Week(here + world.arrivals(2), before=rename)


def categories_renumbered(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)
    yield Week([replace(animal, category=str(40 + int(animal.category))) for animal in here])


def _names(
    change: Callable[[str], str], encoding: str = "utf-8"
) -> Callable[[World], Iterator[Week]]:
    def weeks(world: World) -> Iterator[Week]:
        here = [replace(animal, name=f"Zoë {animal.name}'s") for animal in world.arrivals()]
        yield Week(here)

        def texts(animal: Animal) -> list[str]:
            return [animal.key, change(animal.name), animal.category, animal.status]

        new = [replace(animal, name=f"Zoë {animal.name}'s") for animal in world.arrivals(2)]
        yield Week(here + new, texts=texts, encoding=encoding)

    return weeks


def other_columns(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)

    def texts(animal: Animal) -> list[str]:
        return [animal.status, animal.category, animal.name, animal.key]

    header = ("status", "categoryId", "name", "tag")
    yield Week(here + world.arrivals(2), header=header, texts=texts, key="tag")


def block_twice(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here + here[2:8])


def joined_list(world: World) -> Iterator[Week]:
    ours, hers = world.arrivals(), world.arrivals(5, start=5000)
    yield Week(ours)
    yield Week(hers, office="hers")
    yield Week(ours + hers)


def two_in_turn(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)
    here = here + world.arrivals(4)
    yield Week(here, office="hers")
    yield Week(here + world.arrivals(4))


def journal_lost(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)
    yield Week(here + world.arrivals(3), before=lambda world: shutil.rmtree(world.journal("ours")))


def journal_restored(world: World) -> Iterator[Week]:
    here = world.arrivals()
    backup = world.folder / "backup"
    yield Week(here)
    here = here + world.arrivals(3)
    yield Week(here, before=lambda world: shutil.copytree(world.journal("ours"), backup))

    def restore(world: World) -> None:
        shutil.rmtree(world.journal("ours"))
        shutil.copytree(backup, world.journal("ours"))

    yield Week(here + world.arrivals(3), before=restore)


def store_wiped(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)
    yield Week(
        world.arrivals(4),
        before=lambda world: world.remove_pets([pet.id for pet in world.store.pets]),
    )


def ids_used_again(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here)

    def restore(world: World) -> None:
        last = [pet.id for pet in world.store.pets][-4:]
        world.remove_pets(last)
        world.store._highest_id = last[0] - 1

    new = world.arrivals(3)
    yield Week(here + new, before=restore)
    yield Week(here + new + world.arrivals(3))


def stop_and_another(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here, stops_after=len(here) // 2)
    yield Week(here + world.arrivals(3))

    def resume(world: World) -> None:
        before = {pet.id for pet in world.store.pets}
        for result in resume_loads(world.client, journal=world.journal("ours"), progress=False):
            world._note(result, Week(here), before)

    yield Week(here[:1], before=resume)


def trial_then_all(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here, stops_after=3)
    yield Week(here)


def dry_run_first(world: World) -> Iterator[Week]:
    here = world.arrivals()
    yield Week(here, options={"dry_run": True})
    yield Week(here)


def _left_in_script(**options: Any) -> Callable[[World], Iterator[Week]]:
    def weeks(world: World) -> Iterator[Week]:
        here: list[Animal] = []
        for _ in range(3):
            here = here + world.arrivals(world.rows // 2)
            yield Week(here, options=options)

    return weeks


def _day(animal: Animal) -> date:
    return date(2026, 1, 1) + timedelta(days=animal.id * 3)


PATTERNS: dict[str, Callable[[World], Iterator[Week]]] = {
    "growing export": growing,
    "arrivals only": arrivals_only,
    "changes only": changes_only,
    "sorted differently": shuffled,
    "rows disappear and return": rows_return,
    "monthly next to weekly lists": months_and_weeks,
    "prefix for all": _with_keys(1, lambda key: f"AUS-{key}"),
    "prefix for 30 %": _with_keys(0.3, lambda key: f"AUS-{key}"),
    "prefix for one": _with_keys(0.01, lambda key: f"AUS-{key}"),
    "suffix for all": _with_keys(1, lambda key: f"{key}/26"),
    "prefix dropped": _with_keys(1, lambda key: key.removeprefix("A-")),
    "new numbers, no new animals": _new_numbers(0),
    "new numbers, few new animals": _new_numbers(2),
    "new numbers, many new animals": _new_numbers(20),
    "a number typed wrong and corrected": typing_error,
    "key column renamed": _header("Chip No.", "name", "categoryId", "status"),
    "header in another language": _header("Tiernummer", "Name", "Kategorie", "Status"),
    "columns in another order": other_columns,
    "key split in two columns": key_in_two_columns,
    "a chip number becomes the key": chip_later,
    "leading zeros lost": _with_first_keys(lambda a: f"{a.id:06}", lambda a: str(a.id)),
    "numbers gain .0": _with_first_keys(lambda a: str(a.id), lambda a: f"{a.id}.0"),
    "thousands": _with_first_keys(lambda a: str(9000 + a.id), lambda a: f"9,{a.id:03}"),
    "scientific notation": _with_first_keys(
        lambda a: str(981000200000000 + a.id), lambda a: f"{981000200000000 + a.id:.2E}"
    ),
    "dates as keys": _with_first_keys(
        lambda a: f"{_day(a):%Y-%m-%d}", lambda a: f"{_day(a):%d.%m.%Y}"
    ),
    "dates as serial numbers": _with_first_keys(
        lambda a: f"{_day(a):%Y-%m-%d}", lambda a: str((_day(a) - date(1899, 12, 30)).days)
    ),
    "trailing zeros lost": _with_first_keys(
        lambda a: f"{90 + a.id}.750", lambda a: f"{90 + a.id}.75"
    ),
    "two departments with overlapping numbers": departments,
    "numbers start again each week": numbers_start_again,
    "transfers under a new number": transfers,
    "litters every week": litters,
    "few names": few_names,
    "renamed in the file": renamed,
    "renamed in the store": renamed_in_store,
    "categories renumbered": categories_renumbered,
    "names in NFD": _names(lambda name: unicodedata.normalize("NFD", name)),
    "typographic quotes": _names(lambda name: name.replace("'", "\u2019")),
    "HTML entities": _names(html.escape),
    "another encoding": _names(lambda name: name, "cp1252"),
    "a block pasted twice": block_twice,
    "joined with a colleague's list": joined_list,
    "two people in turn": two_in_turn,
    "journal lost": journal_lost,
    "journal restored from a backup": journal_restored,
    "store wiped": store_wiped,
    "ids used again": ids_used_again,
    "a stop, then another file": stop_and_another,
    "a trial, then all": trial_then_all,
    "a dry run, then a load": dry_run_first,
    "as_new left in a script": _left_in_script(as_new=True),
    "create left in a script": _left_in_script(duplicates="create"),
    "skip left in a script": _left_in_script(duplicates="skip"),
}
# What the page about keys states as limits: these create animals twice, or lose some, silently.
DOUBLED_WITHOUT_KEY = frozenset(
    {"renamed in the file", "a block pasted twice", "as_new left in a script"}
)
LOST_BY_SKIP = "skip left in a script"


@dataclass(frozen=True)
class Tally:
    """What a pattern came to."""

    animals: int
    doubled: int
    silent: int
    missing: int
    held: int
    needless: int
    loads: int
    loads_with_needless: int


def run(name: str, seed: int, rows: int, *, with_key: bool) -> Tally:
    """Load the files of a pattern, and count the animals by the truth."""
    with tempfile.TemporaryDirectory() as folder:
        world, expected = World(Path(folder), seed, rows), set[int]()
        for number, week in enumerate(PATTERNS[name](world), 1):
            world.load(week, number, with_key=with_key)
            if name == "store wiped" and number == 1:
                expected.clear()  # a load of other animals creates none of these again
            elif not week.options.get("dry_run") and week.stops_after is None:
                expected |= {animal.id for animal in week.animals}
        if name == "store wiped":
            expected = {animal.id for animal in week.animals}
        doubled = {animal: count - 1 for animal, count in world.created.items() if count > 1}
        silent = sum(count for animal, count in doubled.items() if animal not in world.shown)
        missing = [animal for animal in expected - world.listed if world.created[animal] < 1]
        return Tally(
            len(expected), sum(doubled.values()), silent, len(missing), world.held,
            world.needless, world.loads, world.loads_with_needless,
        )  # fmt: skip


def main() -> None:
    """Print a Markdown table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--rows", type=int, nargs="*", default=[15, 50])
    options.add_argument("--only", default="")
    chosen = options.parse_args()
    print("| pattern | key | animals | doubled | silent | missing | held | needless |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    totals: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for name in PATTERNS:
        if chosen.only not in name:
            continue
        for with_key in (True, False):
            counts = Counter[str]()
            for seed in range(chosen.seeds):
                for rows in chosen.rows:
                    counts.update(vars(run(name, seed, rows, with_key=with_key)))
            totals[with_key].update(counts)
            cells = " | ".join(
                f"{counts[column]:,}"
                for column in ("animals", "doubled", "silent", "missing", "held", "needless")
            )
            print(f"| {name} | {'tag' if with_key else 'none'} | {cells} |", flush=True)
    for with_key, counts in totals.items():
        print(f"\n{'with a key' if with_key else 'without a key'}: {dict(counts)}")


if __name__ == "__main__":
    main()
