"""What is asked beyond a listing is counted, and not asked twice."""

from __future__ import annotations

from petstore_frame.http.answer import Headers
from petstore_frame.http.page import Page
from petstore_frame.inventory.asker import Asker
from petstore_frame.inventory.evidence import Fact
from petstore_frame.schema.frame import PetColumns


class Store:
    """Gives pages of the length asked for."""

    base_url = "http://127.0.0.1/v1"

    def ask_page(self, address: str = "/pets", *, params: dict[str, str], **_: object) -> Page:
        ids = list(range(int(params["limit"])))
        return Page(PetColumns(ids, ["x"] * len(ids), [1] * len(ids)), Headers([]), address)


def reader_of(budget: int = 12) -> Asker:
    return Asker(Store(), status=None, limit=100, budget=budget)


def test_the_budget_is_spent_once() -> None:
    """Of two questions asked side by side, a budget of one allows one, and the other is noted."""
    reader = reader_of(budget=1)
    found = reader.probe_all({size: {"limit": size} for size in ("1", "2")})
    assert [*found] == ["1"]
    assert (reader.spent, reader.requests, reader.max_page) == (1, 1, 1)
    assert [trouble.fact for trouble in reader.troubles] == [Fact.QUESTION_NOT_ASKED]


def test_what_was_answered_is_not_asked_again() -> None:
    """A fetch that begins anew after a failure has the answers that it was given before."""
    reader = reader_of()
    first, again = reader.probe({"limit": "3"}), reader.probe({"limit": "3"})
    assert first is again
    assert (reader.spent, reader.requests) == (1, 1)
    assert reader.probe({"limit": "3"}, again=True) is not first
