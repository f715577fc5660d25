"""An httpx client whose POST is repeated by tenacity, waiting longer each time."""

import json
import os
import sys

import httpx
import pandas as pd
from tenacity import RetryError, retry, stop_after_attempt, wait_random_exponential

file, base_url = sys.argv[1:3]
headers = {"Authorization": f"Bearer {os.environ['PETSTORE_API_KEY']}"}
client = httpx.Client(base_url=base_url, headers=headers, timeout=2)


@retry(wait=wait_random_exponential(multiplier=0.1, max=2), stop=stop_after_attempt(5))
def create_pet(pet: dict) -> None:
    client.post("/pets", json=pet).raise_for_status()


failed = []
for row in pd.read_csv(file).itertuples():
    try:
        create_pet({"name": row.name, "categoryId": row.category_id, "status": row.status})
    except RetryError:
        failed.append(row.name)
print(json.dumps({"failed": failed}))
