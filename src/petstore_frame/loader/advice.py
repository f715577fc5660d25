"""A sentence with options in it, which each reader is shown in their own spelling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from petstore_frame.loader.call import PYTHON, Call


class Advice:
    """A next step, phrased for Python unless another reader is named.

    Args:
        text: The sentence, with ``{}`` where a part stands.
        parts: Text as it is, an option (its name, or its name and its value), or a function of
            the reader.
        by_hand: The sentence for a reader who has no options; None is the same sentence.

    Example:
        >>> from petstore_frame.loader.call import SHELL
        >>> advice = Advice("say which with {}", ("delimiter", ";"))
        >>> str(advice), advice.phrased_by(SHELL)
        ("say which with delimiter=';'", "say which with --delimiter ';'")
    """

    def __init__(
        self,
        text: str,
        *parts: str | tuple[Any, ...] | Callable[[Call], str],
        by_hand: str | None = None,
    ) -> None:
        self._text, self._parts, self._by_hand = text, parts, by_hand

    def phrased_by(self, reader: Call) -> str:
        """Return the sentence as a reader needs it."""
        if self._by_hand is not None and not reader.has_options:
            return self._by_hand
        return self._text.format(*(_shown(part, reader) for part in self._parts))

    def __str__(self) -> str:
        return self.phrased_by(PYTHON)


def _shown(part: str | tuple[Any, ...] | Callable[[Call], str], reader: Call) -> str:
    if isinstance(part, str):
        return part
    return reader.option(*part) if isinstance(part, tuple) else part(reader)
