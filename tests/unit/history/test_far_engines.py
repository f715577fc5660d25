"""The four questions on Dask and on Spark, which take seconds to start."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import narwhals as nw
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.history.engines import to_pandas

BIG = 2**53 + 1
MakeInventory = Callable[..., pf.Inventory]
DAYS = {
    "2026-11-01": [(1, "Ada", 3, "available"), (2, "Bo", 3, None), (BIG, "Di", BIG, "lost")],
    "2026-11-02": [(1, "Ada", 3, "pending"), (5, "NA", BIG, "available")],
    "2026-11-04": [(1, "Ada", 3, "sold"), (5, "NA", BIG, "available")],
}


@pytest.fixture(scope="module")
def dask() -> Iterator[None]:
    """A Dask worker of two threads in a process of its own, as the current client, or a skip."""
    pytest.importorskip("dask.dataframe", reason="needs the extra dask")
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster),
    ):
        yield


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A Spark of two threads, or a skip that says what is absent."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed: python -m pip install 'petstore-frame[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 or later, and there is none on the PATH")
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        # For a few rows, compiling costs more than it saves.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    builder = SparkSession.builder.master("local[2]").appName("petstore_frame tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def same_counts(far: pf.History, near: pf.History) -> None:
    """Counts of a frame of the engine are a frame of the engine, with the same numbers."""
    opened = far.open("2026-11-01")
    counted = pf.summarize(opened)
    assert type(counted) is type(opened)
    here = to_pandas(counted.drop("category_id", axis=1) if far.engine == "dask" else
                     nw.from_native(counted).drop("category_id").to_native())  # fmt: skip
    expected = pf.summarize(near.open("2026-11-01")).drop(columns="category_id")
    pd.testing.assert_frame_equal(here, pd.DataFrame(expected), check_dtype=False)


def same_diff(far: pf.History, near: pf.History) -> None:
    """The same pets came, went and changed, with ids to the last digit."""
    for days in ((), ("2026-11-01", "2026-11-04")):
        pd.testing.assert_frame_equal(far.diff(*days).frame, near.diff(*days).frame)


def same_trend(far: pf.History, near: pf.History) -> None:
    """The same counts by day, status and category."""
    by = ["status", "category_id"]
    pd.testing.assert_frame_equal(far.trend(by), near.trend(by))


def same_flow(far: pf.History, near: pf.History) -> None:
    """The same moves, turnover, sell-through and ages."""
    there, here = far.flow(), near.flow()
    for name in ("moves", "turnover", "sell_through", "ageing"):
        pd.testing.assert_frame_equal(getattr(there, name), getattr(here, name))


QUESTIONS = {"summarize": same_counts, "diff": same_diff, "trend": same_trend, "flow": same_flow}


def ask(question: str, engine: str, folder: Path, make_inventory: MakeInventory) -> None:
    """Hold an engine's answer about three days, in a folder with a star, against that of pandas."""
    far = pf.History(folder / "a*b [1]", engine=engine)
    for day, pets in DAYS.items():
        far.add(make_inventory(day, pets))
    QUESTIONS[question](far, pf.History(far.folder, engine="pandas"))


@pytest.mark.xdist_group("dask")
@pytest.mark.usefixtures("dask")
@pytest.mark.parametrize("question", QUESTIONS)
def test_dask_answers_as_pandas_does(question: str, tmp_path: Path, make_inventory) -> None:
    """A far engine gives the same answer as pandas, to the last digit."""
    ask(question, "dask", tmp_path, make_inventory)


@pytest.mark.spark
@pytest.mark.sampled(1)
@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("spark")
# pyspark says this once at import; that it works is what these tests show.
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning")
@pytest.mark.parametrize("question", QUESTIONS)
def test_spark_answers_as_pandas_does(question: str, tmp_path: Path, make_inventory) -> None:
    """A far engine gives the same answer as pandas, to the last digit."""
    ask(question, "spark", tmp_path, make_inventory)
