"""Imports the libraries of optional extras, and names the extra to install if one is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from petstore_frame.errors import MissingExtraError


def import_extra(module: str, feature: str, extra: str) -> Any:
    """Import a library of an extra, or raise the MissingExtraError that says why it cannot be."""
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        raise MissingExtraError(feature, extra) from problem
    except ImportError as problem:
        raise MissingExtraError(feature, extra, str(problem).partition("\n")[0]) from problem
