"""Who comes from version 0.2 finds the new call."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import petstore_frame as pf

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
_, _, NEWEST = CHANGELOG.partition(f"## [{pf.__version__}]")
MOVES = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", NEWEST.partition("\n## [")[0], re.MULTILINE)
# Columns, keys, modules and values whose errors are those of pandas and Python, not ours to word.
NOT_OURS = ('["', ".state", "diff_inventories", "patience_s", "accept_loss")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory):
    """What the calls of the table are made on: a small store, a file, a day."""
    folder = tmp_path_factory.mktemp("moves")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setenv("XDG_STATE_HOME", str(folder))
        Path("list.csv").write_text("name,category_id\nAda,1\n", encoding="utf-8")
        with pf.testing.fake_store([{"name": "Luna", "category_id": 3}]).client() as client:
            inventory, history = pf.fetch_inventory(client), pf.History("history")
            history.add(inventory)
            result = pf.load("list.csv", client, journal="journal")
            made = {"pf": pf, "client": client, "inventory": inventory, "old": inventory}
            made |= {"history": history, "result": result, "frame": inventory.frame}
            made |= {"summary": pf.summarize(inventory)}
            yield made | {"new_pet": pf.NewPet(name="Max", category_id=3)}


@pytest.mark.parametrize(("old", "new"), MOVES)
def test_both_columns_of_the_table_are_true(names, old: str, new: str) -> None:
    """The old call raises, where we word the error with the new name; the new one works."""
    with pytest.raises((AttributeError, KeyError, TypeError, pf.ArgumentError)) as refusal:
        eval(old, dict(names))
    told, new_words = (set(re.findall(r"\w+", text)) for text in (str(refusal.value), new))
    is_ours = not any(part in old for part in NOT_OURS)
    assert not is_ours or told & (new_words - set(re.findall(r"\w+", old)) or new_words)
    made = eval(new, dict(names))
    if isinstance(made, pf.Server):
        made.close()
