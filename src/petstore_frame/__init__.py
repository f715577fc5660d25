"""A store's animals in a notebook: read, load, summarize, report, watch.

``__init__.pyi`` lists the names that a user may rely on. Each is imported on first use (SPEC 1), so
that ``import petstore_frame`` stays light and the command line starts quickly. What is not listed
is in its part: ``petstore_frame.errors``, ``petstore_frame.inventory``, …
"""

from importlib import import_module
from typing import Any

import lazy_loader as lazy

__version__ = "0.2.0"
_attached, __dir__, __all__ = lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _attached(name)
    except AttributeError:
        for part in () if name.startswith("_") else ("errors", "inventory", "charts"):
            home = f"{__name__}.{part}"
            if hasattr(import_module(home), name):
                text = f"{__name__} has no {name} at its top; it is {home}.{name}"
                raise AttributeError(text) from None
        raise
