"""Inventories made by hand for the dashboard's tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from petstore_frame.frame import to_frame
from petstore_frame.inventory import Completeness, Inventory, StatusCount, Verdict
from petstore_frame.models import NO_STATUS, PetColumns

BASE_URL = "http://127.0.0.1:9/v1"
AS_OF = datetime(2030, 1, 2, 9, 30, tzinfo=UTC)
Row = tuple[int, str, int, str | None]


def inventory(
    rows: Iterable[Row],
    verdict: Verdict = Verdict.COMPLETE,
    exact: Sequence[str] = (),
    scope: str = "all pets",
) -> Inventory:
    """Return an Inventory of these pets; ``exact`` names what is exact when it is not complete."""
    columns = PetColumns([], [], [], [])
    for pet_id, name, category_id, status in rows:
        columns.id.append(pet_id)
        columns.name.append(name)
        columns.category_id.append(category_id)
        columns.status.append(status)
    frame = to_frame(columns)
    counts = Counter(status or NO_STATUS for status in columns.status)
    names = (*frame["status"].cat.categories, NO_STATUS)
    is_complete = verdict is Verdict.COMPLETE
    by_status = {name: StatusCount(counts[name], is_complete or name in exact) for name in names}
    claim = Completeness(
        verdict, scope, "as told", rows=len(frame), requests=1, by_status=by_status
    )
    return Inventory(frame, claim, AS_OF, BASE_URL)


def pets(count: int, categories: int = 3) -> list[Row]:
    """Return pets whose statuses and categories go round and round."""
    statuses = ("available", "pending", "sold", None)
    return [(at + 1, f"Pet {at}", at % categories + 1, statuses[at % 4]) for at in range(count)]
