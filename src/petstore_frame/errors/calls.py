"""Errors that are met before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass

from petstore_frame.errors.advice import Audience, phrase
from petstore_frame.errors.frames import ShortTraceback


class PetstoreError(ShortTraceback, Exception):
    """Base of every error that this package raises on purpose.

    Its message is a text, or an ``Advice``, which can also be phrased for a shell.
    """

    def phrased_by(self, voice: Audience) -> str:
        """Return the message as a voice phrases it."""
        return phrase(self.args[0], voice) if len(self.args) == 1 else str(self)


class ConfigurationError(PetstoreError, ValueError):
    """A setting is missing or impossible; nothing was sent."""


class ArgumentError(PetstoreError, ValueError):
    """An argument has a wrong type or value; the text says what is allowed. Nothing was done."""


class ClosedError(PetstoreError, RuntimeError):
    """A Client or Server was used after it was closed; nothing was sent."""


@dataclass(eq=False, repr=False)
class MissingExtraError(PetstoreError, ImportError):
    """An optional library is needed and not installed.

    Attributes:
        feature: What was asked for, as the reader would say it.
        extra: The extra of petstore-frame that brings the library.
    """

    feature: str
    extra: str

    def __str__(self) -> str:
        return (
            f"{self.feature} needs an optional part that is not installed: "
            f"python -m pip install 'petstore-frame[{self.extra}]'"
        )


class ServiceStartError(PetstoreError):
    """The bundled service did not come up."""
