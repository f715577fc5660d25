"""The machine-readable description of what the service does.

In: nothing but the file ``openapi.json`` beside this one. Out: that document, with the address of
the running service. Tests hold it to the code.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def document_json(base_url: str) -> bytes:
    """Return the OpenAPI 3.1 document as JSON bytes.

    Args:
        base_url: Address of the service, as its clients see it.
    """
    document = json.loads(files(__package__).joinpath("openapi.json").read_text(encoding="utf-8"))
    document["servers"] = [{"url": base_url}]
    return json.dumps(document, ensure_ascii=False, indent=2).encode()
