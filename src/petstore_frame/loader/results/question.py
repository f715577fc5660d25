"""What the user is asked where a source seems to repeat earlier imports, and the ways on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from petstore_frame.errors.advice import PYTHON, Advice, Audience
from petstore_frame.loader.journal.earlier import Repeats, Source
from petstore_frame.loader.journal.rows import Run
from petstore_frame.schema.text import minute_text

# Returns what to type for a way on: the call or the command with this option.
Way = Callable[[str, Any], str]


@dataclass(frozen=True)
class Question(Advice):
    """What was found, and the ways on, phrased for Python unless another voice is asked for.

    Attributes:
        run: The import that was not made.
        repeats: What it has in common with earlier ones.
    """

    run: Run
    repeats: Repeats

    def phrased_by(self, voice: Audience) -> str:
        """Return the question as a voice phrases it."""
        return self.text(voice.option if voice is not PYTHON else self._call)

    def text(self, way: Way) -> str:
        """Return the question, with what to type for each way on."""
        ways = [f"  {reason}\n    {way(option, value)}" for reason, option, value in self.ways()]
        return "\n".join([*self.facts(), "Say which it is:", *ways])

    def facts(self) -> list[str]:
        """Return what was found, line by line; the first names the file."""
        repeats, name = self.repeats, self.run.source_name
        lines = [f"{name} may hold animals that are loaded already, so nothing was sent."]
        if repeats.same_path is not None:
            day = minute_text(repeats.same_path)
            lines.append(f"  This file was loaded {day}; it has changed since.")
        if not repeats.equal:
            return [*lines, f"  None of its {_records(repeats.records)} equals an earlier one."]
        other = f" ({repeats.changed:,} have another status)" if repeats.changed else ""
        lines.append(
            f"  {repeats.equal:,} of its {_records(repeats.records)} equal earlier ones in all but "
            f"the status{other}:"
        )
        lines += [f"    {_described(source)}" for source in repeats.sources]
        if repeats.others:
            lines.append(f"    and {repeats.others:,} more imports")
        return lines

    def ways(self) -> list[tuple[str, str, Any]]:
        """Return the ways on: when it is right, and its option with the value."""
        repeats, rest = self.repeats, self.repeats.records - self.repeats.equal
        column = repeats.key_column
        found = []
        if column is not None:
            reason = f"The column {column!r}, different in each record, names the animals:"
            found.append((reason, "key", column))
        elif not self.run.key:
            found.append(("A column of the file names each animal:", "key", "COLUMN"))
        if repeats.equal:
            known = ", which then have its key" if self.run.key else ""
            found.append(
                (
                    f"Equal records are the same animals{known} (sends the other {rest:,}):",
                    "duplicates",
                    "skip",
                )
            )
        found.append((f"All {repeats.records:,} are other animals:", "duplicates", "send"))
        return found

    def _call(self, option: str, value: Any) -> str:
        run, options = self.run, f"{option}={value!r}"
        if run.key and option != "key":
            key = run.key[0] if len(run.key) == 1 else list(run.key)
            options = f"key={key!r}, {options}"
        if run.source_path is None:
            return f"load_frame(frame, client, {options})"
        is_book = run.source_path.lower().endswith((".xlsx", ".xlsm"))
        file = run.source_name.partition(" (sheet ")[0]
        return f"{'load_excel' if is_book else 'load_csv'}({file!r}, client, {options})"


def _described(source: Source) -> str:
    equal = f": {source.equal:,} of them" if source.equal else ""
    left = (
        f"; {_records(source.pending)} of it not sent yet, which resume_loads (load --resume) sends"
        if source.pending
        else ""
    )
    return f"{source.name}, loaded {minute_text(source.created_at)}{equal}{left}"


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"
