"""How the loader was called: the source, the way in, and every option that was given.

The loader makes each next step that it proposes from this one value. So no option is lost: neither
the journal's folder nor what a column means.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain
from os import PathLike, fspath
from typing import Any

from petstore_frame.errors import PetstoreError
from petstore_frame.schema.arguments import as_whole, whole_from_text
from petstore_frame.schema.categories import category_labels


class Way(StrEnum):
    """Who calls, and so reads the next steps; whoever reads a file calls nothing."""

    PYTHON = "python"
    SHELL = "shell"
    DASHBOARD = "dashboard"
    FILE = "file"


# These are about the layout of one file, so they are left out of the call that loads a fix file.
LAYOUT = ("encoding", "delimiter", "quoting", "columns", "header_row", "sheet")
_OF_ONE_LOAD = ("again", "dry_run", "send_lines", "leave_lines", "ids", "resolve", "reconcile")
_OF_SENDING = ("max_errors", "workers", "duplicates", "check_store", "idempotency_lifetime")
_OF_THE_STORE = ("base_url", "timeout", "allow_insecure")
# An API key is a secret, and a progress bar changes nothing.
_NEVER_SHOWN = ("api_key", "progress")
# A new value of such an option is added to the one that is there.
_TABLES = ("mapping", "value_map", "otherwise", "defaults", "categories", "duplicates")
_LISTS = ("accept", "send_lines", "leave_lines")
_FLAGS = {
    "mapping": "column",
    "value_map": "value",
    "defaults": "default",
    "send_lines": "send-line",
    "leave_lines": "leave-line",
}
_ON_SCREEN = {
    "value_map": "“Values to map”",
    "categories": "“Values to map”, or “Category labels (CSV)”",
    "accept": "“send it all the same” in its row, when the file is chosen again",
    "key": "the list “Key”",
    "mapping": "the lists of columns",
    "columns": "the lists of columns",
    "encoding": "the list “Encoding”",
    "delimiter": "the list “Delimiter”",
    "sheet": "the list “Sheet”",
    "header_row": "the list “Header in line”",
}


@dataclass(frozen=True)
class Call:
    """A call of the loader; ``str()`` is what to type for it.

    Where only the way in is known, a call without a source stands for the reader.

    Attributes:
        way: How it was called.
        function: The function's name, ``load_csv`` for example; in a shell the command's.
        source: The file as the caller named it; None is a frame.
        options: What was given, by the names of the functions' parameters.

    Example:
        >>> call = Call.of("load_csv", "our pets.csv", {"key": "tag", "journal": "kept"})
        >>> print(call.with_(duplicates="skip"))
        pf.load_csv('our pets.csv', client, key='tag', journal='kept', duplicates='skip')
        >>> print(replace(call, way=Way.SHELL, function="load").with_(duplicates="skip"))
        petstore-frame load 'our pets.csv' --key tag --journal kept --duplicates skip
    """

    way: Way = Way.PYTHON
    function: str = ""
    source: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, function: str, source: Any, options: Mapping[str, Any], way: Way = Way.PYTHON
    ) -> Call:
        """Return the call of a function with these arguments; what is not given is None."""
        path = fspath(source) if isinstance(source, str | PathLike) else None
        given = {
            name: _plain(name, value)
            for name, value in options.items()
            if value is not None and name not in _NEVER_SHOWN
        }
        return cls(way, function, path, given)

    @property
    def has_options(self) -> bool:
        """Whether the reader can give options at all."""
        return self.way in (Way.PYTHON, Way.SHELL)

    def with_(self, **changes: Any) -> Call:
        """Return the call with options changed; None leaves one out.

        Further columns, values, cases or lines are added to those that the call has.
        """
        options = dict(self.options)
        for name, value in changes.items():
            plain, before = _plain(name, value), options.get(name)
            if value is None:
                options.pop(name, None)
            elif name in _TABLES and isinstance(before, Mapping) and isinstance(plain, Mapping):
                options[name] = {**before, **plain}
                for key, words in plain.items():
                    known = before.get(key)
                    if isinstance(known, Mapping) and isinstance(words, Mapping):
                        options[name][key] = {**known, **words}
            elif name in _LISTS and before is not None:
                options[name] = [*before, *(each for each in plain if each not in before)]
            else:
                options[name] = plain
        return replace(self, options=options)

    def without(self, names: Collection[str]) -> Call:
        """Return the call without some options."""
        left = {name: value for name, value in self.options.items() if name not in names}
        return replace(self, options=left)

    def option(self, name: str, value: Any = None) -> str:
        """Return how this reader gives an option, with its value if that is known."""
        if self.way is Way.SHELL:
            if value is None or (name == "categories" and isinstance(value, Mapping)):
                file = " FILE, a CSV of category_id,label" if name == "categories" else ""
                return f"--{_FLAGS.get(name, name).replace('_', '-')}{file}"
            return _in_shell(_words(name, _plain(name, value)))
        if self.way is Way.PYTHON:
            return f"{name}=" if value is None else f"{name}={_plain(name, value)!r}"
        return _ON_SCREEN.get(name, "correct the file")

    def __str__(self) -> str:
        if self.way is Way.SHELL:
            place = [] if self.source is None else [self.source]
            if self.source is not None and self.source.startswith("-"):  # is no option
                place = [f".{os.sep}{self.source}"]
            options = chain.from_iterable(map(_words, self.options, self.options.values()))
            return _in_shell(["petstore-frame", self.function, *place, *options])
        if self.way is Way.PYTHON:
            source = "frame" if self.source is None else repr(self.source)
            other = "pf.fetch_inventory(client)" if self.function == "compare" else "client"
            words = [source, other]
            for name, value in self.options.items():
                is_one = isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)
                words.append(f"{name}={(value[0] if is_one else value)!r}")
            return f"pf.{self.function}({', '.join(words)})"
        return "“Send”" if self.way is Way.DASHBOARD else "load the file again"

    def to_file(self, path: str) -> Call:
        """Return the call that loads a result file of this import."""
        function = "load" if self.way is Way.SHELL else "load_csv"
        plain = self.without((*LAYOUT, *_OF_ONE_LOAD))
        return replace(plain, function=function, source=path)

    def to_compare(self, **options: Any) -> Call:
        """Return the comparison of the same source with the store."""
        plain = self.without((*_OF_ONE_LOAD, *_OF_SENDING, "output"))
        return replace(plain, function="compare").with_(**options)

    def to_load(self) -> Call:
        """Return the load of a source that was compared."""
        function = "load"
        if self.way is Way.PYTHON:
            is_book = (self.source or "").lower().endswith((".xlsx", ".xlsm"))
            function = "load_frame" if self.source is None else "load_csv"
            function = "load_excel" if is_book else function
        return replace(self.without(("on", "output")), function=function)

    def resume(self) -> str:
        """Return the call that finishes what is unfinished in this journal."""
        kept = {name: self.options[name] for name in ("journal",) if name in self.options}
        if self.way is Way.SHELL:
            kept |= {name: self.options[name] for name in _OF_THE_STORE if name in self.options}
            return str(Call(self.way, "load", None, {**kept, "resume": True}))
        options = "".join(f", {name}={value!r}" for name, value in kept.items())
        is_python = self.way is Way.PYTHON
        return f"pf.resume_loads(client{options})" if is_python else "import that file again"

    def reconcile(self, *, resends: bool = False) -> str:
        """Return the call that looks for records in doubt in the store."""
        if self.way is Way.SHELL:
            again = self.without((*_OF_ONE_LOAD[:2], "resolve"))
            more = {"duplicates": {"absent": "send"}} if resends else {}
            return str(again.with_(reconcile=None if resends else True, **more))
        if self.way is Way.PYTHON:
            return (
                str(self.with_(duplicates={"absent": "send"}))
                if resends
                else "result.reconcile(client)"
            )
        return "“Settle doubtful records”" if self.way is Way.DASHBOARD else "look in the store"

    def resolve(self, record: int, pet_id: int | None = None) -> str:
        """Return the call that says which pet a record is, or, without one, that there is none."""
        if self.way is Way.SHELL:
            found = f"{record}={'none' if pet_id is None else pet_id}"
            return str(self.without(_OF_ONE_LOAD).with_(resolve=[found]))
        if self.way is not Way.PYTHON:
            return "tell whoever loads the files"
        return f"result.resolve({{{record}: {pet_id}}})"

    def compare(self) -> str:
        """Return the call that compares a source with a store of which no key is known."""
        if self.function:
            on = ["name", "category_id"]
            return str(self.without(("key", "journal")).to_compare(on=on))
        if self.way is Way.SHELL:
            return "petstore-frame compare FILE --on name --on category_id"
        return "pf.compare(file, inventory, on=['name', 'category_id'])"

    @classmethod
    def from_json(cls, values: Mapping[str, Any] | None) -> Call:
        """Return the call of which ``asdict`` gave the values; None is one that is not known."""
        if values is None:
            return cls()
        options = {name: _plain(name, value) for name, value in values["options"].items()}
        return cls(Way(values["way"]), values["function"], values["source"], options)


PYTHON: Call = Call(Way.PYTHON)
SHELL: Call = Call(Way.SHELL)
FORM: Call = Call(Way.DASHBOARD)
FILE: Call = Call(Way.FILE)


@contextmanager
def telling(call: Call | None) -> Iterator[None]:
    """Give an error the call, so that it can propose a next step."""
    try:
        yield
    except PetstoreError as problem:
        problem.call = problem.call or call
        raise


class Advice:
    """A sentence with options in it, spelled as each reader types them.

    Args:
        text: The sentence, with ``{}`` where a part stands.
        parts: Text as it is, or an option: its name, or its name and its value.
        by_hand: The sentence for a reader who has no options; None is the same sentence.

    Example:
        >>> advice = Advice("say which with {}", ("delimiter", ";"))
        >>> str(advice), advice.phrased_by(SHELL)
        ("say which with delimiter=';'", "say which with --delimiter ';'")
    """

    def __init__(
        self, text: str, *parts: str | tuple[Any, ...], by_hand: str | None = None
    ) -> None:
        self._text, self._parts, self._by_hand = text, parts, by_hand

    def phrased_by(self, reader: Call) -> str:
        """Return the sentence as a reader needs it."""
        if self._by_hand is not None and not reader.has_options:
            return self._by_hand
        shown = (part if isinstance(part, str) else reader.option(*part) for part in self._parts)
        return self._text.format(*shown)

    def __str__(self) -> str:
        return self.phrased_by(PYTHON)


def _plain(name: str, value: Any) -> Any:
    """Return the value of an option as JSON has it, and as Python and a shell can show it."""
    if name == "categories" and hasattr(value, "items"):
        # The ids are numbers, which JSON has not for keys, be they before the labels or behind.
        pairs = category_labels(value) if hasattr(value, "columns") else dict(value.items())
        return {_whole(key): _whole(word) for key, word in pairs.items()}
    if isinstance(value, Mapping):
        return {str(key): _plain("", each) for key, each in value.items()}
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, bool | str | int | float | None):
        return value
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, Collection):
        return [_plain("", each) for each in value]
    whole = as_whole(value)
    return str(value) if whole is None else whole


def _whole(value: Any) -> Any:
    """Return a category id as a number, and a label as it is."""
    number = whole_from_text(value) if isinstance(value, str) else as_whole(value)
    return value if number is None else number


def _words(name: str, value: Any) -> Iterator[str]:
    """Yield the words of a command line that give an option its value."""
    flag = "--" + _FLAGS.get(name, name).replace("_", "-")
    if isinstance(value, bool):
        yield flag if value else f"--no-{flag.removeprefix('--')}"
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if isinstance(part, Mapping):
                for word, means in part.items():
                    yield from (flag, f"{key}:{word}={means}")
            elif isinstance(part, list):
                for each in part:
                    yield from (flag, f"{key}={each}")
            else:
                yield from (flag, f"{key}={'' if part is None else part}")
    elif isinstance(value, list) and name != "columns":
        for each in value:
            yield from (flag, str(each))
    elif isinstance(value, list):
        yield from (flag, ",".join(value))
    else:
        yield from (flag, r"\t" if value == "\t" else str(value))


def _in_shell(words: Iterable[str]) -> str:
    """Return words as the command line of this machine takes them."""
    listed = list(words)
    return subprocess.list2cmdline(listed) if os.name == "nt" else shlex.join(listed)
