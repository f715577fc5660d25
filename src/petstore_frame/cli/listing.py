"""The one listing that fetch, report and snapshot make, and what it is worth to a script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from petstore_frame.cli.commands import INTERRUPTED, PARTLY, end
from petstore_frame.cli.options import Store

if TYPE_CHECKING:
    from petstore_frame.errors import IncompleteInventoryError
    from petstore_frame.inventory import Inventory


class Listing(NamedTuple):
    """What was read, and the exit code of a command that goes on with it."""

    inventory: Inventory
    code: int

    def tell(self, output: Path, *, evidence: bool) -> None:
        """Print one line that says what the output covers, and how that is known where asked."""
        from petstore_frame.inventory.view import evidence_lines

        claim = self.inventory.completeness
        typer.echo(f"{output}: {claim}")
        if not (claim.is_complete or evidence):
            typer.echo(f"  {claim.basis}")
        if evidence:
            for word, sentence in evidence_lines(claim):
                typer.echo(f"  {word}: {sentence}")

    def facts(self, output: Path) -> dict[str, Any]:
        """Return what ``--json`` shows of every listing that was written."""
        return {
            "output": str(output),
            "rows": len(self.inventory),
            "base_url": self.inventory.base_url,
            "fetched_at": self.inventory.fetched_at.isoformat(),
            "completeness": self.inventory.completeness.to_dict(),
            "exit_code": self.code,
        }


@contextmanager
def whole_or_untouched(output: Path) -> Iterator[str]:
    """Give the text for an output left unchanged, and print it when Ctrl-C ends the command."""
    untouched = f"{output} is as it was" if output.exists() else f"{output} was not written"
    try:
        yield untouched
    except KeyboardInterrupt:
        end(f"interrupted; {untouched}", INTERRUPTED)


def read_listing(
    store: Store,
    *,
    untouched: str,
    require_complete: bool = False,
    may_be_part: bool = True,
    may_be_interrupted: bool = False,
    **options: Any,
) -> Listing:
    """Read a store; end the command where what was read is not to be written.

    Args:
        store: Which store.
        untouched: The text for an output that is left unchanged.
        require_complete: Whether to go on only with all that was asked for.
        may_be_part: Whether to go on with the pets held when the store broke the reading off.
        may_be_interrupted: Whether to go on with them after Ctrl-C.
        options: Further arguments of ``fetch_inventory``.
    """
    from petstore_frame.client import Client
    from petstore_frame.errors import IncompleteInventoryError
    from petstore_frame.inventory import fetch_inventory

    code = 0
    with Client(**store.settings()) as client:
        try:
            inventory = fetch_inventory(client, **options)
        except IncompleteInventoryError as problem:
            code = INTERRUPTED if problem.is_interrupted else PARTLY
            if not (may_be_interrupted if problem.is_interrupted else may_be_part):
                end(f"{_held(problem)}; {untouched}", code)
            typer.echo(f"error: {_held(problem)}", err=True)
            inventory = problem.partial
    claim = inventory.completeness
    if require_complete and not claim.is_complete:
        end(f"--require-complete: {claim}; {untouched}", code or PARTLY)
    return Listing(inventory, code or (0 if claim.is_complete else PARTLY))


def _held(problem: IncompleteInventoryError) -> str:
    """Return what was read and why no more, without advice for a Python program."""
    why = "interrupted" if problem.is_interrupted else str(problem.cause or problem)
    return f"{why}; {problem.partial.completeness}"
