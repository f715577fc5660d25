"""The evidence of a claim, line by line, in the same words wherever it is shown in full.

In: a Completeness. Out: pairs of a word and a text. It decides nothing about the claim.
"""

from __future__ import annotations

from collections.abc import Iterable

from petstore_frame.inventory.completeness import Completeness

Line = tuple[str, str]


def evidence(claim: Completeness) -> list[Line]:
    """Return the basis, the assumptions, what was asked and what contradicts the claim."""
    total = claim.advertised_total
    return [
        ("Basis", claim.basis),
        *_numbered("Assumption", claim.assumptions),
        ("Requests sent", f"{claim.requests:,}"),
        ("Total stated by the store", "none" if total is None else f"{total:,}"),
        *((f"Asked: {what}", str(found)) for what, found in claim.probes.items()),
        *_numbered("Contradiction", claim.conflicts),
    ]


def _numbered(word: str, texts: Iterable[object]) -> list[Line]:
    found = [str(text) for text in texts]
    if not found:
        return [(f"{word}s", "none")]
    return [(f"{word} {number}", text) for number, text in enumerate(found, start=1)]
