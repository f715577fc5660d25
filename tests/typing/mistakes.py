"""Mistakes of a first day, each in a line that ends in ``# wrong``: a type checker finds them all.

Never run: ``tests/architecture/test_types.py`` has mypy and pyright read it.
"""

# ruff: noqa: B018

import petstore_frame as pf
from petstore_frame.stocktake import Comparison

client = pf.Client("https://store.example/v1", 1234)  # wrong
client.list_pets(status="Sold")  # wrong
client.list_pets(limit="20")  # wrong
client.create_pet("Luna", "3")  # wrong
client.create_pet("Luna", 3, "avaliable")  # wrong
client.create_pet("Luna", categoryId=3)  # wrong
client.get_pet("17")  # wrong
client.delete_pet(17)  # wrong

inventory = pf.fetch_inventory(client, status="solt")  # wrong
inventory["status"]  # wrong
print(inventory.completness)  # wrong
pf.fetch_inventory("https://store.example/v1")  # wrong
pf.summarize(inventory).count(3, "sold")  # wrong
pf.write_report("stock.xlsx", inventory)  # wrong
pf.compare("list.csv", client)  # wrong
pf.compare(3, inventory)  # wrong
pf.summarize(client)  # wrong
pf.write_report(client, "stock.xlsx")  # wrong
pf.load_frame("new.csv", client)  # wrong
pf.load_csv("new.csv")  # wrong
pf.load_csv("new.csv", client, duplicates="ignore")  # wrong
pf.diff(1, inventory)  # wrong
pf.read_inventory(inventory)  # wrong
pf.History("history").read(20261122)  # wrong
pf.History("history").open().to_pandas()  # wrong


def store(comparison: Comparison) -> None:
    comparison.of("chnged")  # wrong


try:
    pf.fetch_inventory(client)
except pf.IncompleteInventoryError as broken:
    broken.partial.table  # wrong
    broken.resume().table  # wrong

try:
    pf.load_csv("new.csv", client)
except pf.DuplicatesError as asked:
    asked.question.answer  # wrong
except pf.errors.LoadStopped as stopped:
    stopped.result.invalid  # wrong
except pf.LoadInterrupted as interrupted:
    interrupted.result.invalid  # wrong
