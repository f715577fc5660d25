"""Errors that are met before anything is sent.

Who meets them: whoever calls the package with something missing, wrong or no longer usable.
"""

from __future__ import annotations


class PetstoreError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigurationError(PetstoreError, ValueError):
    """A setting is missing or impossible; nothing was sent."""


class ArgumentError(PetstoreError, ValueError):
    """An argument has a wrong type or value; the text says what is allowed. Nothing was sent."""


class ClosedError(PetstoreError, RuntimeError):
    """A Client or Server was used after it was closed; nothing was sent."""


class MissingExtraError(PetstoreError, ImportError):
    """An optional library is needed and not installed.

    Args:
        feature: What was asked for, as the reader would say it.
        extra: The extra of petstore-frame that brings the library.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(feature, extra)
        self.feature = feature
        self.extra = extra

    def __str__(self) -> str:
        return (
            f"{self.feature} needs an optional part that is not installed: "
            f"python -m pip install 'petstore-frame[{self.extra}]'"
        )


class ServiceStartError(PetstoreError):
    """The bundled service did not come up."""
