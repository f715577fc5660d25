"""Errors of files: those that are loaded, journals, reports and histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from petstore_frame.errors.calls import PetstoreError, phrase


@dataclass(eq=False, repr=False)
class InputError(PetstoreError, ValueError):
    """A file or frame cannot be read as records; nothing was sent.

    Attributes:
        path: The file, or None for a frame.
        line: First physical line concerned (1 is the first of the file), or None.
        column: Name of the column concerned, or None.
        hint: The next step; like the message, a text, or one that each reader is shown in their own
            spelling.
        answer: Options that would let it be read, where they can be recognised; to be confirmed,
            as in ``{"delimiter": "|"}``. Empty where a person must find the answer.
    """

    message: Any
    _: KW_ONLY
    path: str | None = None
    line: int | None = None
    column: str | None = None
    hint: Any = ""
    answer: Mapping[str, Any] = field(default_factory=dict)

    def phrased_by(self, reader: Any = None) -> str:
        """Return place, message and next step; where both are known, the call that would do."""
        message, hint = phrase(self.args[0], reader), phrase(self.hint, reader)
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
        text = f"{text}; {hint}" if hint else text
        has_call = self.call is not None and self.answer and getattr(reader, "has_options", True)
        return f"{text}\n  {self.call.with_(**self.answer)}" if has_call else text


class JournalError(PetstoreError):
    """The journal of an import cannot be used; sending has stopped."""


class JournalLockedError(JournalError):
    """Another import is using this journal."""


class ReportError(PetstoreError):
    """A report cannot be written as asked; no file was changed."""


class HistoryError(PetstoreError):
    """A history folder cannot be used as asked."""


class HistoryLockedError(HistoryError):
    """Another process is writing to this history folder."""


class HistoryWarning(UserWarning):
    """A day's snapshot cannot be read and is left out; the text names the file."""
