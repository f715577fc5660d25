"""Writes an inventory as a workbook, a CSV, a Parquet file or an HTML page."""

from petstore_frame.report.report_file import check_target, report_name, write_data, write_report

__all__ = ["check_target", "report_name", "write_data", "write_report"]
