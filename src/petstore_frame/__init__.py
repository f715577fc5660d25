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

# __init__.pyi lists the names that a user may rely on. Each is imported on first use (SPEC 1), so
# that importing this stays light and the command line starts quickly.

from importlib import import_module
from typing import Any

import lazy_loader as lazy

__version__ = "0.3.0"
_attached, __dir__, __all__ = lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _attached(name)
    except AttributeError:
        for part in () if name.startswith("_") else ("errors", "inventory", "charts"):
            home = f"{__name__}.{part}"
            if hasattr(import_module(home), name):
                text = f"{__name__} has no {name} at its top; it is {home}.{name}"
                raise AttributeError(text) from None
        raise
