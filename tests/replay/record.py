"""Records every exchange anew: ``PYTHONPATH=tests python -m replay.record``.

One file per exchange in ``cassettes/``, without a key.
"""

from __future__ import annotations

import contextlib
import warnings

import yaml

import petstore_frame as pf
from replay.exchanges import CASSETTES, EXCHANGES, tape
from replay.key_scan import find_keys


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
        exchanges = yaml.safe_load(text)["interactions"]
        assert find_keys(exchanges) == []
        print(f"{name}: {len(exchanges)} requests")


if __name__ == "__main__":
    main()
