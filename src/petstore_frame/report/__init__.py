"""The same facts as a file: workbook, CSV, Parquet or one HTML page."""

from petstore_frame.report.write import write_report

__all__ = ["write_report"]
