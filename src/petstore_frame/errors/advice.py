"""How a next step is put: for a reader in Python, in a shell, in the dashboard, or of a file."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any, ClassVar


class Audience:
    """Who reads a next step: here, a Python caller.

    Attributes:
        has_options: Whether the reader can give options at all.
    """

    has_options = True

    def option(self, name: str, value: Any = None) -> str:
        """Return how an option is given, with its value if that is known."""
        return f"{name}=" if value is None else f"{name}={value!r}"

    def fix(self) -> str:
        """Return how to get the file of the records to correct."""
        return "result.write('results') and correct its fix.csv"

    def reconcile(self, *, resends: bool = False) -> str:
        """Return how records in doubt are settled by reading the store."""
        return f"result.reconcile(client{', resend_absent=True' if resends else ''})"

    def resolve(self) -> str:
        """Return how a person settles a record in doubt."""
        return "result.resolve(record, pet_id=...) or result.resolve(record, not_created=True)"

    def again(self) -> str:
        """Return how an unfinished import is continued."""
        return "the same call"

    def resume(self, *, accepts_loss: bool = False) -> str:
        """Return how the unfinished imports into a store are continued without their files."""
        return f"pf.resume_loads(client{', accept_loss=True' if accepts_loss else ''})"

    def compare(self) -> str:
        """Return how a file is compared with a store that knows none of its keys."""
        return "pf.compare(file, inventory, on=['name', 'category_id'])"


class ShellAudience(Audience):
    """A user of ``petstore-frame load``.

    Args:
        folder: Where the results were written to, or None.
    """

    _NAMES = {"mapping": "column"}  # noqa: RUF012 # never changed

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder

    def option(self, name: str, value: Any = None) -> str:
        flag = "--" + self._NAMES.get(name, name).replace("_", "-")
        if value is None or value is True:
            return flag
        if isinstance(value, list):
            value = ",".join(value)
        if name == "categories":
            return f"{flag} FILE, a CSV of category_id,label"
        if name == "value_map":
            return " ".join(
                f"--value {shlex.quote(f'{field}:{word}={meant}')}"
                for field, words in value.items()
                for word, meant in words.items()
            )
        if isinstance(value, Mapping):
            return " ".join(
                f"{flag} {shlex.quote(f'{field}={column or str()}')}"
                for field, column in value.items()
            )
        return f"{flag} {shlex.quote(str(value))}"

    def fix(self) -> str:
        if self._folder is not None:
            return f"correct {self._folder}/fix.csv"
        return "the same command with --output results writes fix.csv; correct it"

    def reconcile(self, *, resends: bool = False) -> str:
        return f"the same command with --reconcile{' --resend-absent' if resends else ''}"

    def resolve(self) -> str:
        return "the same command with --resolve RECORD=PET_ID or --resolve RECORD=none"

    def again(self) -> str:
        return "the same command"

    def resume(self, *, accepts_loss: bool = False) -> str:
        return f"petstore-frame load --resume{' --accept-loss' if accepts_loss else ''}"

    def compare(self) -> str:
        return "petstore-frame compare FILE --on name --on category_id"


class FormAudience(Audience):
    """A user of the dashboard, who has lists, ticks and buttons."""

    has_options = False
    _NAMES: ClassVar[Mapping[str, str]] = {
        "value_map": "“Values to map”",
        "categories": "“Values to map”, or “Category labels (CSV)”",
        "accept": "a tick below “Held until you confirm”",
        "key": "the list “Key”",
        "mapping": "the lists of columns",
        "columns": "the lists of columns",
        "encoding": "the list “Encoding”",
        "delimiter": "the list “Delimiter”",
        "sheet": "the list “Sheet”",
        "header_row": "the list “Header in line”",
    }

    def option(self, name: str, value: Any = None) -> str:
        return self._NAMES.get(name, "correct the file")

    def fix(self) -> str:
        return "correct fix.csv"

    def reconcile(self, *, resends: bool = False) -> str:
        return "“Settle doubtful records”"

    def again(self) -> str:
        return "the same file"


class FileAudience(Audience):
    """A reader of a result file, which has the others beside it."""

    def fix(self) -> str:
        return "correct fix.csv beside this file"


PYTHON, SHELL, FORM, FILE = Audience(), ShellAudience(), FormAudience(), FileAudience()


class Advice:
    """A next step, phrased for Python unless another voice is asked for.

    Args:
        text: The sentence, with ``{}`` where a part stands.
        parts: Text as it is, an option (its name, or its name and its value), or what a voice says.
        by_hand: The sentence for a reader who has no options; None is the same sentence.

    Example:
        >>> advice = Advice("say which with {}", ("delimiter", ";"))
        >>> str(advice), advice.phrased_by(SHELL)
        ("say which with delimiter=';'", "say which with --delimiter ';'")
    """

    def __init__(
        self,
        text: str,
        *parts: str | tuple[Any, ...] | Callable[[Audience], str],
        by_hand: str | None = None,
    ) -> None:
        self._text, self._parts, self._by_hand = text, parts, by_hand

    def phrased_by(self, voice: Audience) -> str:
        """Return the sentence as a voice phrases it."""
        if self._by_hand is not None and not voice.has_options:
            return self._by_hand
        parts = (
            part(voice)
            if callable(part)
            else voice.option(*part)
            if isinstance(part, tuple)
            else part
            for part in self._parts
        )
        return self._text.format(*parts)

    def __str__(self) -> str:
        return self.phrased_by(PYTHON)


def phrase(text: Any, voice: Audience) -> str:
    """Return an advice as a voice phrases it, and anything else as its text."""
    return str(text.phrased_by(voice) if hasattr(text, "phrased_by") else text)
