"""Read a pet store's inventory into pandas, load spreadsheets into the store, report and compare.

    import petstore_frame as pf

    client = pf.Client("https://store.example/v1", "the key")
    inventory = pf.fetch_inventory(client)              # .frame, and .completeness: of how many
    pf.summarize(inventory)                             # counts by category and status
    pf.write_report(inventory, "stock.xlsx")            # a workbook; also .html, .csv, .parquet
    result = pf.load("new.csv", client, key="Tag")  # one row per record; never sent twice
    pf.compare("our_list.xlsx", inventory, key="Tag")   # where list and store disagree
    pf.History("history").add(inventory)                # .diff() and .trend() over days
    pf.Dashboard(client)                                # the same, live

``pf.serve(sample=500)`` starts a store to try all this with. The errors are in ``pf.errors``.
"""

# __init__.pyi lists the names that a user may rely on, for type checkers and for this. Each is
# imported on first use, so that importing this stays light and the command line starts quickly.

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__version__ = "0.4.0"
_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_LINES = re.findall(r"^from (\.[\w.]*) import (\w+)", _STUB, re.MULTILINE)
_HOMES = dict(sorted((name, home) for home, name in _LINES))
# Libraries that the base install lacks, and the extra that brings them.
_EXTRAS = dict.fromkeys(("anywidget", "ipywidgets", "traitlets", "IPython"), "notebook")
# A star import and help() ask for each of these.
__all__ = list(_HOMES if find_spec("ipywidgets") else _HOMES.keys() - {"Dashboard"})


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"{__name__} has no {name!r}{_where(name)}")
    home = _HOMES[name]
    try:
        if home == ".":
            return import_module(f".{name}", __name__)
        found = getattr(import_module(home, __name__), name)
    except ModuleNotFoundError as problem:
        if problem.name not in _EXTRAS:
            raise
        from petstore_frame.errors import MissingExtraError

        raise MissingExtraError(f"pf.{name}", _EXTRAS[problem.name]) from None
    globals()[name] = found
    return found


def _where(name: str) -> str:
    if name.startswith("_"):
        return ""
    for part in ("errors", "inventory", "charts"):
        module = import_module(f".{part}", __name__)
        if name in getattr(module, "__all__", dir(module)):
            return f" at its top; it is {__name__}.{part}.{name}"
    from petstore_frame.validation import nearest

    return nearest(name, __all__)


def __dir__() -> list[str]:
    return sorted(__all__)
