"""Errors that are met before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from petstore_frame.errors.frames import ShortTraceback


def phrase(text: Any, reader: Any = None) -> str:
    """Return a sentence as a reader needs it; one that is plain text is the same for all."""
    has_readers = reader is not None and hasattr(text, "phrased_by")
    return str(text.phrased_by(reader) if has_readers else text)


class PetstoreError(ShortTraceback, Exception):
    """Base of every error that this package raises on purpose.

    Args:
        args: The message.
        option: An option that helps, as its name, or its name and its value; it stands where the
            message has ``{}``.

    Attributes:
        call: How the loader was called, by which the next step is phrased, or None.
    """

    call: Any = None
    option: tuple[Any, ...] | None = None

    def __init__(self, *args: Any, option: tuple[Any, ...] | None = None) -> None:
        super().__init__(*args)
        self.option = option

    def phrased_by(self, reader: Any = None) -> str:
        """Return the message as a reader needs it; None is a Python caller."""
        text = phrase(self.args[0], reader) if self.args else ""
        if self.option is None:
            return text
        if reader is not None:
            return text.replace("{}", reader.option(*self.option))
        name, *value = self.option
        return text.replace("{}", f"{name}={value[0]!r}" if value else f"{name}=")

    def __str__(self) -> str:
        return self.phrased_by(self.call)


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

    def phrased_by(self, reader: Any = None) -> str:
        return (
            f"{self.feature} needs an optional part that is not installed: "
            f"python -m pip install 'petstore-frame[{self.extra}]'"
        )


class ServiceStartError(PetstoreError):
    """The bundled service did not come up."""
