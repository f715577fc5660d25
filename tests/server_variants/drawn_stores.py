"""Draws stores at random and holds every verdict about them to what they really hold."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import petstore_frame as pf
from server_variants import habits
from server_variants.answers import pet
from server_variants.habits import STATUSES, Habits
from server_variants.stores import ZooStore

HIDDEN = (frozenset({"sold"}), frozenset({"pending", "sold", None}), frozenset({None}))


@dataclass
class Tally:
    """What a census found.

    Attributes:
        tried: Stores asked.
        verdicts: How often each verdict was given, of all and of one status; errors by class.
        requests: Requests that were sent to them.
        naive_failures: Stores of which one page of 100 does not hold all.
        false: Complete verdicts that were false with every stated assumption true.
        conditional: Complete verdicts that were false because a stated assumption was.
        needless: Verdicts that pets are missing where none was, with every stated assumption true.
        misled: The same because a stated assumption was false.
        minimums: Counts of a status that were called a minimum.
        too_high: Minimums above the truth, whatever was assumed.
    """

    tried: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    naive_failures: int = 0
    false: list[str] = field(default_factory=list)
    conditional: Counter[str] = field(default_factory=Counter)
    needless: list[str] = field(default_factory=list)
    misled: Counter[str] = field(default_factory=Counter)
    minimums: int = 0
    too_high: list[str] = field(default_factory=list)

    @staticmethod
    def add(
        without_reason: list[str], by_reason: Counter[str], broken: set[str], text: str
    ) -> None:
        """Note what went wrong, by the broken assumption if one was stated."""
        if broken:
            by_reason[min(broken)] += 1
        else:
            without_reason.append(text)


def draw_pets(rng: random.Random) -> list[dict[str, Any]]:
    """Draw an inventory: none to a few thousand pets, often near the edge of a page."""
    count = rng.choice(
        (
            lambda: rng.randint(0, 6),
            lambda: rng.randint(0, 120),
            lambda: rng.choice((10, 20, 25, 50, 99, 100, 101, 199, 200, 201, 300)),
            lambda: rng.randint(90, 420),
            lambda: int(rng.paretovariate(0.8) * 100) % 3500,
        )
    )()
    weights = rng.choice(
        ((5, 2, 3, 1, 0), (1, 0, 0, 0, 0), (0, 0, 0, 1, 0), (8, 1, 1, 0, 0), (3, 3, 3, 1, 1))
    )
    choices = (*STATUSES, None, "reserved")
    ids: list[int] = rng.sample(range(-50, 9 * count + 50), count)
    if rng.random() < 0.2:  # as most stores number them, with a gap where pets have left
        gap = rng.choice((0, 1, 30)) if count else 0
        start = rng.randint(1, count + 1)
        ids = [n + gap * (n >= start) for n in range(1, count + 1)]
    return [pet(pet_id, rng.choices(choices, weights)[0], pet_id % 7) for pet_id in ids]


def draw_habits(rng: random.Random) -> Habits:
    """Draw how a store fills the gaps; most stores have one vice at the most."""

    def perhaps(share: float, choices: tuple[Any, ...]) -> Any:
        return rng.choice(choices) if rng.random() < share else None

    way = perhaps(0.4, habits.LINK_WAYS + habits.HEADER_WAYS)
    parameters = frozenset(rng.sample(habits.DRAWN_PARAMETERS, rng.choice((0, 0, 0, 1, 1, 2))))
    # Now and then a store names a next page in a way that nobody can understand.
    if way == "x-next page" and rng.random() < 0.8:
        parameters |= {"page 1"}
    if way == "x-next cursor" and rng.random() < 0.8:
        parameters |= {"cursor"}
    if rng.random() < 0.04 and "cursor" not in parameters:
        parameters |= {habits.ROWS_CURSOR}
    if {"page 0", "page 1"} <= parameters:
        parameters -= {"page 0"}
    cap = perhaps(0.15, (1, 7, 10, 20, 25, 37, 50, 60, 64, 80, 99))
    return Habits(
        way=way,
        parameters=parameters,
        order=rng.choice((*habits.ORDERS[:3], *habits.ORDERS[:3], *habits.ORDERS)),
        cap=cap,
        floor=rng.choice((cap or 100, 20)) if rng.random() < 0.05 else None,
        filtered_cap=perhaps(0.03, (5, 20, 60)),
        total=perhaps(0.25, ("true", "true", "content-range", *habits.TOTALS)),
        ignores_filter=rng.random() < 0.04,
        ignores_limit=rng.random() < 0.03,
        drift=perhaps(0.12, habits.DRIFTS),
        lie=perhaps(0.12, habits.LIES),
        depth_cap=perhaps(0.05, (50, 250, 1000)),
        names_when_full=rng.random() < 0.05,
        names_below_100=rng.random() < 0.05,
        filters_last=rng.random() < 0.03,
        hides=perhaps(0.06, HIDDEN) or frozenset(),
        lag=perhaps(0.05, habits.LAGS),
        tells_age=rng.random() < 0.3,
    )


def draw_store(rng: random.Random) -> ZooStore:
    """Draw a store, with what it holds and its habits."""
    return ZooStore(draw_pets(rng), draw_habits(rng), seed=rng.randrange(10**9))


def draw_changing_store(rng: random.Random) -> ZooStore:
    """Draw a store that changes while it is read."""
    kept = replace(draw_habits(rng), drift=rng.choice(habits.CHANGES))
    return ZooStore(draw_pets(rng), kept, seed=rng.randrange(10**9))


def run(
    stores: int, rng: random.Random, draw: Callable[[random.Random], ZooStore] = draw_store
) -> Tally:
    """Fetch from so many stores and hold each verdict to the truth."""
    tally = Tally()
    for _ in range(stores):
        try_one(draw(rng), tally, **draw_options(rng))
    return tally


def draw_options(rng: random.Random) -> dict[str, Any]:
    """Draw how a caller asks; most ask for everything."""
    status = rng.choice((None, None, None, *STATUSES))
    rng.choice(range(5))  # drawn only, as the last one is, so that the stores stay the same
    options = {"status": status, "max_pets": rng.choice((*[None] * 12, 5, 100, 120, 250))}
    rng.choice((*[100] * 12, 1, 20, 50, 99))
    return options


def try_one(store: ZooStore, tally: Tally, status: str | None = None, **options: Any) -> None:
    """Fetch from one store and add what came of it."""
    tally.tried += 1
    tally.naive_failures += _naive_misses(store, status)
    try:
        inventory = pf.fetch_inventory(store.client(), status=status, progress=False, **options)
    except pf.PetstoreError as problem:
        tally.verdicts[type(problem).__name__] += 1
        return
    finally:
        tally.requests += len(store.requests)
    completeness = inventory.completeness
    tally.verdicts[
        f"{completeness.verdict}, {'one status' if completeness.status else 'all pets'}"
    ] += 1
    wrong = [*missing_pets(store, inventory, status), *wrong_counts(store, completeness)]
    broken = store.habits.breaks(status) & set(completeness.assumptions)
    lacks_any = not _ids_with(store, status) <= set(inventory.frame["id"])
    text = f"{completeness}; {wrong}: {store.habits}, {options}"
    if completeness.verdict == "incomplete" and not lacks_any:
        tally.add(tally.needless, tally.misled, broken, text)
    tally.minimums += sum(count.bound == "at_least" for count in completeness.by_status.values())
    tally.too_high += [
        f"{status} of {text}" for status in minimums_above_truth(store, completeness)
    ]
    if wrong:
        tally.add(tally.false, tally.conditional, broken, text)


def missing_pets(store: ZooStore, inventory: pf.Inventory, status: str | None) -> set[int]:
    """Return the lasting pets of those asked for that a complete verdict left out."""
    if not inventory.completeness.is_complete:
        return set()
    wanted = store.lasting_ids
    if status is not None:  # those that had it at the start and at the end
        had = {pet_id for pet_id, then in store.statuses_at_start.items() if then == status}
        wanted = had & _ids_with(store, status)
    return wanted - set(inventory.frame["id"])


def wrong_counts(store: ZooStore, completeness: pf.Completeness) -> list[str]:
    """Return the statuses whose count is called exact and was so at no request."""
    return [
        status
        for status, count in completeness.by_status.items()
        if count.is_exact
        and count.count not in store.counts[None if status == "no status" else status]
    ]


def minimums_above_truth(store: ZooStore, completeness: pf.Completeness) -> list[str]:
    """Return the counts that are called a minimum and are above the truth.

    That is the most that the store had at one moment, of this status or of all.
    """
    counts = {
        None if name == "no status" else name: n for name, n in completeness.by_status.items()
    }
    too_high = [
        str(status)
        for status, count in counts.items()
        if count.bound == "at_least" and count > max(store.counts[status])
    ]
    total = completeness.total
    if total.bound == "at_least" and total > max(store.totals):
        too_high.append("total")
    return too_high


def _ids_with(store: ZooStore, status: str | None) -> set[int]:
    """Return the pets of one status, or of all."""
    return {pet["id"] for pet in store.pets if status in (None, pet.get("status"))}


def _naive_misses(store: ZooStore, status: str | None) -> bool:
    """Tell whether one page of 100, taken for the whole, is short of the truth."""
    cap = store.habits.cap or 100
    if status is not None and store.habits.filtered_cap is not None:
        cap = store.habits.filtered_cap
    return not store.habits.ignores_limit and len(_ids_with(store, status)) > cap
