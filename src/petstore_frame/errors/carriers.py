"""The errors that carry what was done: an Inventory, a question or a LoadResult.

Type checkers learn from ``errors/__init__.pyi`` which of these it is; here it is a value.
"""

from __future__ import annotations

from typing import Any

from petstore_frame.errors.classes import PetstoreError


class BrokenOff(BaseException):
    """A listing broke off before its end."""

    def __init__(self, message: str, *, partial: Any = None) -> None:
        super().__init__(message)
        # None only in a copy under way: what leaves fetch_inventory has it.
        self.partial = partial
        # In Python alone: a shell has no use for it.
        self.add_note("What was read: .partial, at a prompt sys.last_value.partial")


class IncompleteInventoryError(BrokenOff, PetstoreError):
    """A failure, its ``__cause__``, ended a listing: ``partial`` is what was read.

    ``partial`` is an Inventory whose verdict is ``incomplete``.

    Example:
        >>> import petstore_frame as pf
        >>> def read_what_there_is(client):
        ...     try:
        ...         return pf.fetch_inventory(client)
        ...     except pf.IncompleteInventoryError as broken:
        ...         return broken.partial
    """


class FetchInterrupted(BrokenOff, KeyboardInterrupt):
    """Ctrl-C ended a listing; ``partial`` as of IncompleteInventoryError."""


class DuplicatesError(PetstoreError):
    """Some records may be known animals, and nobody has said whether they are; nothing was sent.

    ``str()`` has what each answer would do; ``question`` has the cases, counts and examples.
    """

    def __init__(self, question: Any) -> None:
        super().__init__(question.text())
        self.question = question


class LoadFailedError(PetstoreError):
    """Some records of an import are not in the store; ``result`` tells them apart."""

    def __init__(self, text: str, result: Any) -> None:
        super().__init__(text)
        self.result = result


class LoadStopped(PetstoreError):  # noqa: N818 # as LoadInterrupted; it has a result
    """An import ended before its records were sent; ``result`` is the LoadResult so far.

    ``ending`` says why: ``stopped`` by the store's answer, ``outage``, ``journal`` or ``budget``.
    The same call again goes on.
    """

    def __init__(self, text: str, result: Any, ending: Any) -> None:
        super().__init__(text)
        self.result, self.ending = result, ending


class LoadInterrupted(KeyboardInterrupt):
    """An import was interrupted; ``result`` is the LoadResult so far.

    The answers of requests in flight were awaited.
    """

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted; run the same import again to go on")
        self.result = result
