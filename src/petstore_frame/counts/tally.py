"""Counts for the dashboard until it asks ``summarize``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from petstore_frame.counts.pet_table import pandas_frame, typed_frame
from petstore_frame.counts.summary import Summary
from petstore_frame.counts.words import shares_in_words, short
from petstore_frame.inventory import Completeness, Inventory, StatusCount, Verdict
from petstore_frame.inventory.result import completeness as completeness_of
from petstore_frame.schema.categories import category_name
from petstore_frame.schema.frame import status_categories
from petstore_frame.schema.models import NO_STATUS

Mask: TypeAlias = NDArray[np.bool_]
StatusCounts = Summary
__all__ = ["short"]


def per_cent(part: int, whole: int) -> str:
    """Write a part as a percentage of a whole."""
    return shares_in_words([part, whole - part])[0]


def categories_in_words(counts: Summary) -> str:
    """Return the number of categories as text."""
    return counts.categories_in_words


class CodedPets:
    """A pets' table with its categories and statuses turned into small whole numbers, once."""

    def __init__(
        self, frame: pd.DataFrame, labels: Mapping[int, str] | None, completeness: Completeness
    ) -> None:
        self.frame, self._completeness = frame, completeness
        typed = typed_frame(frame)
        status = typed["status"].cat.remove_unused_categories()
        known = (text for text in status.cat.categories if text != NO_STATUS)
        status = status.cat.set_categories(status_categories(known))
        self.statuses = (*status.cat.categories, NO_STATUS)
        width = len(self.statuses)
        self.status_codes = np.mod(status.cat.codes.to_numpy(), width).astype(np.int64)
        codes, ids = pd.factorize(typed["category_id"], sort=True, use_na_sentinel=False)
        self.category_ids = [None if pd.isna(each) else int(each) for each in ids]
        self.category_codes: NDArray[np.int64] = codes.astype(np.int64)
        self.labels = [category_name(number, labels) for number in self.category_ids]
        self._cell_codes = self.category_codes * width + self.status_codes

    @classmethod
    def of(
        cls, pets: Inventory | pd.DataFrame, labels: Mapping[int, str] | None = None
    ) -> CodedPets:
        """Code an Inventory or a frame."""
        frame = pandas_frame(pets, ("id", "name", "category_id", "status"))
        return cls(frame, labels, completeness_of(frame))

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def everything(self) -> Summary:
        """The counts of the whole table."""
        return self.count()

    def count(self, mask: Mask | None = None, *, status: str | None = None) -> Summary:
        """Count the pets, or only those where ``mask`` is true."""
        codes = self._cell_codes if mask is None else self._cell_codes[mask]
        shape = (len(self.category_ids), len(self.statuses))
        cells = np.bincount(codes, minlength=shape[0] * shape[1]).reshape(shape)
        known = self._completeness
        if mask is not None:
            is_exact = known.count(status).is_exact if status else known.total.is_exact
            verdict = Verdict.COMPLETE if is_exact else Verdict.UNKNOWN
            marks = {each: StatusCount(0, known.count(each).is_exact) for each in self.statuses}
            known = replace(
                known, verdict=verdict, rows=len(codes), status=None, by_status=marks,
                part="the filters",
            )  # fmt: skip
        return Summary(tuple(self.category_ids), tuple(self.labels), self.statuses, cells, known)
