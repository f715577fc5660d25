"""What evidence comes to: contradictions never strengthen, order and repetition change nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petstore_frame.inventory import Assumption, Completeness, Evidence, Fact, Shows, Verdict
from petstore_frame.inventory.frame.coverage import unknown_completeness
from petstore_frame.inventory.verdict.facts import weigh

STATUSES = ("available", "pending", "sold")
ASSUMPTIONS = st.lists(st.sampled_from(list(Assumption)), max_size=4, unique=True).map(tuple)
FACTS = st.sampled_from(list(Fact))
SCOPES = st.none() | st.sampled_from(STATUSES)


def evidence(facts: st.SearchStrategy[Fact]) -> st.SearchStrategy[Evidence]:
    return st.builds(Evidence, facts, SCOPES, ASSUMPTIONS, st.integers(0, 300), st.text(max_size=3))


EVIDENCE = st.lists(evidence(FACTS), max_size=8)
AGAINST = (Shows.MISSING, Shows.MOVED, Shows.DOUBT)
CONTRADICTION = evidence(FACTS.filter(lambda fact: fact.shows in AGAINST))


@given(EVIDENCE, st.randoms())
def test_order_and_repetition_change_nothing(evidence_list: list[Evidence], chance) -> None:
    """The same evidence in another order, and told more than once, comes to the same."""
    again = [*evidence_list, *evidence_list[: len(evidence_list) // 2]]
    chance.shuffle(again)
    assert weigh(again) == weigh(evidence_list)


@given(EVIDENCE, CONTRADICTION)
def test_a_contradiction_never_strengthens(evidence_list: list[Evidence], odd: Evidence) -> None:
    """It makes nothing complete and no count exact; none stays exact where the listing moved."""
    before, after = weigh(evidence_list), weigh([*evidence_list, odd])
    assert after.verdict is not Verdict.COMPLETE or before.verdict is Verdict.COMPLETE
    assert after.exact <= before.exact
    assert before.inexact <= after.inexact
    assert odd.scope not in after.exact
    if odd.scope is None:
        assert after.verdict is not Verdict.COMPLETE
        assert odd.shows is not Shows.MOVED or not after.exact


@given(EVIDENCE, st.sets(st.sampled_from(list(Assumption))))
def test_a_broken_assumption_is_among_those_printed(
    evidence_list: list[Evidence], broken: set[Assumption]
) -> None:
    """Where unbroken ends are true ones, a verdict without a broken assumption has such an end."""
    verdict = weigh(evidence_list)
    if broken & {*verdict.assumptions}:
        return
    whole = [None] if verdict.verdict is Verdict.COMPLETE else []  # None is all that was asked
    for scope in (*verdict.exact, *whole):
        ends = [e for e in evidence_list if e.shows is Shows.END and e.scope == scope]
        assert any(not broken & {*end.assumptions} for end in ends)


@given(EVIDENCE)
def test_the_basis_fits_the_verdict(evidence_list: list[Evidence]) -> None:
    """The evidence that is named as the reason shows what the verdict says."""
    verdict = weigh(evidence_list)
    shows = None if verdict.reason is None else verdict.reason.shows
    assert (verdict.verdict is Verdict.COMPLETE) == (shows is Shows.END)
    assert (verdict.verdict is Verdict.INCOMPLETE) <= (shows is Shows.MISSING)
    assert (verdict.verdict is Verdict.UNSTABLE) <= (shows is Shows.MOVED)


# A word for each place that a sentence may have, and for no other.
NAMED = dict.fromkeys(("count", "pets", "rows", "scope", "detail"), "word")


@pytest.mark.parametrize("fact", Fact)
@settings(max_examples=5)
@given(data=st.data())
def test_every_fact_has_a_sentence_and_survives_json(fact: Fact, data) -> None:
    """A person reads one sentence, which knows the singular, and a program the same value."""
    evidence_list = data.draw(evidence(st.just(fact)))
    assert not re.search(r"\b1 (pets|rows)\b", str(replace(evidence_list, count=1, detail="")))
    assert str(evidence_list).endswith(".") and "{" not in fact.sentence.format_map(NAMED)
    claim = unknown_completeness(evidence_list, {})
    assert Completeness.from_dict(json.loads(json.dumps(claim.to_dict()))) == claim
