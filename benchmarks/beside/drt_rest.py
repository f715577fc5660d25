"""drt's REST destination on a DuckDB table, new rows only, with its own retries and failed rows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb

file, base_url, folder = sys.argv[1:4]
place = Path(folder)
(place / "drt_project.yml").write_text("name: pets\nversion: '0.1'\nprofile: local\n")
for part in ("syncs", ".drt"):
    (place / part).mkdir(exist_ok=True)
profile = f"local:\n  type: duckdb\n  database: {place}/pets.duckdb\n"
(place / ".drt" / "profiles.yml").write_text(profile)
table = f"CREATE OR REPLACE TABLE pets AS SELECT row_number() OVER () AS row, * FROM '{file}'"
with duckdb.connect(str(place / "pets.duckdb")) as sql:
    sql.execute(table)
pet = '"name": "{{ row.name }}", "categoryId": {{ row.category_id }}, "status": "{{ row.status }}"'
(place / "syncs" / "pets.yml").write_text(f"""
name: pets
model: ref('pets')
destination:
  type: rest_api
  url: {base_url}/pets
  method: POST
  headers: {{Content-Type: application/json}}
  auth: {{type: bearer, token_env: PETSTORE_API_KEY}}
  body_template: '{{{pet}}}'
  retry: {{max_attempts: 5, initial_backoff: 0.1}}
sync: {{mode: incremental, cursor_field: row, batch_size: 10, on_error: skip,
  dlq: {{enabled: true}}, rate_limit: {{requests_per_second: 1000}}}}
""")
drt = Path(sys.executable).with_name("drt")
subprocess.run([drt, "run"], cwd=place, env={**os.environ, "HOME": folder}, capture_output=True)
kept = place / ".drt" / "dlq" / "pets.jsonl"
rows = map(json.loads, kept.read_text().splitlines()) if kept.exists() else ()
print(json.dumps({"failed": [row["record"]["name"] for row in rows]}))
