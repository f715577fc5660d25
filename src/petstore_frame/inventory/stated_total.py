"""What a total is worth that the store states: it may refute a listing, and never proves one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from petstore_frame.http.page import Page
from petstore_frame.inventory.asker import Asker
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact


@dataclass(frozen=True)
class Total:
    """The total of one listing, as it was stated last; ``value`` is None where there is none.

    ``is_own`` says that it is surely not that of all pets, where one status was asked for.
    """

    value: int | None = None
    is_own: bool = True

    def refutes(self, held: int) -> bool:
        """Tell whether the store states more pets of this listing than were read."""
        return self.value is not None and self.value > held and self.is_own

    def of_listing(self, held: int) -> int | None:
        """Return the total, unless it may be that of all pets, where one status was asked for."""
        return self.value if self.is_own or (self.value or 0) <= held else None

    def evidence(self, held: int) -> Iterator[Evidence]:
        """Yield what the total shows beside the number of pets read."""
        if self.refutes(held):
            assumptions = (Assumption.TOTAL_IS_TRUE, Assumption.NO_OLD_ANSWER)
            yield Evidence(Fact.TOTAL_LARGER, assumptions=assumptions, count=self.value or 0)
        elif self.value is not None and self.value != held:
            fact = Fact.TOTAL_OF_ALL if self.value > held else Fact.TOTAL_LOWER
            yield Evidence(fact, count=self.value)


def known_total(first: Page, ask: Asker) -> Total:
    """Return the total as the answers so far show it; nothing is sent."""
    pages = [first]
    if ask.way is not None and ask.way.is_over:
        pages += [ask.way.first, ask.way.last]
    stated = [page.stated.total for page in pages if page.stated.total is not None]
    # A page that holds other pets too counts those as well.
    if not ask.may_probe or not stated or first.mismatches(ask.status):
        return Total()
    value, whole = stated[-1], None if ask.status is None else ask.known(ask.params_of_all)
    is_of_all = whole is not None and whole.stated.total == value
    if whole is not None and is_of_all and whole.mismatches(ask.status):
        return Total()  # else all pets may have this one status
    return Total(value, ask.status is None or (whole is not None and not is_of_all))


def ask_whose_total(first: Page, ask: Asker) -> Total:
    """Ask for all pets where it matters: some programs state their number beside a filter too."""
    total = known_total(first, ask)
    if not total.is_own and total.value is not None and total.value > len(ask.rows):
        ask.probe(ask.params_of_all)
    return known_total(first, ask)
