"""Walks an added field through the store and back: run by ``test_add_a_field`` in its own process.

Prints one JSON object: what each place shows of the field.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from add_a_field import cells, texts

import petstore_frame as pf

CSV = "tag,name,category_id,age\nA1,Ben,3,71\nA2,Zoe,3,\n"
EDITED = CSV.replace("71", "72")


def walk(folder: Path) -> dict[str, Any]:
    (folder / "new.csv").write_text(CSV)
    (folder / "edited.csv").write_text(EDITED)
    journal = folder / "journal"
    with pf.serve(sample=2) as server, server.client() as client:
        new = pf.NewPet(name="Kim", category_id=1, age=7)
        created = client.post_pet(new.to_json()).pet_like(new)
        key = {"key": "tag", "journal": journal}
        result = pf.load_csv(folder / "new.csv", client, progress=False, **key)
        inventory = pf.fetch_inventory(client, progress=False)
        same = pf.compare(folder / "new.csv", inventory, **key)
        other = pf.compare(folder / "edited.csv", inventory, **key)
        dashboard = pf.Dashboard(client, inventory=inventory, folder=folder)
        shown = " ".join(texts(dashboard.widget))
        dashboard.close()
    history = pf.History(folder / "history")
    yesterday = history.read("2026-01-05")
    history.add(inventory)
    diff = history.diff("2026-01-05")
    return {
        "created": created.age,
        "states": result.frame["state"].astype(str).tolist(),
        "ages": inventory.frame.set_index("name")["age"].dropna().to_dict(),
        "report": pf.write_report(inventory, folder / "stock.csv").read_text("utf-8-sig"),
        "workbook": cells(pf.write_report(inventory, folder / "stock.xlsx")),
        "dashboard": shown,
        "compared": [len(same.of("same")), len(other.of("same"))],
        "yesterday": [str(yesterday.completeness), int(yesterday.frame["age"].isna().sum())],
        "diff": len(diff),
        "kept": [int(age) for age in history.read().frame["age"].dropna()],
    }


if __name__ == "__main__":
    print(json.dumps(walk(Path(sys.argv[1]))))
