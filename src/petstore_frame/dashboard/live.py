"""Markup that answers: the one widget with a script of ours."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

Meant = dict[str, str]


def _script() -> str:
    """Return the script without the comments and indents that only its reader needs."""
    lines = files("petstore_frame.dashboard").joinpath("live.js").read_text("utf-8").splitlines()
    bare = (line.strip() for line in lines)
    return "\n".join(line for line in bare if line and not line.startswith("//"))


class Live(anywidget.AnyWidget):
    """Shows markup; its marks have tooltips, and what is clicked is reported.

    Marks are elements of class ``pf-mark``; ``charts`` draws them. The markup is as escaped as
    that of any other widget: the script shows no text as markup.

    Args:
        meant: Called with the data attributes of what was clicked: ``category``, ``status``,
            ``sort``; or ``toggle`` and ``figure`` for the sign of a legend.
    """

    _esm = traitlets.Unicode(_script()).tag(sync=True)
    markup = traitlets.Unicode().tag(sync=True)

    def __init__(self, meant: Callable[[Meant], None], **options: Any) -> None:
        super().__init__(**options)
        self._meant = meant
        self.on_msg(self._told)

    def download(self, content: bytes, name: str, media: str) -> None:
        """Have the browser save a file."""
        self.send({"file": name, "media": media}, [content])

    def _told(self, _: Any, content: Any, __: Any) -> None:
        if isinstance(content, dict) and content:
            self._meant({name: str(value) for name, value in content.items() if value is not None})
