"""Runs the SQL statements of the folder ``sql`` with DuckDB on Arrow tables.

The statements are plain files that Spark SQL runs unchanged. DuckDB does not verify the checksums
of Parquet files, so it never reads one here: it gets tables that pyarrow has read and verified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import pandas as pd

from petstore_frame.extras import import_extra
from petstore_frame.schema import FIELDS, as_type
from petstore_frame.validation import checked_choice

STATEMENTS = (
    "trend_by_status",
    "trend_by_category",
    "trend_by_category_and_status",
    "moves",
    "ageing",
    "diff",
)
_IN_DIFF = ("id", "name", "category_id", "status")  # the fields that diff.sql names
_FURTHER_FIELDS = "/* further fields */"


def statement(name: str, fields: Sequence[str] = FIELDS.names) -> str:
    """Return the text of a SQL statement, for DuckDB and for Spark SQL.

    Args:
        name: ``trend_by_status``, ``trend_by_category``, ``trend_by_category_and_status``,
            ``moves``, ``ageing``, or ``diff``.
        fields: The fields of a pet that ``diff`` compares, if a pet has more than the usual four.

    Returns:
        The text, which begins with a comment on the views that it reads.

    Example:
        >>> print(statement("diff").partition(".")[0])
        -- Lists the pets that came, went or changed between two listings, by id
    """
    checked_choice("name", name, STATEMENTS)
    text = files("petstore_frame.history").joinpath("sql", f"{name}.sql").read_text("utf-8")
    further_fields = [field for field in fields if field not in _IN_DIFF]
    comparisons = [
        f", CASE WHEN old_pets.{field} IS DISTINCT FROM new_pets.{field} THEN '{field}' END"
        for field in further_fields
    ]
    return text.replace(_FURTHER_FIELDS, "\n        ".join(comparisons))


def run(
    sql: str,
    views: Mapping[str, Any],
    dtypes: Mapping[str, str],
    parameters: Sequence[bool] = (),
) -> pd.DataFrame:
    """Run a statement on pyarrow Tables, and return its rows with the columns of ``dtypes``."""
    duckdb = import_extra("duckdb", "a history", "history")
    with duckdb.connect() as connection:
        for name, table in views.items():
            connection.register(name, table)
        result = connection.sql(sql, params=list(parameters)).to_arrow_table()
    # With the dtypes of Arrow a missing number does not turn the others into floats.
    rows: pd.DataFrame = result.to_pandas(types_mapper=pd.ArrowDtype)
    return as_type(rows, dtypes)[list(dtypes)]
