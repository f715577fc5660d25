"""The machine-readable description of what the service does.

In: nothing but the file ``openapi.json`` beside this one. Out: that document, with the address of
the running service, or without the parts marked ``x-extension``. Tests hold it to the code.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def document_json(base_url: str, *, extended: bool = True) -> bytes:
    """Return the OpenAPI 3.1 document as JSON bytes.

    Args:
        base_url: Address of the service, as its clients see it.
        extended: Keep what goes beyond the interface.
    """
    document = json.loads(files(__package__).joinpath("openapi.json").read_text(encoding="utf-8"))
    if not extended:
        document = _without_extensions(document)
    document["servers"] = [{"url": base_url}]
    return json.dumps(document, ensure_ascii=False, indent=2).encode()


def _without_extensions(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: _without_extensions(entry) for name, entry in value.items()}
        return {name: entry for name, entry in kept.items() if not _is_extension(entry)}
    if isinstance(value, list):
        return [_without_extensions(entry) for entry in value if not _is_extension(entry)]
    return value


def _is_extension(value: Any) -> bool:
    return isinstance(value, dict) and value.get("x-extension") is True
