"""What a report shows, before it has a form.

In: an Inventory or a frame, and labels. Out: Facts: checked rows, counts, and the claim they
carry. It is the same for every file format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from petstore_frame.counts.pet_table import (
    category_ids,
    pandas_frame,
    status_texts,
    whole_categories,
    whole_ids,
)
from petstore_frame.counts.tally import CodedPets, StatusCounts
from petstore_frame.inventory import Completeness, Inventory, Verdict
from petstore_frame.inventory.seal import SealState, read_seal
from petstore_frame.schema.categories import Categories, category_name, shown_labels
from petstore_frame.schema.fields import PET_COLUMNS
from petstore_frame.schema.palette import status_colours
from petstore_frame.schema.surrogates import whole_text

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Facts:
    """Everything that a report may show.

    Attributes:
        frame: One row per pet; ``id`` int64, ``category_id`` int64 (Int64 where one is missing),
            ``status`` category.
        claim: What the frame covers, or None for a frame without a claim.
        as_of: When the store was read, UTC, or None.
        base_url: The store's address, or None.
        labels: What a category is called, by its id.
        origin: Where rows without a claim come from, as text.
    """

    frame: pd.DataFrame
    claim: Completeness | None
    as_of: datetime | None
    base_url: str | None
    labels: Mapping[int, str]
    origin: str = "from a table without a record of how it was read"

    @cached_property
    def counts(self) -> StatusCounts:
        """Pets by category and status; without a claim every count is a minimum."""
        return CodedPets(self.inventory, self.labels).everything

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses as shown: the interface's three, others seen, then "no status"."""
        return self.counts.statuses

    @property
    def inventory(self) -> Inventory:
        """The same facts as an Inventory; without a claim its counts are minimums."""
        claim = self.claim
        if claim is None:
            basis = "the rows came as a table without a claim"
            claim = Completeness(Verdict.UNKNOWN, "all pets", basis, len(self.frame), requests=0)
        when = self.as_of or datetime.fromtimestamp(0, UTC)
        return Inventory(self.frame, claim, when, self.base_url or "")

    @property
    def colours(self) -> dict[str, str]:
        """The colour of each status, in the order shown."""
        return status_colours(self.statuses)

    @property
    def columns(self) -> list[str]:
        """The columns of a plain file: those of the frame, and the categories' names if given."""
        return [*PET_COLUMNS[:3], *(["category"] if self.labels else []), PET_COLUMNS[3]]

    def rows(self, start: int, stop: int) -> Iterator[tuple[str, ...]]:
        """Yield pets as text, in the order of ``columns``; what is missing is empty."""
        part = self.frame.iloc[start:stop]
        ids = map(str, part["id"].tolist())
        categories = category_ids(part["category_id"])
        words = [*map(str, part["status"].cat.categories), ""]
        statuses = [words[code] for code in part["status"].cat.codes.tolist()]
        numbers = ["" if one is None else str(one) for one in categories]
        columns = [ids, part["name"].tolist(), numbers, statuses]
        if self.labels:
            names = {one: self.label(one) for one in set(categories)}
            columns.insert(3, [names[one] for one in categories])
        return zip(*columns, strict=True)

    def data(self, start: int, stop: int) -> Iterator[tuple[int | str | None, ...]]:
        """Yield pets in the order of ``PET_COLUMNS``; what is missing is None."""
        part = self.frame.iloc[start:stop]
        words: list[str | None] = [*map(str, part["status"].cat.categories), None]
        statuses = [words[code] for code in part["status"].cat.codes.tolist()]
        categories = category_ids(part["category_id"])
        return zip(part["id"].tolist(), part["name"].tolist(), categories, statuses, strict=True)

    @property
    def covers_all(self) -> bool:
        """Whether every pet of the store is here, so that shares have a known denominator."""
        return self.claim is not None and self.claim.covers_all

    def label(self, category_id: int | None) -> str:
        """Return what a category is called; None is a missing one."""
        return category_name(category_id, self.labels)

    @property
    def claim_sentence(self) -> str:
        """The claim in one sentence, also where there is none."""
        if self.claim is None:
            pets = f"{len(self.frame):,} {'pet' if len(self.frame) == 1 else 'pets'}"
            return f"coverage not known: {pets}, {self.origin}"
        return str(self.claim)


def gather(pets: Any, categories: Categories = None) -> Facts:
    """Check what a report is asked to show.

    Args:
        pets: An Inventory, or a frame with the columns of ``PET_COLUMNS``.
        categories: Labels by category id, as everywhere.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame.
        InputError: A column is missing, or ids are not whole numbers.
    """
    labels = shown_labels(categories)
    given = pets.frame if isinstance(pets, Inventory) else pets
    frame, known = _checked_frame(given), read_seal(given)
    if known.state is SealState.CHANGED:
        rows = "rows were left out, added or changed after the store was read"
        origin = f"{rows} ({known.completeness})"
        return Facts(frame, None, known.fetched_at, known.base_url, labels, origin)
    if isinstance(pets, Inventory):
        return Facts(frame, pets.completeness, pets.fetched_at, pets.base_url, labels)
    return Facts(frame, known.current, known.fetched_at, known.base_url, labels)


def _checked_frame(pets: Any) -> pd.DataFrame:
    """Return the four columns of the pets as pandas, with their dtypes."""
    import pandas as pd

    frame = pandas_frame(pets)
    return pd.DataFrame(
        {
            "id": whole_ids(frame["id"]).array,
            "name": _texts(frame["name"]),
            "category_id": whole_categories(frame["category_id"]).array,
            "status": status_texts(frame["status"]).array,
        }
    )


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return names as text; a missing one is empty, as a store can send it."""
    texts = column.reset_index(drop=True)
    if texts.dtype == "object":
        texts = texts.map(whole_text, na_action="ignore")
    return texts.astype("str").fillna("")
