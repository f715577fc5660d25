"""Which pet of the store each record of a list is, and where the two differ.

Nothing is paired by chance: a pair is one key with one pet, or one record with one pet in a group
that has no other. Everything here is pure pandas over whole columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from petstore_frame.schema.models import SENT_FIELDS, Column

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

FIELDS = tuple(field.name for field in SENT_FIELDS)
IN_STORE = "_in_store"


def shared_dtype(field: Column) -> str:
    """Return the dtype in which both sides hold a field, missing values included."""
    return {"int64": "Int64", "category": "str"}.get(field.dtype, field.dtype)


class Kind(StrEnum):
    """What a comparison says of one animal."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_IN_LIST = "only in list"
    NOT_SEEN = "not seen"
    ONLY_IN_STORE = "only in store"
    AMBIGUOUS = "ambiguous"
    IN_DOUBT = "in doubt"
    INVALID = "invalid"


def match_by_key(listed: pd.DataFrame, keys: pd.DataFrame, stored: pd.DataFrame) -> pd.DataFrame:
    """Pair records with pets through the table of keys.

    Args:
        listed: One row per record: ``record``, ``line``, ``key``, the fields of a pet, and
            ``problem`` (missing where the record can be compared).
        keys: One row per key that the journal knows: ``key``, ``id`` (missing where none is
            known) and ``is_in_doubt``.
        stored: The frame of an inventory.

    Returns:
        One row per animal, as ``Comparison.frame`` has it.
    """
    known = listed.merge(keys, on="key", how="left")
    both = known.merge(_theirs(stored), on="id", how="left", indicator="seen")
    is_there = both.pop("seen").eq("both")
    kind = _kinds(
        both,
        (both["problem"].notna(), Kind.INVALID),
        (both["is_in_doubt"].fillna(value=False).astype(bool), Kind.IN_DOUBT),
        (~is_there, Kind.ONLY_IN_LIST),
    )
    rest = stored[~stored["id"].isin(both["id"])]
    rows = _compared(both.drop(columns="is_in_doubt"), kind)
    return _stacked(rows, _pets(rest, str(Kind.ONLY_IN_STORE)))


def match_on(listed: pd.DataFrame, stored: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Pair records with pets that are equal in some fields, where that leaves no choice.

    Records and pets that are equal in ``on`` are one group. One of each is a pair; as many
    of each, equal in every field, are the same, whichever is which, and their ``id`` is missing.
    A group with only one side is only there; any other is ambiguous, all of it.

    Args:
        listed: As for ``match_by_key``; keys are not looked at.
        stored: The frame of an inventory.
        on: The fields that make a record and a pet equal.

    Returns:
        As ``match_by_key``.
    """
    import numpy as np

    good = listed[listed["problem"].isna()].reset_index(drop=True)
    bad = listed[listed["problem"].notna()]
    groups = _Groups(good, stored, on)
    pair_of = groups.partners(stored["id"].to_numpy())
    both = good.assign(id=pair_of).merge(_theirs(stored), on="id", how="left")
    kind = _kinds(
        both,
        (groups.theirs[groups.of_ours] == 0, Kind.ONLY_IN_LIST),
        (~(groups.is_pair | groups.is_equal)[groups.of_ours], Kind.AMBIGUOUS),
        (~groups.is_pair[groups.of_ours], Kind.SAME),
    )
    is_taken = (groups.is_pair | groups.is_equal)[groups.of_theirs]
    has_record = groups.ours[groups.of_theirs[~is_taken]] > 0
    kinds = np.where(has_record, str(Kind.AMBIGUOUS), str(Kind.ONLY_IN_STORE))
    return _stacked(
        _compared(both, kind),
        bad.assign(kind=str(Kind.INVALID), difference=""),
        _pets(stored[~is_taken], kinds),
    )


class _Groups:
    """Records and pets by what they are equal in.

    Attributes:
        of_ours: The group of each record.
        of_theirs: The group of each pet.
        ours: How many records each group has.
        theirs: How many pets each group has.
        is_pair: Whether a group is one record and one pet.
        is_equal: Whether a group has as many records as pets, equal in every field.
    """

    def __init__(self, listed: pd.DataFrame, stored: pd.DataFrame, on: Sequence[str]) -> None:
        import numpy as np

        group = _numbers(listed, stored, on)
        whole = _numbers(listed, stored, FIELDS)
        cut = len(listed)
        self.of_ours, self.of_theirs = group[:cut], group[cut:]
        size = int(group.max(initial=-1)) + 1
        self.ours = np.bincount(self.of_ours, minlength=size)
        self.theirs = np.bincount(self.of_theirs, minlength=size)
        self.is_pair = (self.ours == 1) & (self.theirs == 1)
        sign = np.where(np.arange(len(group)) < cut, 1, -1)
        surplus = np.bincount(whole, weights=sign)[whole] != 0  # of each row's equals
        self.is_equal = np.ones(size, dtype=bool)
        self.is_equal[group[surplus]] = False

    def partners(self, ids: np.ndarray) -> pd.Series:
        """Return the id of each record's only partner, Int64; missing where there is a choice."""
        import numpy as np
        import pandas as pd

        id_of = np.zeros(len(self.ours), dtype="int64")
        id_of[self.of_theirs] = ids
        found = pd.Series(id_of[self.of_ours], dtype="Int64")
        return found.where(self.is_pair[self.of_ours])


def _numbers(listed: pd.DataFrame, stored: pd.DataFrame, fields: Sequence[str]) -> np.ndarray:
    """Number the distinct values of these fields, over both sides alike."""
    import pandas as pd

    columns = list(fields)
    rows = pd.concat([_comparable(listed[columns]), _comparable(stored[columns])])
    numbers: np.ndarray = rows.groupby(columns, dropna=False, sort=False).ngroup().to_numpy()
    return numbers


def _comparable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the same values in dtypes that both sides share."""
    return frame.astype(
        {field.name: shared_dtype(field) for field in SENT_FIELDS if field.name in frame}
    )


def _theirs(stored: pd.DataFrame) -> pd.DataFrame:
    """Return the store's side with names of its own."""
    fields = _comparable(stored[list(FIELDS)]).add_suffix(IN_STORE)
    return fields.assign(id=stored["id"].astype("Int64"))


def _kinds(rows: pd.DataFrame, *decided: tuple[object, Kind]) -> pd.Series:
    """Give each row the first kind that applies to it; else it is compared field by field."""
    import numpy as np
    import pandas as pd

    conditions = [np.asarray(condition, dtype=bool) for condition, _ in decided]
    kind = np.select(conditions, [str(name) for _, name in decided], default=str(Kind.SAME))
    return pd.Series(kind, index=rows.index, dtype="str")


def _compared(both: pd.DataFrame, kind: pd.Series) -> pd.DataFrame:
    """Name where the pairs differ, and call those changed."""
    difference = _differences(both, kind)
    return both.assign(kind=kind.where(difference.eq(""), str(Kind.CHANGED)), difference=difference)


def _pets(stored: pd.DataFrame, kind: Any) -> pd.DataFrame:
    """Return pets that no record is."""
    return _theirs(stored).assign(kind=kind, difference="")


def _stacked(*parts: pd.DataFrame) -> pd.DataFrame:
    """Put parts below each other, in the columns and dtypes that every comparison has."""
    import pandas as pd

    dtypes: dict[str, Any] = {
        "kind": pd.CategoricalDtype([str(kind) for kind in Kind]),
        "difference": "str",
        "record": "Int64",
        "line": "Int64",
        "key": "str",
        "id": "Int64",
    }
    for field in SENT_FIELDS:
        dtypes |= dict.fromkeys((field.name, field.name + IN_STORE), shared_dtype(field))
    dtypes["problem"] = "str"
    shaped = [part.reindex(columns=list(dtypes)).astype(dtypes) for part in parts]
    return pd.concat(shaped, ignore_index=True)


def _differences(both: pd.DataFrame, kind: pd.Series) -> pd.Series:
    """Name the fields in which each pair differs; what a list leaves empty it does not state."""
    import pandas as pd

    names = pd.Series("", index=both.index, dtype="str")
    is_pair = kind.eq(Kind.SAME) & both["id"].notna()
    for field in FIELDS:
        ours, theirs = both[field], both[field + IN_STORE]
        differs = (is_pair & ours.notna() & ours.ne(theirs).fillna(value=True)).astype(bool)
        names = names.where(~differs, names + ", " + field)
    return names.str.removeprefix(", ")
