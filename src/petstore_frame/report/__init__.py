"""The same facts as a file: workbook, CSV, Parquet or one HTML page."""

from petstore_frame.files import refuse_impossible
from petstore_frame.report.write import check_target, report_name, write_data, write_report

__all__ = ["check_target", "refuse_impossible", "report_name", "write_data", "write_report"]
