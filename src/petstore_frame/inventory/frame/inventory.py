"""The pets that could be read, and their completeness."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn, Self

from petstore_frame.errors import ArgumentError, IncompleteInventoryError
from petstore_frame.inventory.frame.coverage import (
    ATTRS_KEY,
    Coverage,
    HasProvenance,
    Provenance,
    completeness_of_counts,
    completeness_of_part,
    coverage_facts,
    coverage_in_attrs,
    coverage_now,
    rows_fingerprint,
    status_counts,
)
from petstore_frame.inventory.verdict.completeness import Completeness, completeness_html
from petstore_frame.inventory.verdict.facts import Verdict
from petstore_frame.schema import FIELDS, NO_STATUS, PET_STATUSES, as_type, count_text
from petstore_frame.tables import Categories, Labels
from petstore_frame.validation import checked_choice, checked_frame, checked_integer, listed, shown

if TYPE_CHECKING:
    import pandas as pd


_MAX_ROWS = 5


@dataclass(frozen=True, eq=False)
class Inventory(HasProvenance):
    """The pets that were read, and what they cover; ``fetch_inventory`` returns it.

    A notebook shows the verdict, the counts and the first rows. ``len()`` is the number of pets.
    An Inventory is not a DataFrame; use ``.frame``.

    Attributes:
        frame: One row per pet, with the columns and dtypes of ``PET_COLUMNS``, then your own.
        provenance: The store's address and id, and the time of the reading; also available as
            ``.base_url``, ``.store_id`` and ``.fetched_at``.
    """

    frame: pd.DataFrame
    provenance: Provenance
    # The coverage when the rows were read; None takes it from the attrs of the frame, once.
    _coverage: Coverage | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self._coverage is None:
            object.__setattr__(self, "_coverage", coverage_in_attrs(self.frame))
        elif ATTRS_KEY not in self.frame.attrs:  # such as the result of a merge
            self.frame.attrs[ATTRS_KEY] = coverage_facts(self._coverage, self.provenance)

    @staticmethod
    def from_frame(
        frame: pd.DataFrame,
        *,
        verdict: Verdict | str = Verdict.COMPLETE,
        exact: Collection[str] = (),
        status: str | None = None,
        reason: str = "made-up data",
        fetched_at: datetime | None = None,
        base_url: str = "http://127.0.0.1/v1",
        store_id: str | None = None,
    ) -> Inventory:
        """Return an Inventory of a frame that was not read from a store, for examples and tests.

        Args:
            frame: One row per pet, with the columns of ``PET_COLUMNS``.
            verdict: Verdict of the completeness.
            exact: Statuses whose counts are exact although the verdict is not complete.
            status: The requested status; None for all pets.
            reason: Reason for the verdict, as a sentence.
            fetched_at: Time of the reading; None is now.
            base_url: Address of the store.
            store_id: Id of the store, if it has one.

        Raises:
            ArgumentError: ``frame`` is no DataFrame of pandas.
            InputError: A column is missing.
        """
        checked_frame("frame", frame, FIELDS.names, "a frame with the columns of pf.PET_COLUMNS")
        checked_choice("verdict", verdict, Verdict)
        verdict, counts = Verdict(verdict), status_counts(frame)
        if verdict is Verdict.COMPLETE:
            exact = counts if status is None else [*exact, status]
        completeness = completeness_of_counts(
            counts, verdict, reason, exact, status=status, requests=1
        )
        provenance = Provenance(base_url, fetched_at or datetime.now(UTC), store_id)
        return inventory_of(frame.copy(deep=False), completeness, provenance)

    @property
    def completeness(self) -> Completeness:
        """What the current rows of ``frame`` cover.

        If rows were dropped, added or edited, the verdict is ``unknown``, and ``reason`` says why.
        You can sort the frame, change its index and add columns.
        """
        return coverage_of(self).completeness

    def where(
        self,
        *,
        status: str | Collection[str] | None = None,
        category_id: int | Collection[int] | None = None,
    ) -> Inventory:
        """Return the pets that pass a filter, with the completeness of this selection.

        If you filter ``frame`` yourself, the completeness of the rows is unknown.

        Args:
            status: A status or several, including ``no status``; None for all.
            category_id: A category id or several; None for all.

        Raises:
            ArgumentError: No pet can have such a value: the status is neither in the interface nor
                a status of a pet that was read, or the category id is not a whole number.

        Example:
            >>> import petstore_frame as pf
            >>> with pf.serve(sample=9, seed=7) as server, server.client() as client:
            ...     inventory = pf.fetch_inventory(client)
            >>> print(inventory.where(status=["pending", "sold"]).completeness)
            complete: 6 pets with status pending or sold
        """
        rows, conditions, completeness = self.frame, list[str](), self.completeness
        statuses = None
        if status is not None:
            choices = dict.fromkeys([*PET_STATUSES, NO_STATUS, *completeness.by_status])
            statuses = [
                checked_choice("status", name, choices) for name in _as_list("status", status)
            ]
            column = rows["status"].astype("category")
            matches = column.isin(statuses)
            if NO_STATUS in statuses:
                matches |= column.isna()
            rows = rows[matches]
            conditions.append(f"status {' or '.join(statuses)}")
        if category_id is not None:
            numbers = [
                checked_integer("category_id", number)
                for number in _as_list("category_id", category_id)
            ]
            rows = rows[rows["category_id"].isin(numbers)]
            conditions.append(f"category {' or '.join(map(str, numbers))}")
        description = " and ".join(conditions)
        return select_part(self, rows, description, statuses, completeness)

    def require_complete(self) -> Self:
        """Return this Inventory if it is complete; otherwise, raise.

        Raises:
            IncompleteInventoryError: The verdict is not complete. The message has the evidence,
                and ``.partial`` is this Inventory.
        """
        completeness = self.completeness
        if completeness.is_complete:
            return self
        sentences = [completeness.reason, *map(str, completeness.contradictions)]
        evidence = " ".join(dict.fromkeys(filter(None, sentences)))
        raise IncompleteInventoryError(
            f"{completeness}, so this may not be all: {evidence} "
            "Use the Inventory itself for the pets that were read, or fetch it again",
            partial=self,
        )

    def with_ids(self, ids: pd.DataFrame) -> Self:
        """Return the same pets with your own keys in a column.

        Args:
            ids: A table of ``key`` and pet ``id``, as ``pf.read_ids(client)`` returns it. If a pet
                has several keys, they are separated by commas.

        Returns:
            An Inventory whose ``frame`` has a last column ``key`` (str), which is missing for pets
            without a key.

        Raises:
            ArgumentError: The table has no columns ``key`` and ``id``.
        """
        if lacking := {"key", "id"} - {*getattr(ids, "columns", ())}:
            raise ArgumentError(
                "ids must be a table with the columns key and id, as pf.read_ids(client) returns "
                f"it; {' and '.join(sorted(lacking))} is missing"
            )
        pairs = ids[ids["id"].notna() & ids["key"].notna()].astype({"id": "int64"})
        keys = pairs.groupby("id", sort=False)["key"].agg(lambda keys: ", ".join(map(str, keys)))
        frame = self.frame.assign(key=as_type(self.frame["id"].map(keys), "str"))
        return replace(self, frame=frame)

    def to_frame(
        self, categories: Categories = None, *, no_status: str = NO_STATUS
    ) -> pd.DataFrame:
        """Return a frame to count with pandas, which ignores missing values when it counts.

        Args:
            categories: Labels by category id: a dict, a Series or a CSV path.
            no_status: Status of the pets that have none.

        Returns:
            The frame without missing values in ``status``, and with the labels (category) in a
            column after ``category_id``. It is called ``category``, or ``category (store)`` if you
            have a column of that name.
        """
        labels, frame = Labels(categories), self.frame.copy()
        status = frame["status"].astype("category")
        if no_status not in status.cat.categories:
            status = status.cat.add_categories([no_status])
        frame["status"] = status.fillna(no_status)
        ids = frame["category_id"]
        names = {category_id: labels[int(category_id)] for category_id in ids.unique()}
        position = list(frame.columns).index("category_id") + 1
        label_column = _unused_name("category", frame)
        frame.insert(position, label_column, ids.map(names).astype("category"))
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Return the completeness, the time and the store as JSON values, without the rows."""
        facts = inventory_facts(self)
        del facts["digest"]
        return facts

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Return the pets as an Arrow stream, so that polars, DuckDB and pyarrow can read them."""
        return self.frame.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.frame)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "an Inventory is neither true nor false; use len(inventory) for the number of pets, or "
            "inventory.completeness.is_complete"
        )

    if not TYPE_CHECKING:  # a type checker knows the attributes, and reports all others

        def __getattr__(self, name: str) -> NoReturn:
            if not name.startswith("_"):
                import pandas as pd

                if name == "df" or hasattr(pd.DataFrame, name):
                    attribute = "" if name == "df" else f".{name}"
                    raise AttributeError(f"an Inventory is not a DataFrame; use .frame{attribute}")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        def __getitem__(self, key: object) -> NoReturn:
            raise TypeError(f"an Inventory is not a DataFrame; use .frame[{key!r}]")

        def __iter__(self) -> NoReturn:
            raise TypeError("an Inventory is not a DataFrame; use .frame, or .frame.itertuples()")

    def __repr__(self) -> str:
        return f"<Inventory: {self.completeness}, from {self.base_url}>"

    def _repr_html_(self) -> str:
        from petstore_frame.rendering import Markup, in_notebook, shorten

        completeness, first_rows = self.completeness, self.frame.head(_MAX_ROWS)
        requests = count_text(completeness.requests, "request")
        note = f"{self.base_url} · {self.fetched_at:%Y-%m-%d %H:%M:%S %Z} · {requests}"
        first_rows = first_rows.assign(name=first_rows["name"].map(shorten))
        table = first_rows.to_html(index=False, border=0, na_rep="—") if len(first_rows) else ""
        return in_notebook(completeness_html(completeness, note) + Markup(table))  # pandas escapes


def inventory_of(
    frame: pd.DataFrame, completeness: Completeness, provenance: Provenance
) -> Inventory:
    """Return an Inventory of a frame with this coverage, which is also written into its attrs."""
    coverage = Coverage(completeness, rows_fingerprint(frame))
    frame.attrs[ATTRS_KEY] = coverage_facts(coverage, provenance)
    return Inventory(frame, provenance, coverage)


def select_part(
    inventory: Inventory,
    rows: pd.DataFrame,
    description: str,
    statuses: Collection[str] | None = None,
    completeness: Completeness | None = None,
) -> Inventory:
    """Return an Inventory of the rows of another Inventory that pass a filter.

    Args:
        inventory: All pets.
        rows: The rows of its frame that pass.
        description: The filter, as text that follows "with".
        statuses: The statuses that can pass, or None for all.
        completeness: The completeness of ``inventory``; None looks it up.
    """
    all_pets = inventory.completeness if completeness is None else completeness
    part = completeness_of_part(all_pets, description, status_counts(rows), statuses)
    return inventory_of(rows.copy(deep=False), part, inventory.provenance)


def inventory_facts(inventory: Inventory) -> dict[str, Any]:
    """Return the coverage and provenance to store with the rows in a file, as JSON values."""
    return coverage_facts(coverage_of(inventory), inventory.provenance)


def coverage_of(pets: pd.DataFrame | Inventory) -> Coverage:
    """Return what the current rows cover, which an Inventory knows and a frame has in its attrs."""
    if isinstance(pets, Inventory):
        return coverage_now(pets.frame, pets._coverage)  # noqa: SLF001 # same module
    return coverage_now(pets)


def _unused_name(name: str, frame: pd.DataFrame) -> str:
    """Return a column name that a frame does not have, by the same rule as reports."""
    while name in frame.columns:
        name += " (store)"
    return name


def _as_list(name: str, value: Any) -> list[Any]:
    """Return one or several values as a non-empty list."""
    values = listed(value)
    if values is None:
        return [value]
    if not values:
        raise ArgumentError(f"{name} must be one value or several, got an empty list")
    return values


def completeness(pets: pd.DataFrame | Inventory) -> Completeness:
    """Return what the current rows of a frame of pets cover.

    If rows were dropped, added or edited, the verdict is ``unknown``, and ``reason`` says why. You
    can sort the frame, add columns, or write it to Parquet and read it back.

    Args:
        pets: The ``.frame`` of an Inventory, a frame made from it, or an Inventory.

    Raises:
        ArgumentError: ``pets`` is neither a frame nor an Inventory.

    Example:
        >>> import pandas as pd
        >>> str(completeness(pd.DataFrame({"id": [1, 2]})))
        'unknown: at least 2 pets'
    """
    if isinstance(pets, Inventory):
        return pets.completeness
    if not (hasattr(pets, "columns") and hasattr(pets, "attrs")):
        raise ArgumentError(f"pets must be a frame of pets or an Inventory, got {shown(pets)}")
    return coverage_of(pets).completeness
