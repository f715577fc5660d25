"""What a public function says about an argument of a wrong type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import charts, sample_data, weekly

FRAME = pd.DataFrame({"tag": [1]})
STOCK = pf.Inventory.from_frame(
    pd.DataFrame({"id": [1], "name": ["Rex"], "category_id": [3], "status": ["sold"]})
)
STORE = pf.testing.fake_store()
CLIENT = STORE.client()
WRONG: dict[str, Any] = {
    "None": None,
    "3": 3,
    "dict": {"tag": 1},
    "DataFrame": FRAME,
    "missing file": Path("no such file.csv"),
    "Client": CLIENT,
    "Inventory": STOCK,
    "list": [object()],
}
Call = Callable[[Any], object]
# Each argument by its name, with a call, and the values of WRONG that are right for it. The names
# in front are those of ``pf.__all__``.
ARGUMENTS: list[tuple[str, str, Call, set[str]]] = [
    ("Client", "base_url", pf.Client, set()),
    ("Dashboard", "client", pf.Dashboard, {"Client"}),
    ("Dashboard", "journal", lambda value: pf.Dashboard(CLIENT, journal=value),
     {"None", "missing file"}),
    ("History", "folder", pf.History, {"missing file"}),
    ("History", "inventory", pf.History("history").add, {"Inventory"}),
    ("History", "by", pf.History("history").trend, set()),
    ("History", "day", pf.History("history").read, {"None"}),
    ("Inventory", "frame", pf.Inventory.from_frame, set()),
    ("Inventory", "ids", STOCK.with_ids, set()),
    ("Inventory", "status", lambda value: STOCK.where(status=value), {"None"}),
    ("Inventory", "category_id", lambda value: STOCK.where(category_id=value), {"None", "3"}),
    ("Recipe", "path", pf.Recipe.read, set()),
    ("Recipe", "path", pf.Recipe().write, {"missing file"}),
    ("Recipe", "source", pf.Recipe.draft, {"DataFrame"}),
    ("compare", "source", lambda value: pf.compare(value, STOCK, on="name"), set()),
    ("compare", "inventory", lambda value: pf.compare(FRAME, value, on="name"), {"Inventory"}),
    ("compare", "on", lambda value: pf.compare(FRAME, STOCK, on=value), set()),
    ("compare", "key", lambda value: pf.compare(FRAME, STOCK, key=value), set()),
    ("completeness", "pets", pf.completeness, {"DataFrame", "Inventory"}),
    ("diff", "new", lambda value: pf.diff(STOCK, value), {"Inventory"}),
    ("fetch_inventory", "client", pf.fetch_inventory, {"Client"}),
    ("find_pet", "client", lambda value: pf.find_pet(value, 1), {"Client"}),
    ("find_pet", "pet_id", lambda value: pf.find_pet(CLIENT, value), {"3"}),
    ("load", "source", lambda value: pf.load(value, CLIENT), set()),
    ("load", "client", lambda value: pf.load(FRAME, value), {"Client"}),
    ("load", "recipe", lambda value: pf.load(FRAME, CLIENT, recipe=value), {"None"}),
    ("load", "journal", lambda value: pf.load(FRAME, CLIENT, journal=value),
     {"None", "missing file"}),
    ("load", "as_new", lambda value: pf.load(FRAME, CLIENT, as_new=value), {"3"}),
    ("load", "exclude_lines", lambda value: pf.load(FRAME, CLIENT, exclude_lines=value), set()),
    ("load", "rename_categories",
     lambda value: pf.load(FRAME, CLIENT, rename_categories=value), set()),
    ("read_ids", "store", pf.read_ids, {"Client", "Inventory"}),
    ("read_inventory", "path", pf.read_inventory, set()),
    ("resume_loads", "client", pf.resume_loads, {"Client"}),
    ("summarize", "pets", pf.summarize, {"Inventory"}),
    ("write_report", "pets", lambda value: pf.write_report(value, "a.html"), {"Inventory"}),
    ("write_report", "path", lambda value: pf.write_report(STOCK, value),
     {"missing file"}),
    ("write_report", "rename_categories",
     lambda value: pf.write_report(STOCK, "b.html", rename_categories=value), set()),
    ("charts", "trend", charts.trend_chart, set()),
    ("charts", "moves", charts.moves_chart, set()),
    ("charts", "ageing", charts.ageing_chart, set()),
    ("charts", "pets", charts.status_chart, {"Inventory"}),
    ("testing", "pets", pf.testing.fake_store, set()),
    ("sample_data", "path", sample_data.write_sample_csv, {"missing file"}),
    ("sample_data", "path", sample_data.write_sample_categories, {"missing file"}),
    ("sample_data", "folder", sample_data.write_sample_history, {"missing file"}),
    ("weekly", "path", weekly.run, set()),
    ("weekly", "path", weekly.plan, set()),
    ("weekly", "path", weekly.check, set()),
    ("weekly", "path", weekly.write_settings, {"missing file"}),
]  # fmt: skip
IDS = [f"{n}-{name}-{argument}" for n, (name, argument, *_) in enumerate(ARGUMENTS)]
# They take no value of a caller's: data of pets and results, or only arguments with a name.
WITHOUT = {
    "Completeness", "IdempotencyKey", "LoadResult", "NewPet", "Pet", "Server", "State", "Summary",
    "serve",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    STORE.requests.clear()


@pytest.mark.parametrize(("function", "argument", "call", "right"), ARGUMENTS, ids=IDS)
def test_a_wrong_argument_is_named(
    function: str, argument: str, call: Call, right: set[str]
) -> None:
    """A value of a wrong type ends in one sentence that names the argument or the file."""
    silent = []
    for kind, value in WRONG.items():
        if kind in right:
            continue
        try:
            call(value)
        except pf.PetstoreError as error:
            if not names_argument(str(error), argument):
                silent.append(f"{kind}: {error}")
        except Exception as error:  # the test lists all of them
            silent.append(f"{kind}: {error!r}")
        else:
            silent.append(f"{kind}: accepted")
    assert not silent, f"{function}, {argument}"
    assert not STORE.requests


def names_argument(sentence: str, argument: str) -> bool:
    """Return whether a sentence is one line that names the argument, the file or the column."""
    names = (argument, WRONG["missing file"].name, "column")
    return "\n" not in sentence and any(name in sentence for name in names)


def test_every_public_function_is_tried() -> None:
    """Each public name that can be called has a row above."""
    functions = {name for name in pf.__all__ if callable(getattr(pf, name))}
    errors = {name for name in functions if isinstance(getattr(pf, name), type)
              and issubclass(getattr(pf, name), BaseException)}  # fmt: skip
    assert functions - errors - WITHOUT == {name for name, *_ in ARGUMENTS} & functions
