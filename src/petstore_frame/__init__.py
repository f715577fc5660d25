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

# __init__.pyi lists the names that a user may rely on, for type checkers and for lazy_loader, which
# imports each on first use, so that importing this stays light and the command line starts quickly.

from importlib.util import find_spec

import lazy_loader

__version__ = "0.6.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
if find_spec("ipywidgets") is None:
    __all__.remove("Dashboard")  # a star import asks for each of these
