"""How the help of a command is laid out.

Paragraphs fill any width, and no type stands after a switch that takes no value.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command whose docstring is its help."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.help = _unwrapped(self.help or "")

    def get_params(self, ctx: Any) -> list[Any]:
        return [_without_type(option) for option in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as problem:
            problem.message = problem.message.removeprefix("Value error, ")
            raise


class PlainGroup(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        return [_without_type(option) for option in super().get_params(ctx)]


def _unwrapped(text: str) -> str:
    """Join the lines of each paragraph."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def _without_type(option: Any) -> Any:
    if getattr(option, "is_flag", False):
        option.metavar = ""
    return option
