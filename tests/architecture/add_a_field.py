"""Walks added fields through a copy of the package: run by ``test_add_a_field`` in its own process.

Prints one JSON object: what each place shows of the fields.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

import petstore_frame as pf

PETS = [
    {"id": 1, "name": "Luna", "categoryId": 3, "status": "sold", "age": 71, "weightKg": 2.75},
    {"id": 2, "name": "Max", "categoryId": 3},
]
CSV = "name,category_id,years,Weight kg\nBen,3,71,2.75\nZoe,3,,\nTom,3,old,\n"


class Store:
    """Lists two pets and takes any."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            held = [*PETS, *({"id": at, **pet} for at, pet in enumerate(self.sent, 3))]
            pet_id = request.url.path.rpartition("/")[2]
            return httpx.Response(200, json=held[int(pet_id) - 1] if pet_id.isdigit() else PETS)
        self.sent.append(json.loads(request.content))
        return httpx.Response(201, json={"id": len(self.sent) + 2, **self.sent[-1]})


def cells(path: Path) -> list[list[Any]]:
    """The first lines of a workbook's sheet of pets."""
    import openpyxl

    rows = openpyxl.load_workbook(path, read_only=True)["Inventory"].iter_rows(values_only=True)
    return [list(row) for row in rows]


def texts(widget: Any) -> Iterator[str]:
    """Every text of a widget and of those inside it."""
    for name in ("value", "description", "markup", "html"):
        yield str(getattr(widget, name, ""))
    for child in getattr(widget, "children", ()):
        yield from texts(child)


def walk(folder: Path) -> dict[str, Any]:
    store = Store()
    client = pf.Client("http://127.0.0.1/v1", "k", transport=httpx.MockTransport(store))
    client.post_pet(pf.NewPet(name="Kim", category_id=1, age=7).to_json())
    inventory = pf.fetch_inventory(client, progress=False)
    frame = inventory.frame
    history = pf.History(folder / "history")
    history.add(inventory)
    dashboard = pf.Dashboard(client, inventory=inventory, folder=folder)
    shown = " ".join(texts(dashboard.widget))
    dashboard.close()
    (folder / "new.csv").write_text(CSV)
    result = pf.load_csv(folder / "new.csv", client, journal=folder / "journal", progress=False)
    return {
        "created": store.sent[0],
        "page": client.list_pets().pets[0].model_dump(),
        "dtypes": {name: str(frame[name].dtype) for name in ("age", "weight_kg")},
        "first": [int(frame["age"][0]), float(frame["weight_kg"][0])],
        "missing": [bool(frame[name].isna()[1]) for name in ("age", "weight_kg")],
        "covered": [
            pf.completeness(changed) == inventory.completeness
            for changed in (frame.iloc[::-1], frame.assign(age=[72, None]), frame.assign(age=71))
        ],
        "kept": [str(type_) for type_ in history.open().types[4:6]],
        "workbook": cells(pf.write_report(inventory, folder / "stock.xlsx"))[:2],
        "csv": pf.write_report(inventory, folder / "stock.csv").read_text("utf-8-sig")[:200],
        "page_of_report": pf.write_report(inventory, folder / "stock.html").read_text("utf-8"),
        "table": str(pf.charts.inventory_table(inventory).html),
        "dashboard": shown,
        "sent": store.sent[1:],
        "columns": list(result.frame.columns),
        "to_fix": result.fix["error_column"].tolist(),
    }


if __name__ == "__main__":
    print(json.dumps(walk(Path(sys.argv[1]))))
