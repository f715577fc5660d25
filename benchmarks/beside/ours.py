"""petstore_frame: one call, and the same call again after whatever stopped it."""

import json
import sys

import petstore_frame as pf

file, base_url, folder = sys.argv[1:4]
with pf.Client(base_url, timeout=2) as client:
    try:
        result, stopped = pf.load(file, client, journal=folder, progress=False), False
    except pf.errors.LoadStoppedError as problem:
        result, stopped = problem.result, True
said = {"failed": result.fix["name"].tolist(), "unknown": result.unconfirmed["name"].tolist()}
print(json.dumps(said | {"stopped": stopped}))
