"""Checking a finding against everything met on the way, whatever its evidence.

In: a Finding, and what is held beside it. Out: the same, or a weaker one. A total that the store
states, and answers older than those before them, contradict every kind of evidence alike, so they
are weighed here, once and last.
"""

from __future__ import annotations

from dataclasses import replace

from petstore_frame.inventory.completeness import Assumption, Verdict
from petstore_frame.inventory.finding import ALL_PETS, Finding
from petstore_frame.inventory.shortness import Evidence
from petstore_frame.schema.models import pets_text


def weighed(finding: Finding, known: Evidence) -> Finding:
    """Return what is left of a finding, with what it assumes besides its own evidence."""
    for weigh in (_held_to_total, _held_to_what_left, _held_to_ages):
        finding = weigh(finding, known)
    return finding


def _held_to_total(finding: Finding, known: Evidence) -> Finding:
    """Withdraw that the whole is held, or may be, where the store states more pets."""
    total, held = known.total, len(known.rows)
    if finding.verdict is Verdict.INCOMPLETE:
        return finding
    is_complete, is_refuted = finding.verdict is Verdict.COMPLETE, total.refutes(held)
    if is_complete and total.value is not None and total.value != held:
        known.conflicts.append(f"the store states {pets_text(total.value)} and gave {held:,}")
    if finding.scope != ALL_PETS:  # the rest may be pets without a status
        return finding
    if is_refuted:
        larger = "own total is larger"
        basis = f"{finding.basis}, but its {larger}" if is_complete else f"the server's {larger}"
        of_counts = finding.assumptions if finding.exact else ()
        assumed = (*of_counts, Assumption.TOTAL_IS_TRUE)
        return Finding(Verdict.INCOMPLETE, basis, assumptions=assumed, exact=finding.exact)
    doubt = total.doubt(held)
    if is_complete and doubt is not None:
        return Finding(Verdict.UNKNOWN, f"{finding.basis}, but {doubt}")
    return finding


def _held_to_what_left(finding: Finding, known: Evidence) -> Finding:
    """Claim no number where a later answer lacks pets that it should have had.

    They stay among the rows, so what is held is more than the store has now, or it has more than
    what was read last.
    """
    known.conflicts.extend(known.gone)
    if not known.gone or not (finding.exact or finding.verdict is Verdict.COMPLETE):
        return finding
    if finding.verdict is Verdict.INCOMPLETE:
        return replace(finding, exact=frozenset())
    return _doubted(finding, known.gone[0])


def _held_to_ages(finding: Finding, known: Evidence) -> Finding:
    """Conclude nothing from answers of two states of the store; else assume that there are none."""
    if not finding.assumptions:  # it compares no answers
        return finding
    reader = known.reader
    mixture = reader.mixture or reader.ages.mixture
    if mixture is not None:
        known.conflicts.append(mixture)
        return _doubted(finding, "answers do not fit together")
    if reader.requests > 1:
        finding = finding.provided(Assumption.NO_OLD_ANSWER)
    if reader.status is None or finding.verdict is Verdict.INCOMPLETE:
        return finding
    return finding.provided(Assumption.FILTER_IS_TRUE)


def _doubted(finding: Finding, doubt: str) -> Finding:
    """Return what is left of a finding under a doubt: no count is exact and nothing is proven."""
    is_proven = finding.verdict is not Verdict.UNKNOWN
    return Finding(Verdict.UNKNOWN, f"{finding.basis}, but {doubt}" if is_proven else finding.basis)
