"""Writes an inventory as a workbook, a CSV, a Parquet file or an HTML page."""

from petstore_frame.report.report_file import check_target, report_name, write_data, write_report
from petstore_frame.storage import refuse_impossible

__all__ = ["check_target", "refuse_impossible", "report_name", "write_data", "write_report"]
