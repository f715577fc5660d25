"""A listing that broke off: errors that carry an Inventory, so they stand beside it.

Callers find them in ``petstore_frame.errors``, with all others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from petstore_frame.errors import CrossOriginError, PetstoreError
from petstore_frame.errors.frames import ShortTraceback

if TYPE_CHECKING:
    from petstore_frame.inventory.result import Inventory


class _BrokenOff(BaseException):
    """A listing broke off before its end."""

    def __init__(
        self,
        message: str,
        *,
        partial: Inventory | None = None,
        cause: BaseException | None = None,
        resume: Callable[[], Inventory] | None = None,
    ) -> None:
        super().__init__(message)
        # None only inside the package: what leaves fetch_inventory has it.
        self.partial = cast("Inventory", partial)
        self.cause = cause
        self._resume = resume
        self.add_note(
            "In a notebook or at a prompt, after `import sys`: sys.last_value.partial is what was "
            "read, and inventory = sys.last_value.resume() reads the rest."
        )

    def resume(self) -> Inventory:
        """Continue where the listing broke off and return the Inventory."""
        if self._resume is None:
            raise PetstoreError("this error crossed a process; fetch the inventory again")
        return self._resume()

    def __reduce__(self) -> tuple[Any, ...]:
        # resume() needs live connections; a pickled copy keeps everything else.
        revive = partial(type(self), partial=self.partial, cause=self.cause)
        return revive, (str(self),)


class IncompleteInventoryError(_BrokenOff, PetstoreError):
    """A failure ended a listing: ``partial`` is what was read, ``resume()`` reads the rest.

    ``partial`` is an Inventory whose verdict is ``incomplete``; ``cause`` is the failure.

    Example:
        >>> import petstore_frame as pf
        >>> def read_all(client):
        ...     try:
        ...         return pf.fetch_inventory(client)
        ...     except pf.IncompleteInventoryError as broken:
        ...         return broken.resume()  # or broken.partial, for what there is
    """


class FetchInterrupted(_BrokenOff, ShortTraceback, KeyboardInterrupt):
    """Ctrl-C ended a listing; ``partial`` and ``resume()`` as of IncompleteInventoryError."""


class PaginationLoopError(IncompleteInventoryError):
    """A listing led back to where it had been; what was read is not the whole listing."""


class ForeignLinkError(IncompleteInventoryError, CrossOriginError):
    """A listing's next link leads to another origin or cannot be read; it was not followed."""


# A traceback shows the name by which a class is imported, not the file that it stands in.
for _kind in (IncompleteInventoryError, FetchInterrupted, PaginationLoopError, ForeignLinkError):
    _kind.__module__ = PetstoreError.__module__
