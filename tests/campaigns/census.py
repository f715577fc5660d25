"""How often a claim of completeness is false, among stores drawn at random.

    PYTHONPATH=tests python tests/campaigns/census.py [30000] [--changing]

Every verdict is held to what the store really holds; each false one is printed. ``--changing``
draws only stores that change while they are read.
"""

from __future__ import annotations

import random
import sys
import time
import warnings

from server_variants import drawn_stores


def main() -> None:
    """Take a census and print its counts as Markdown."""
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    stores = numbers[0] if numbers else 10_000
    draw = drawn_stores.draw_store
    if "--changing" in sys.argv:
        draw = drawn_stores.draw_changing_store
    warnings.simplefilter("ignore")
    start, tally = time.monotonic(), drawn_stores.run(stores, random.Random(20261121), draw)
    counts = {
        "one page of 100 is short of the truth": tally.naive_failures,
        "false verdicts, all stated assumptions true": len(tally.false),
        "false verdicts, a stated assumption broken": sum(tally.conditional.values()),
        "counts called a minimum": tally.minimums,
        "of these above the truth": len(tally.too_high),
        "incomplete, but nothing is missing": len(tally.needless),
        "the same, a stated assumption broken": sum(tally.misled.values()),
        **dict(tally.verdicts.most_common()),
        **{f"broken: {assumption}": n for assumption, n in tally.conditional.most_common()},
    }
    print(f"| stores tried | {tally.tried:,} |\n|---|---|")
    print(f"| requests per store | {tally.requests / tally.tried:.1f} |")
    print(*(f"| {name} | {count:,} |" for name, count in counts.items()), sep="\n")
    print(
        f"\n{time.monotonic() - start:.0f} s",
        *tally.false[:5],
        *tally.needless[:5],
        *tally.too_high[:5],
        sep="\n",
    )


if __name__ == "__main__":
    main()
