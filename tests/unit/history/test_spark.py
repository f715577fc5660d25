"""Spark runs the same statements on the same files, and returns the same rows."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.history import statement
from petstore_frame.inventory import Verdict
from unit.history.conftest import BIG, listing

PAGE = Path(__file__).parents[3] / "docs/how_to/history.md"
DAYS = {
    "2026-11-01": [
        (1, "Ada", 3, "available"), (2, "Bo", 3, None), (4, "Cy", 3, "available"),
        (BIG, "Di", BIG, "lost"),
    ],
    "2026-11-04": [(1, "Ada", 3, "sold"), (4, "Cy", 3, "available"), (5, "NA", BIG, "available")],
    "2026-11-12": [(4, "Cy", 7, "available"), (5, "NA", BIG, "pending"), (6, "Eve", 3, None)],
}  # fmt: skip
SPARK_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # For a few rows, compiling costs more than it saves.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
pytestmark = [
    pytest.mark.spark,
    pytest.mark.xdist_group("spark"),
    # pyspark says this once at import; that it works is what these tests show.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
]


@pytest.fixture(scope="module")
def spark():
    """A Spark session with two threads, or a skip that says what is missing."""
    pytest.importorskip("pyspark", reason="needs the extra spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 or later, and there is none on the PATH")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("petstore_frame tests")
    session = builder.config(map=SPARK_SETTINGS).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def history(tmp_path_factory) -> pf.History:
    """Two complete days and one that is not, with gaps between them."""
    history = pf.History(tmp_path_factory.mktemp("spark") / "history")
    for day, pets in DAYS.items():
        verdict = Verdict.UNKNOWN if day == "2026-11-12" else Verdict.COMPLETE
        history.add(listing(day, pets, verdict=verdict))
    return history


@pytest.fixture(scope="module")
def page(spark, history):
    """The names that the example of the page about histories leaves behind."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    (example,) = [block for block in blocks if "pyspark" in block]
    names = {"history": history}
    exec(example, names)
    return names


def rows_of(spark, history: pf.History, name: str) -> pd.DataFrame:
    """The rows of a statement on Spark."""
    parameters = []
    if name == "diff":
        for view, path in zip(
            ("old_pets", "new_pets"), history.snapshots()["path"][1:], strict=True
        ):
            spark.read.parquet(path).createOrReplaceTempView(view)
        parameters = [True, False]
    # toPandas() uses an argument that pandas 3 warns of.
    return spark.sql(statement(name), args=parameters).toArrow().to_pandas()


ANSWERS = {
    "trend_by_status": lambda history: history.trend(),
    "trend_by_category": lambda history: history.trend("category_id"),
    "trend_by_category_and_status": lambda history: history.trend(["category_id", "status"]),
    "moves": lambda history: history.flow().moves,
    "ageing": lambda history: history.flow().ageing,
    "diff": lambda history: history.diff().frame,
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ANSWERS)
def test_spark_returns_the_same_rows(spark, history, page, name: str) -> None:
    """Values, missing values, columns and order are those of DuckDB, to the last digit."""
    expected = ANSWERS[name](history)
    rows = rows_of(spark, history, name)
    assert list(rows.columns) == list(expected.columns) and len(expected) > 0
    for column in expected:
        if expected[column].dtype.kind == "M":
            rows[column] = pd.to_datetime(rows[column])
    shown = rows.astype("object").where(rows.notna(), None)
    pd.testing.assert_frame_equal(
        shown, expected.astype("object").where(expected.notna(), None), check_dtype=False
    )


def test_spark_verifies_checksums_as_the_page_shows(page, history, tmp_path) -> None:
    """A flipped bit in the rows ends a question on Spark too, with the option of the page."""
    folder = tmp_path / "history"
    shutil.copytree(history.folder, folder)
    file = folder / "date=2026-11-04" / "pets.parquet"
    damaged = bytearray(file.read_bytes())
    for position in range(20, len(damaged) - 8 - int.from_bytes(damaged[-8:-4], "little"), 20):
        damaged[position] ^= 1
    file.write_bytes(damaged)
    pets = page["read_pets"](pf.History(folder))
    with pytest.raises(Exception, match=r"(?i)checksum|crc|corrupt"):
        pets.select("id", "name", "status").collect()


def test_a_spark_frame_is_counted(history, page) -> None:
    """``summarize`` counts a frame of Spark as it counts the same inventory."""
    pets = page["read_pets"](history).where("date = '2026-11-01'")
    expected = pf.summarize(history.read("2026-11-01")).frame
    pd.testing.assert_frame_equal(pf.summarize(pets).frame, expected)
