"""Errors of a listing that broke off: each keeps what was read, and the way to go on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from petstore_frame.errors.answers import CrossOriginError
from petstore_frame.errors.calls import PetstoreError


class IncompleteInventoryError(PetstoreError):
    """A listing broke off before its end, by a failure or by Ctrl-C.

    Attributes:
        partial: The Inventory of what was read, its verdict ``incomplete``.
        cause: The failure, or the KeyboardInterrupt, that ended it.
        is_interrupted: Whether it was Ctrl-C.

    Example:
        >>> import petstore_frame as pf
        >>> def read_all(client):
        ...     try:
        ...         return pf.fetch_inventory(client)
        ...     except pf.IncompleteInventoryError as broken:
        ...         return broken.resume()  # or broken.partial, for what there is
    """

    def __init__(
        self,
        message: str,
        *,
        partial: Any = None,
        cause: BaseException | None = None,
        resume: Callable[[], Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.partial = partial
        self.cause = cause
        self._resume = resume
        self.add_note(
            "In a notebook or at a prompt, after `import sys`: sys.last_value.partial is what was "
            "read, and inventory = sys.last_value.resume() reads the rest."
        )

    @property
    def is_interrupted(self) -> bool:
        return isinstance(self.cause, KeyboardInterrupt)

    def resume(self) -> Any:
        """Continue where the listing broke off and return the Inventory."""
        if self._resume is None:
            raise PetstoreError("this error crossed a process; fetch the inventory again")
        return self._resume()

    def __reduce__(self) -> tuple[Any, ...]:
        # The way on holds live connections; a pickled copy keeps everything else.
        revive = partial(type(self), partial=self.partial, cause=self.cause)
        return revive, (str(self),)


class PaginationLoopError(IncompleteInventoryError):
    """A listing led back to where it had been; what was read is not the whole listing."""


class ForeignLinkError(IncompleteInventoryError, CrossOriginError):
    """A listing's next link leads to another origin or cannot be read; it was not followed."""
