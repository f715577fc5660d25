"""Errors that are met before anything is sent."""

from __future__ import annotations

from typing import Any, Protocol

from petstore_frame.errors.frames import ShortTraceback


class Phrasing(Protocol):
    """Phrases options for one kind of reader; ``voice`` has those that there are."""

    has_options: bool

    def option(self, name: str, value: Any = None) -> str: ...


class Hint(Protocol):
    """A text that can be phrased for each kind of reader."""

    def phrased_by(self, voice: Phrasing) -> str: ...


class PetstoreError(ShortTraceback, Exception):
    """Base of every error that this package raises on purpose.

    Its message is a text, or a ``Advice``, which can also be phrased for a shell.
    """

    def phrased_by(self, voice: Phrasing) -> str:
        """Return the message as a voice phrases it."""
        return phrase(self.args[0], voice) if len(self.args) == 1 else str(self)


def phrase(text: Any, voice: Phrasing) -> str:
    """Return a hint as a voice phrases it, and anything else as its text."""
    return str(text.phrased_by(voice) if hasattr(text, "phrased_by") else text)


class ConfigurationError(PetstoreError, ValueError):
    """A setting is missing or impossible; nothing was sent."""


class ArgumentError(PetstoreError, ValueError):
    """An argument has a wrong type or value; the text says what is allowed. Nothing was done."""


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
