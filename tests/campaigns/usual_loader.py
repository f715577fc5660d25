"""An importer as they usually are: a loop, some retries, a position saved now and then.

Argument, as one JSON object: file, base_url, state, retries, save_every (0: never).
The key comes from ``PETSTORE_API_KEY``.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from pathlib import Path

import httpx


def main() -> None:
    """Load a file."""
    settings = json.loads(sys.argv[1])
    position = Path(settings["state"])
    failures = position.with_suffix(".failed")
    start = int(position.read_text()) if settings["save_every"] and position.exists() else 0
    with Path(settings["file"]).open(newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    headers = {"Authorization": f"Bearer {os.environ['PETSTORE_API_KEY']}"}
    with httpx.Client(headers=headers, timeout=0.3) as client:
        for number in range(start, len(records)):
            record = records[number]
            pet = {"name": record["name"], "categoryId": int(record["categoryId"])}
            if record["status"]:
                pet["status"] = record["status"]
            if not create(client, settings["base_url"] + "/pets", pet, settings["retries"]):
                with failures.open("a") as out:
                    out.write(json.dumps([*list(pet.values()), None][:3]) + "\n")
            if settings["save_every"] and (number + 1) % settings["save_every"] == 0:
                position.with_suffix(".new").write_text(str(number + 1))
                position.with_suffix(".new").replace(position)


def create(client: httpx.Client, url: str, pet: dict, retries: int) -> bool:
    """Send one pet, and again after whatever went wrong."""
    for _ in range(retries + 1):
        try:
            answer = client.post(url, json=pet)
            answer.json()
        except (httpx.HTTPError, ValueError):
            continue
        if answer.status_code == 201:
            return True
    return False


if __name__ == "__main__":
    main()
