"""Imports the libraries of optional extras."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from petstore_frame.errors import MissingExtraError


def import_extra(module: str, feature: str, extra: str) -> Any:
    """Import a library of an extra; if that fails, the MissingExtraError names the extra."""
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        raise MissingExtraError(feature, extra) from problem
    except ImportError as problem:
        raise MissingExtraError(feature, extra, str(problem).partition("\n")[0]) from problem
