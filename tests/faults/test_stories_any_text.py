"""Any text in a key, a file name or a path crashes nothing and raises no false alarm."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.loader.row_state import State
from shop import Shop

# With lone surrogates, NUL, quotes, and the characters of JSON, SQL and paths more often.
SPECIAL = "\x00\x1f\"'[]{},:\\/\ud83d\udc80%?*.\n\u200b\u0301"
any_text = st.text(st.characters() | st.sampled_from(SPECIAL), min_size=1, max_size=12)
# As a file system that knows only bytes may have it.
any_name = (
    st.binary(min_size=1, max_size=12)
    .filter(lambda name: not {0, ord("/")} & {*name} and name.strip(b"."))
    .map(os.fsdecode)
)
often = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@often
@given(any_text, any_text)
@example('["a', "[unknown]")
@example("\ud83d", "\udc00")
@example("\x00", "null")
@example("'", "''")
def test_any_text_may_be_a_key(shop: Shop, key: str, other: str) -> None:
    """Each row is sent, needs fixing or is a possible duplicate; again, nothing is sent."""
    frame = pd.DataFrame(
        {"name": ["Ada", "Bo", "Cy"], "category_id": 1, "tag": [key, "B-1", other]}, dtype=object
    )
    with TemporaryDirectory() as journal:
        shop.store.pets.clear()
        load = partial(pf.load, frame, shop.client, key="tag", journal=journal, progress=False)
        result = load(max_errors=9)
        settled = (State.CREATED, State.INVALID, State.POSSIBLE_DUPLICATE)
        counts = result.counts
        assert sum(counts[state] for state in settled) == 3
        assert 1 <= len(shop.pets) <= counts[State.CREATED]
        assert str(result) and len(result.frame) == 3
        assert load(max_errors=9).counts == counts


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names there are Unicode")
@often
@given(any_name, any_name)
@example("\udcff", "\udcfe.csv")
@example("[", '"].csv')
@example("%s?mode=ro", "#.csv")
def test_any_name_may_be_that_of_a_file_or_a_folder(shop: Shop, folder: str, name: str) -> None:
    """Of the file, of its folder, of the journal's and of that of the results."""
    with TemporaryDirectory() as root:
        shop.store.pets.clear()
        place = Path(root, folder)
        place.mkdir()
        file = place / f"{name}.csv"
        file.write_text("tag,name,categoryId\nA-1,Ada,1\nA-2,Bo,x\n")
        load = partial(pf.load, file, shop.client, key="tag", progress=False)
        result = load(journal=place / "journal")
        assert result.counts[State.CREATED] == len(shop.pets) == 1
        assert str(result)
        assert len(result.write(place / f"{name} results")) >= 4
        assert load(journal=place / "journal").counts == result.counts
