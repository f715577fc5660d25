"""What a type checker sees of the public names, and mistakes of a first day.

It finds each line that ends in ``# wrong``, and nothing wrong with another one; what a signature
states is held by ``signatures.txt``, so one of a kind is enough here. Never run:
``tests/architecture/test_types.py`` has mypy and pyright read it.
"""

# ruff: noqa: B018

from pathlib import Path

import pandas as pd

import petstore_frame as pf
from petstore_frame.comparison import Comparison
from petstore_frame.history import Diff, Snapshot
from petstore_frame.inventory import Page, PetSearch, StatusCount


def use(own: pf.Client, history: pf.History) -> None:
    page: Page = own.list_pets(limit=20, status="available")
    first: pf.Pet = page.pets[0]
    found: PetSearch = pf.find_pet(own, first.id)
    own.create_pet(name=str(found.state), category_id=3, status="available")
    stock: pf.Inventory = pf.fetch_inventory(own, max_pets=500)
    known: pf.Completeness = stock.completeness
    sold: StatusCount = known.count("sold")
    summary: pf.Summary = pf.summarize(stock.frame)
    print(known.covers_all, sold.count, sold.is_exact, summary.count("sold"))
    result: pf.LoadResult = pf.load("new.csv", own, key="tag", categories={1: "Dog"})
    created: pd.DataFrame = result.created
    pf.load(created, own, dry_run=True, recipe=pf.Recipe(key="tag", header_row=2))
    files: list[Path] = result.write("results")
    snapshot: Snapshot = history.add(stock)
    changes: Diff = history.diff()
    book: Path = pf.write_report(stock, "a.xlsx", categories="categories.csv", changes=changes)
    print(files, snapshot, changes, book, pf.compare(stock, stock.frame, on="id"))
    with pf.serve(sample=100, seed=7) as server:
        pf.Dashboard(server.client(timeout=5.0))


client = pf.Client("https://store.example/v1", 1234)  # wrong
pf.Client("https://store.example/v1", retries=3)  # wrong
client.list_pets(status="Sold")  # wrong
client.create_pet("Luna", 3, "avaliable")  # wrong
client.create_pet("Luna", categoryId=3)  # wrong
client.delete_pet(17)  # wrong

inventory = pf.fetch_inventory(client, status="solt")  # wrong
inventory["status"]  # wrong
print(inventory.completness)  # wrong
pf.write_report("stock.xlsx", inventory)  # wrong
pf.load("new.csv", client, duplicates="ignore")  # wrong
pf.load("new.csv", client, kye="tag")  # wrong
pf.Recipe(kye="tag")  # wrong
pf.load("new.csv", "https://store.example/v1")  # wrong
pf.compare("new.csv", inventory, kye="tag")  # wrong


def store(comparison: Comparison) -> None:
    comparison.of("chnged")  # wrong


try:
    pf.fetch_inventory(client)
except pf.IncompleteInventoryError as broken:
    broken.partial.table  # wrong

try:
    pf.load("new.csv", client)
except pf.DuplicatesError as asked:
    asked.question.answer  # wrong
except pf.errors.LoadStoppedError as stopped:
    stopped.result.invalid  # wrong
except KeyboardInterrupt as interrupted:
    pf.errors.result_of(interrupted).counts  # wrong
