"""What a total is worth that the store states: it may refute, and may prove only after a test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from petstore_frame.inventory.asking import Asker
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.page import Page


@dataclass(frozen=True)
class Total:
    """The total of one listing, as it was stated last.

    Attributes:
        value: The number, or None where none is stated or it is of something else.
        is_own: Whether it is surely not that of all pets, where one status was asked for.
        is_tested: Whether it is surely not a mere page's length.
        notes: What else was stated.
    """

    value: int | None = None
    is_own: bool = True
    is_tested: bool = False
    notes: tuple[Evidence, ...] = ()

    def refutes(self, held: int) -> bool:
        """Tell whether the store states more pets of this listing than are held."""
        return self.value is not None and self.value > held and self.is_own

    def of_listing(self, held: int) -> int | None:
        """Return the total, unless it may be that of all pets, where one status was asked for."""
        return self.value if self.is_own or (self.value or 0) <= held else None

    def evidence(self, held: int) -> Iterator[Evidence]:
        """Yield what the total shows beside the number of pets held."""
        if self.refutes(held):
            assumptions = (Assumption.TOTAL_IS_TRUE, Assumption.NO_OLD_ANSWER)
            yield Evidence(Fact.TOTAL_LARGER, assumptions=assumptions, count=self.value or 0)
        elif self.value is not None and self.value != held:
            fact = Fact.TOTAL_OF_ALL if self.value > held else Fact.TOTAL_LOWER
            yield Evidence(fact, count=self.value)
        yield from self.notes


def known_total(first: Page, ask: Asker) -> Total:
    """Return the total as the answers so far show it; nothing is sent."""
    pages = [first]
    if ask.way is not None and ask.way.is_over:
        pages += [ask.way.first, ask.way.last]
    stated = [page.stated.totals for page in pages if page.stated.totals]
    # A page that holds other pets too counts those as well.
    if not ask.may_probe or not stated or first.strays(ask.status):
        return Total()
    notes = tuple(
        Evidence(Fact.TOTALS_DIFFER, detail=f"{totals[0]:,} and {totals[-1]:,}")
        for totals in stated
        if len(totals) > 1
    )
    value, half = stated[-1][0], ask.known(_half(first, ask))
    if half is not None and stated[0][0] == len(first) and half.stated.total != len(first):
        return Total(notes=(*notes, Evidence(Fact.TOTAL_OF_PAGE)))
    is_own = ask.status is None
    if not is_own and (whole := ask.known(_of_all(ask))) is not None:
        is_own = whole.stated.total != value
        if not is_own and whole.strays(ask.status):
            return Total(notes=notes)  # else all pets may have this one status
    is_tested = half is not None and len(half) == len(first) // 2
    return Total(value, is_own, is_tested, notes)


def ask_whose_total(first: Page, ask: Asker, held: int) -> Total:
    """Ask for all pets where it matters: some programs state their number beside a filter too."""
    total = known_total(first, ask)
    if not total.is_own and total.value is not None and total.value > held:
        ask.probe(_of_all(ask))
    return known_total(first, ask)


def ask_what_total_counts(first: Page, ask: Asker) -> Total:
    """Ask with a smaller limit, where a total may be only the length of the page."""
    if known_total(first, ask).value == len(first) > 1:
        ask.probe(_half(first, ask))
    return ask_whose_total(first, ask, len(ask.rows))


def _half(first: Page, ask: Asker) -> dict[str, str]:
    return ask.params(limit=max(1, len(first) // 2))


def _of_all(ask: Asker) -> dict[str, str]:
    return {"limit": str(ask.limit)}
