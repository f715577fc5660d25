"""Errors and warnings of what is kept in files: reports and histories."""

from __future__ import annotations

from petstore_frame.errors.calls import PetstoreError


class ReportError(PetstoreError):
    """A report cannot be written as asked; no file was changed."""


class HistoryError(PetstoreError):
    """A history folder cannot be used as asked."""


class HistoryLockedError(HistoryError):
    """Another process is writing to this history folder."""


class HistoryWarning(UserWarning):
    """A day's snapshot cannot be read and is left out; the text names the file."""
