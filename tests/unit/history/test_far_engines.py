"""The questions on Dask and on Spark, which take seconds to start."""

from __future__ import annotations

import os
import shutil

import pandas as pd
import pytest

import petstore_frame as pf
from unit.history.conftest import BIG, listing

DAYS = {
    "2026-11-01": [
        (1, "Ada", 3, "available"), (2, "Bo", 3, None), (4, "Cy", 3, "available"),
        (BIG, "Di", BIG, "lost"),
    ],
    "2026-11-04": [(1, "Ada", 3, "sold"), (4, "Cy", 3, "available"), (5, "NA", BIG, "available")],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two days in a folder with a star."""
    history = pf.History(tmp_path_factory.mktemp("far") / "a*b [1]")
    for day, pets in DAYS.items():
        history.add(listing(day, pets))
    return history.folder


@pytest.fixture(scope="module")
def dask():
    """A Dask worker in a process of its own, as the current client, or a skip."""
    pytest.importorskip("dask.dataframe", reason="needs the extra dask")
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster),
    ):
        yield


@pytest.fixture(scope="module")
def spark():
    """A Spark of two threads, or a skip that says what is absent."""
    pytest.importorskip("pyspark", reason="needs the extra spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 or later, and there is none on the PATH")
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        # For a few rows, compiling costs more than it saves.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    builder = SparkSession.builder.master("local[2]").appName("petstore_frame tests")
    session = builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def counted(history: pf.History) -> pd.DataFrame:
    """Counts of a frame of the engine."""
    return pf.summarize(history.open("2026-11-01")).frame


QUESTIONS = {
    "summarize": counted,
    "diff": lambda history: history.diff().frame,
    "trend": lambda history: history.trend(["status", "category_id"]),
    "moves": lambda history: history.flow().moves,
    "ageing": lambda history: history.flow().ageing,
}


SPARK = [pytest.mark.spark, pytest.mark.sampled(1), pytest.mark.xdist_group("spark")]
ENGINES = [
    pytest.param("dask", marks=pytest.mark.xdist_group("dask")), pytest.param("spark", marks=SPARK)
]  # fmt: skip


# pyspark says this once at import; that it works is what these tests show.
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_far_engine_answers_as_pandas_does(engine: str, question: str, folder, request) -> None:
    """A far engine gives the same answer as pandas, to the last digit."""
    request.getfixturevalue(engine)
    far, near = (QUESTIONS[question](pf.History(folder, engine=e)) for e in (engine, "pandas"))
    assert len(near) > 0
    pd.testing.assert_frame_equal(far, near)
