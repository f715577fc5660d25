"""What an import has in common with earlier ones, as sentences.

In: the facts of a run, with the plan that was made when it was staged. Out: one line each, or an
empty text. It compares nothing.
"""

from __future__ import annotations

from petstore_frame.loader.journal.alike import read_alike
from petstore_frame.loader.journal.journal import Run


def describe_alike(run: Run, *, is_rehearsal: bool = False) -> str:
    """Describe which records are sent though an earlier import has equal ones."""
    alike = read_alike(run)
    if alike is None:
        return ""
    animals = "another animal" if alike.records == 1 else "other animals"
    return f"{alike}: {'to be ' * is_rehearsal}sent as {animals}"


def describe_overlap(run: Run) -> str:
    """Describe what an edited file has in common with earlier imports."""
    words = {
        "created": "created before",
        "changed": "of these with other values, which a load does not change",
        "in_doubt": "in doubt before",
        "taken_over": "not sent before",
        "new": "new",
        "vanished": "no longer in the file",
    }
    counted = [
        f"{run.overlap[key]:,} {word}" for key, word in words.items() if run.overlap.get(key)
    ]
    if not run.overlap.get("earlier") and not counted and not run.overlap.get("elsewhere"):
        return ""
    parts = [f"compared with earlier imports: {', '.join(counted) or 'nothing new'}"]
    if elsewhere := run.overlap.get("elsewhere"):
        imports = "1 earlier import" if elsewhere == 1 else f"{elsewhere:,} earlier imports"
        parts = parts if counted else []
        parts.append(
            f"{imports} of this file went to another store, which had this address before; "
            "what went there is not here"
        )
    return "; ".join(parts)
