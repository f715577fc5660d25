"""Where the Import tab puts what a browser sends it."""

from __future__ import annotations

from contextlib import closing

import pytest

from petstore_frame.client import Client
from petstore_frame.dashboard.import_job import ImportJob

NAMES = ["..", "a/..", ".", "", "/", "x" * 300, "ä" * 150 + ".csv", "C:\\pets.csv", "a\0b.csv"]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:12]))
def test_any_name_is_kept_inside(name: str) -> None:
    """Whatever a browser calls an upload, it becomes one file in the folder of uploads."""
    client = Client("http://127.0.0.1:1/v1", "a-key")
    with closing(client), closing(ImportJob(client, {})) as job:
        path = job.given({"upload": name}, b"name\n")
        assert path.read_bytes() == b"name\n"
        assert path.parent == job.given({"upload": "other.csv"}, b"").parent
