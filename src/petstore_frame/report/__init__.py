"""The same facts as a file: workbook, CSV, Parquet or one HTML page."""

from petstore_frame.report.data_book import write_data_book
from petstore_frame.report.whole import refuse_impossible
from petstore_frame.report.write import check_target, write_report

__all__ = ["check_target", "refuse_impossible", "write_data_book", "write_report"]
