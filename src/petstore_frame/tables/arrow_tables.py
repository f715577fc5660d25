"""Converts Arrow tables of other libraries to pandas frames."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from petstore_frame.extras import import_extra
from petstore_frame.schema.text import clean_text

if TYPE_CHECKING:
    import pandas as pd


def pandas_from_arrow(
    source: Any, types_mapper: Callable[[Any], Any] | None = None
) -> pd.DataFrame:
    """Return an Arrow table, or anything with ``__arrow_c_stream__``, as a pandas frame.

    Args:
        source: The table; polars, pyarrow and DuckDB have such an interface.
        types_mapper: Returns the pandas dtype for an Arrow type, or None for the default.
    """
    pyarrow = import_extra("pyarrow", "reading a frame of another library", "history")
    table = _with_signed_indices(pyarrow.table(source), pyarrow)
    frame: pd.DataFrame = table.to_pandas(types_mapper=types_mapper)
    return frame


def attrs_in(schema: Any) -> dict[Hashable, Any]:
    """Return the attrs of the frame that a Parquet file with this schema was written from."""
    attrs = (schema.pandas_metadata or {}).get("attributes")  # of pyarrow
    if not attrs:
        with suppress(ValueError):
            attrs = json.loads((schema.metadata or {}).get(b"PANDAS_ATTRS", b"{}"))  # of pandas
    return attrs if isinstance(attrs, dict) else {}


def damaged_parquet(problem: Exception) -> str:
    """Return why a Parquet file cannot be read; the text of pyarrow is only a detail."""
    reason, _, _ = str(problem).partition(". ")
    return f"the Parquet file is damaged or incomplete ({clean_text(reason or repr(problem))})"


def _with_signed_indices(table: Any, pyarrow: Any) -> Any:
    """Return a table whose dictionaries have signed indices, the only ones that pandas reads.

    polars writes its categories with unsigned indices.
    """
    for position, column in enumerate(table.schema):
        index_type = getattr(column.type, "index_type", None)
        if index_type is None or not str(index_type).startswith("u"):
            continue
        chunks = [
            pyarrow.DictionaryArray.from_arrays(chunk.indices.cast("int64"), chunk.dictionary)
            for chunk in table.column(position).chunks
        ]
        signed_type = pyarrow.dictionary(pyarrow.int64(), column.type.value_type)
        signed = pyarrow.chunked_array(chunks, signed_type)
        table = table.set_column(position, column.name, signed)
    return table
