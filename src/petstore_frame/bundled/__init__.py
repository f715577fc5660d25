"""The bundled store, which runs in its own process, and made-up data."""

from petstore_frame.bundled import samples
from petstore_frame.bundled.server import Server, ask_keys, misbehave, run_service, serve

__all__ = ["Server", "ask_keys", "misbehave", "run_service", "samples", "serve"]
