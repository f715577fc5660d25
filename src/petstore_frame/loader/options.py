"""What a caller may ask of the loader, checked before anything is sent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from numbers import Real
from os import PathLike
from typing import Any, Literal, Self, get_args

from petstore_frame.inventory.progress import Display, checked_progress
from petstore_frame.loader.question import BY_NAME, CASES
from petstore_frame.loader.record import State
from petstore_frame.schema.arguments import (
    before_sending,
    checked_client,
    one_of,
    refuse,
    true_or_false,
    whole_number,
)

Word = Literal["refuse", "skip", "send"]
# One answer, or one for each case of the question.
Duplicates = Word | Mapping[str, Word]
ProgressOption = bool | Callable[[Mapping[State, int]], None] | None
DEFAULT_WORKERS, MOST_WORKERS = 16, 32
# Twice a Client's usual timeout: we wait for a request that long, and a proxy in between may
# keep it as long again.
GRACE_S = 240.0


@dataclass(frozen=True)
class LoadOptions:
    """What a caller says of one load, as ``load`` explains it; a Recipe says how it is read.

    Attributes:
        patience_s: Seconds without an answer after which an outage ends the session.
        first_patience_s: The same before the first answer of the session.
    """

    workers: int | None = None
    max_errors: int | None = None
    dry_run: bool = False
    duplicates: Duplicates | None = None
    send_lines: Collection[int] = ()
    leave_lines: Collection[int] = ()
    check_store: bool = True
    again: bool = False
    progress: ProgressOption = None
    journal: str | PathLike[str] | None = None
    patience_s: float = 900.0
    first_patience_s: float = 10.0

    @before_sending()
    def check(self, client: Any) -> None:
        """Refuse what cannot be used.

        Raises:
            ArgumentError: The text says what it can be; nothing was sent.
        """
        checked_client(client, "post_pet")
        if self.workers is not None:
            whole_number("workers", self.workers, 1, MOST_WORKERS)
        if self.max_errors is not None:
            whole_number("max_errors", self.max_errors, 0)
        if self.journal is not None:
            check_folder("journal", self.journal)
        checked_progress(self.progress)
        if isinstance(self.duplicates, Mapping):
            for case, word in self.duplicates.items():
                one_of("a case of duplicates", case, [*CASES, "absent"])
                one_of(f"duplicates[{case!r}]", word, get_args(Word))
        elif self.duplicates is not None:
            one_of("duplicates", self.duplicates, get_args(Word))
        for name in ("send_lines", "leave_lines"):
            lines = getattr(self, name)
            if isinstance(lines, str) or not isinstance(lines, Collection):
                refuse(f"{name}= is a list of line numbers, got {lines!r}")
            for line in lines:
                whole_number(name, line, 1)
        for name in ("dry_run", "again", "check_store"):
            true_or_false(name, getattr(self, name))

    @property
    def answers(self) -> dict[str, Word]:
        """The answer to each case of the question that has one; some are answered by name only."""
        plain = [case for case in CASES if case not in BY_NAME]
        said = self.duplicates or "refuse"
        named = said if isinstance(said, Mapping) else dict.fromkeys(plain, said)
        return {case: word for case, word in named.items() if word != "refuse"}


NOTHING_SAID: LoadOptions = LoadOptions()


@before_sending()
def check_folder(name: str, value: Any) -> None:
    """Refuse what is not a path."""
    if not isinstance(value, str | PathLike):
        refuse(f"{name}= is a folder's path, got {value!r}")


@before_sending()
def check_settling(client: Any, grace_s: Any) -> None:
    """Refuse what cannot be used to read a store back.

    Raises:
        ArgumentError: The text says what it can be; nothing was sent.
    """
    checked_client(client, "ask_page")
    is_number = isinstance(grace_s, Real) and not isinstance(grace_s, bool)
    if not is_number or not 0 <= grace_s < math.inf:
        refuse(f"grace_s= is a number of seconds, 0 or more, got {grace_s!r}")


class LoadProgress:
    """Shows the number of records in each state as it changes, as ``progress=`` says.

    ``total`` is how many records are to be sent; for 0 no bar is shown.
    """

    def __init__(self, progress: ProgressOption, total: int) -> None:
        self._total = total
        shown = progress if total or callable(progress) else False
        self._display = Display(shown, "Loading", total)

    def __call__(self, counts: Counter[State]) -> None:
        done = self._total - counts[State.PENDING] - counts[State.IN_FLIGHT]
        odd = {str(state): counts[state] for state in (State.REJECTED, State.UNKNOWN)}
        self._display.show(dict(counts), done, **{name: n for name, n in odd.items() if n})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._display.__exit__(*problem)
