"""Records every exchange anew against the bundled service: ``python tests/replay/record.py``."""

from __future__ import annotations

import contextlib
import warnings

from exchanges import CASSETTES, EXCHANGES, tape

import petstore_frame as pf


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
        print(f"{name}: {text.count('- request:')} requests")


if __name__ == "__main__":
    main()
