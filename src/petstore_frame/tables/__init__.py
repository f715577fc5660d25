"""Reads tables from files: CSV, Excel, JSON lines and Parquet, plain or packed by gzip.

``table_file`` reads a file into memory and returns its rows as text cells; ``file_kinds`` says
which kind it is. Each kind has its reader: ``csv_file``, ``excel_file`` and ``typed_tables``.
``categories`` gives names to the numbers of categories.
"""

from petstore_frame.tables.arrow_tables import damaged_parquet, pandas_from_arrow
from petstore_frame.tables.categories import Categories, Labels

__all__ = [
    "Categories",
    "Labels",
    "damaged_parquet",
    "pandas_from_arrow",
]
