"""Walks added fields through the store and back: run by ``test_add_a_field`` in its own process.

Prints one JSON object: what each place shows of the fields.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import petstore_frame as pf

FIELDS = ("age", "weight_kg")
CSV = "tag,name,category_id,years,Weight kg\nA1,Ben,3,71,2.75\nA2,Zoe,3,,\nA3,Tom,3,old,\n"


def cells(path: Path) -> list[list[Any]]:
    """The lines of a workbook's sheet of pets."""
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
    listed, edited, journal = folder / "new.csv", folder / "edited.csv", folder / "journal"
    listed.write_text(CSV)
    edited.write_text(CSV.replace("71", "72"))
    with pf.serve(sample=2) as server, server.client() as client:
        new = pf.NewPet(name="Kim", category_id=1, age=7)
        created = client.post_pet(new.to_json()).pet_like(new)
        result = pf.load_csv(listed, client, key="tag", journal=journal, progress=False)
        ben = client.list_pets().pets[3]
        inventory = pf.fetch_inventory(client, progress=False)
        same, other = (
            pf.compare(path, inventory, key="tag", journal=journal) for path in (listed, edited)
        )
        dashboard = pf.Dashboard(client, inventory=inventory, folder=folder)
        shown = " ".join(texts(dashboard.widget))
        dashboard.close()
    frame = inventory.frame
    changed = (frame.iloc[::-1], frame.assign(age=range(len(frame))), frame.assign(age=71))
    history = pf.History(folder / "history")
    yesterday = history.read("2026-01-05")
    history.add(inventory)
    return {
        "sent": json.loads(new.to_json()),
        "created": created.age,
        "ben": ben.model_dump(),
        "dtypes": {name: str(frame[name].dtype) for name in FIELDS},
        "values": [frame.set_index("name")[name].dropna().to_dict() for name in FIELDS],
        "covered": [pf.completeness(each) == inventory.completeness for each in changed],
        "states": result.frame["state"].astype(str).tolist(),
        "columns": list(result.frame.columns),
        "to_fix": result.fix["error_column"].tolist(),
        "compared": [len(same.of("same")), len(other.of("same"))],
        "kept_as": [str(type_) for type_ in history.open().types[4:6]],
        "kept": [int(age) for age in history.read().frame["age"].dropna()],
        "yesterday": [str(yesterday.completeness), int(yesterday.frame["age"].isna().sum())],
        "diff": len(history.diff("2026-01-05")),
        "workbook": cells(pf.write_report(inventory, folder / "stock.xlsx")),
        "csv": pf.write_report(inventory, folder / "stock.csv").read_text("utf-8-sig"),
        "page": pf.write_report(inventory, folder / "stock.html").read_text("utf-8"),
        "table": str(pf.charts.inventory_table(inventory).html),
        "dashboard": shown,
    }


if __name__ == "__main__":
    print(json.dumps(walk(Path(sys.argv[1]))))
