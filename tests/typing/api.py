"""The public API as a type checker sees it; never run: ``mypy --strict tests/typing/api.py``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import petstore_frame as pf
from petstore_frame.history import Diff, Snapshot
from petstore_frame.inventory import Page, PetSearch, StatusCount


def read(client: pf.Client) -> pd.DataFrame:
    page: Page = client.list_pets(limit=20, status="available")
    first: pf.Pet = page.pets[0]
    found: PetSearch = client.find_pet(first.id)
    print(found.state)
    inventory: pf.Inventory = pf.fetch_inventory(client, max_pets=500)
    known: pf.Completeness = inventory.completeness
    if known.covers_all:
        sold: StatusCount = known.count("sold")
        print(sold.count, sold.is_exact)
    summary: pf.Summary = pf.summarize(inventory)
    print(summary.count("sold"))
    print(pf.summarize(inventory.frame), pf.load_frame(inventory.frame, client, dry_run=True))
    print(pf.compare(inventory, inventory.frame, on="id"))
    return inventory.frame


def load(client: pf.Client, path: Path) -> list[Path]:
    try:
        result: pf.LoadResult = pf.load_csv(path, client, categories={1: "Dog"}, dry_run=False)
    except pf.InputError as problem:
        print(problem.line, problem.hint)
        raise
    created: pd.DataFrame = result.created
    print(len(created), result.summary["states"])
    return result.write("results")


def keep(inventory: pf.Inventory) -> Path:
    history: pf.History = pf.History("history")
    snapshot: Snapshot = history.add(inventory)
    changes: Diff = history.diff()
    print(snapshot, changes)
    return pf.write_report(inventory, "stock.xlsx", categories="categories.csv", history=history)


def show() -> pf.Dashboard:
    with pf.serve(sample=100, seed=7) as server:
        client: pf.Client = server.client(timeout_s=5.0)
        pet: pf.Pet = client.create_pet(name="Luna", category_id=3, status="available")
        print(pet.id)
        return pf.Dashboard(client)
