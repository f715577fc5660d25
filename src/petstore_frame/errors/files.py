"""Errors of files: those of an import, its journal and Ctrl-C; reports; histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from petstore_frame.errors.advice import Advice, Audience, phrase
from petstore_frame.errors.calls import PetstoreError
from petstore_frame.errors.frames import ShortTraceback


@dataclass(eq=False, repr=False)
class InputError(PetstoreError, ValueError):
    """A file or frame cannot be read as records; nothing was sent.

    Attributes:
        path: The file, or None for a frame.
        line: First physical line concerned (1 is the first of the file), or None.
        column: Name of the column concerned, or None.
        hint: The next step; like the message, a text or an ``Advice``.
        answer: Options that would let it be read, where they can be recognised; to be confirmed,
            as in ``{"delimiter": "|"}``. Empty where a person must find the answer.
    """

    message: str | Advice
    _: KW_ONLY
    path: str | None = None
    line: int | None = None
    column: str | None = None
    hint: str | Advice = ""
    answer: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self._joined(str(self.args[0]), str(self.hint))

    def phrased_by(self, voice: Audience) -> str:
        """Return place, message and next step as a voice phrases them."""
        return self._joined(phrase(self.args[0], voice), phrase(self.hint, voice))

    def _joined(self, message: str, hint: str) -> str:
        place = ", ".join(
            part
            for part in (
                self.path or "",
                f"line {self.line}" if self.line else "",
                f"column {self.column!r}" if self.column else "",
            )
            if part
        )
        text = f"{place}: {message}" if place else message
        return f"{text}; {hint}" if hint else text


@dataclass(eq=False, repr=False)
class LoadFailedError(PetstoreError):
    """Some records of an import are not in the store.

    Attributes:
        result: The LoadResult, which tells them apart.
    """

    message: str
    result: Any = field(default=None, kw_only=True)


@dataclass(eq=False, repr=False)
class DuplicatesError(PetstoreError):
    """A source seems to repeat earlier imports, and nobody has said whether it does.

    Nothing was sent. ``str()`` has what was found, and the call for each way on.

    Attributes:
        repeats: What was found: counts, earlier imports, a column that looks like a key.
    """

    message: str | Advice
    repeats: Any = field(default=None, kw_only=True)


class JournalError(PetstoreError):
    """The journal of an import cannot be used; sending has stopped."""


class JournalLockedError(JournalError):
    """Another import is using this journal."""


class LoadInterrupted(ShortTraceback, KeyboardInterrupt):
    """An import was interrupted; the answers of requests in flight were awaited.

    Attributes:
        result: The LoadResult so far; the same call again continues the import.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted; run the same import again to go on")
        self.result = result


class ReportError(PetstoreError):
    """A report cannot be written as asked; no file was changed."""


class HistoryError(PetstoreError):
    """A history folder cannot be used as asked."""


class HistoryLockedError(HistoryError):
    """Another process is writing to this history folder."""


class HistoryWarning(UserWarning):
    """A day's snapshot cannot be read and is left out; the text names the file."""
