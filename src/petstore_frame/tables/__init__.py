"""Reads tables from files: CSV, Excel, JSON lines and Parquet, plain or packed by gzip.

``table_file`` reads a file into memory and returns its rows as text cells; ``file_kinds`` says
which kind it is. Each kind has its reader: ``csv_file``, ``excel_file`` and ``typed_tables``.
``table_frame`` returns a file of records as a pandas frame.
``categories`` gives names to the numbers of categories.
"""

from petstore_frame.tables.arrow_tables import pandas_from_arrow
from petstore_frame.tables.categories import Categories, Labels
from petstore_frame.tables.file_kinds import marked_encoding
from petstore_frame.tables.table_file import TableFile
from petstore_frame.tables.table_frame import read_frame, refuse_wrong_numbers

__all__ = [
    "Categories",
    "Labels",
    "TableFile",
    "marked_encoding",
    "pandas_from_arrow",
    "read_frame",
    "refuse_wrong_numbers",
]
