"""The pets as a data file, raw, for programs.

In: an Inventory and a path. Out: a CSV, a Parquet file or a plain workbook that holds the frame as
it is. ``write_report`` writes files for people, whose cells cannot run as formulas.
"""

from __future__ import annotations

import csv
from pathlib import Path

from petstore_frame.errors import ReportError
from petstore_frame.files.atomic import replacing
from petstore_frame.inventory import Inventory
from petstore_frame.report.data_book import write_data_book
from petstore_frame.report.parquet_file import check_parquet, save_parquet
from petstore_frame.report.whole import refuse_impossible

_ENDINGS = (".csv", ".parquet", ".xlsx")


def check_data_target(target: Path) -> str:
    """Return the ending that names the kind of file, if such a file can be written there.

    Raises:
        ReportError: No data file has this ending, or the file cannot be written there.
        MissingExtraError: The file is Parquet, and pyarrow is not installed.
    """
    refuse_impossible(target)
    ending = target.suffix.lower()
    if ending not in _ENDINGS:
        raise ReportError(f"{target}: a data file is .csv, .parquet or .xlsx; nothing was sent")
    if ending == ".parquet":
        check_parquet()
    return ending


def write_data(inventory: Inventory, target: Path) -> Path:
    """Write the pets to the file of the kind that its ending names, whole or not at all.

    Returns:
        The path written.

    Raises:
        ReportError: The file cannot be written there.
        MissingExtraError: A library for this kind of file is not installed.
        OSError: The disk is full or broken; a file that was there is unchanged.
    """
    ending = check_data_target(target)
    if ending == ".xlsx":
        return write_data_book(inventory, target)
    with replacing(target) as draft:
        if ending == ".csv":
            # Text is quoted: a lone carriage return in a name would be left bare otherwise.
            inventory.frame.to_csv(
                draft, index=False, encoding="utf-8", lineterminator="\n",
                quoting=csv.QUOTE_NONNUMERIC,
            )  # fmt: skip
        else:
            save_parquet(inventory.frame, draft)
    return target
