"""The exit codes of all commands."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """How a command, a load or a weekly run ended, from best to worst.

    The place of a member is its severity. A new code takes the next free number. ``meaning`` is
    the text that ``petstore-frame --help`` shows.
    """

    meaning: str

    def __new__(cls, code: int, meaning: str = "") -> ExitCode:  # ExitCode(1) has no meaning yet
        """Add the meaning to the number."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    DONE = 0, "done"
    WITH_FINDINGS = 1, "done, with rows to fix, differences, or rows still to send"
    INVALID = 2, "invalid option, setting or file"
    TOO_MANY_ERRORS = 4, "too many errors, or most rows fail for one reason"
    NOT_COMPLETE = 8, "the listing is not known to be complete"
    UNCONFIRMED = 3, "some rows are unconfirmed: they may be in the store"
    QUESTION = 9, "a question is open, or possible duplicates wait for an answer"
    LOCKED = 7, "another process is using the same files"
    MAX_DROP = 10, "more pets are gone than max_drop allows"
    STORE = 5, "the store rejected a request, broke the interface, or could not be reached"
    DISK = 6, "the disk, an import journal or the history cannot be used"
    INTERNAL = 11, "internal error"
    INTERRUPTED = 130, "interrupted"
    PIPE_CLOSED = 141, "the program that reads the output ended first, such as head"

    @classmethod
    def worst(cls, codes: Iterable[int]) -> ExitCode:
        """Return the most severe of several codes; ``DONE`` if there are none.

        Example:
            >>> ExitCode.worst([8, 3, 1]).meaning
            'some rows are unconfirmed: they may be in the store'
        """
        return max(map(cls, codes), key=list(cls).index, default=cls.DONE)
