"""The exchanges on tape, recorded anew.

``PYTHONPATH=tests python -m replay.record`` writes one file per exchange into ``cassettes/``.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vcr

import petstore_frame as pf

CASSETTES = Path(__file__).parents[2] / "cassettes"
BASE_URL = "http://127.0.0.1:8765/v1"
REPLACED = "the-key-was-replaced"
# Also lower-case: header names come back from a tape in any case.
SECRET_HEADERS = ("authorization", "cookie", "set-cookie", "www-authenticate", "x-api-key")

EXCHANGES: dict[str, Callable[[pf.Client], Any]] = {
    "list_one_page": lambda client: client.list_pets(5),
    "list_by_status": lambda client: client.list_pets(100, "pending"),
    "list_whole": pf.fetch_inventory,
    "create": lambda client: client.create_pet("Žofie 🐱", 2**53 + 1),
    "create_with_status": lambda client: client.create_pet("=1+1", 3, "sold"),
    "create_refused": lambda client: client.create_pet(" ", 3),
    "get": lambda client: client.get_pet(7),
    "get_missing": lambda client: client.get_pet(999_999),
    "wrong_key": lambda client: client.list_pets(),
}


def tape(mode: str) -> vcr.VCR:
    """Return a recorder that replaces the key on its way in and on its way out."""
    return vcr.VCR(
        cassette_library_dir=str(CASSETTES),
        record_mode=mode,
        match_on=["method", "scheme", "host", "path", "query", "body"],
        before_record_request=clean_request,
        before_record_response=clean_response,
        decode_compressed_response=True,
        path_transformer=vcr.VCR.ensure_suffix(".yaml"),
    )


def clean_request(request: Any) -> Any:
    """Replace the key in a request, and the port that this recording's store got."""
    for name, value in list(request.headers.items()):
        request.headers[name] = REPLACED if name.lower() in SECRET_HEADERS else _same_port(value)
    request.uri = _same_port(request.uri)
    return request


def clean_response(response: dict[str, Any]) -> dict[str, Any]:
    """Replace what may give a key away in an answer, and the port in its links."""
    for name, values in list(response["headers"].items()):
        is_secret = name.lower() in SECRET_HEADERS
        response["headers"][name] = [REPLACED] if is_secret else [_same_port(v) for v in values]
    return response


def _same_port(text: str) -> str:
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8765", text)


def main() -> None:
    """Start a store for each exchange, so that each tape stands for itself."""
    warnings.simplefilter("ignore", pf.EndpointDeprecatedWarning)
    for name, act in EXCHANGES.items():
        (CASSETTES / f"{name}.yaml").unlink(missing_ok=True)
        with pf.serve(sample=250, seed=7) as server:
            key = "not-the-key" if name == "wrong_key" else server.api_key.get_secret_value()
            client = pf.Client(server.base_url, key)
            with client, tape("all").use_cassette(name), contextlib.suppress(pf.PetstoreError):
                act(client)
            text = (CASSETTES / f"{name}.yaml").read_text(encoding="utf-8")
            assert server.api_key.get_secret_value() not in text, f"the key is on the tape {name}"


if __name__ == "__main__":
    main()
