"""Answers a word that is not known with the nearest right one, or with how it is done here."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, TypeVar, cast

from petstore_frame.errors.classes import ArgumentError, ConfigurationError

Named = TypeVar("Named")
# So many known words are listed where none is near.
_LISTED = 30
# How it is done here, and the words that other libraries have for it.
_DONE_HERE = {
    "a Client is shared between threads": "AsyncClient Session session",
    "pf.fetch_inventory(client) reads": "fetch get_pets read",
    "pf.load(source, client) takes a CSV file, a workbook or a frame": "read_csv read_excel",
    "the interface has no call that changes or deletes a pet": "update_pet delete_pet",
    ".fix has the rows to correct, .unknown those in doubt": "failed failures errors",
    "the same load again sends what is left, and nothing twice": "retry resend",
    "it is max_retries= of pf.Client": "retries",
    "it is a word of pf.Client, which every request goes through": "timeout",
    "set HTTPS_PROXY, or pass Client(transport=httpx.HTTPTransport(proxy=address))": (
        "proxy proxies"
    ),
}
_HOW = {word: how for how, words in _DONE_HERE.items() for word in words.split()}


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the end of a sentence that refuses a word: what to write instead, or what there is.

    Example:
        >>> nearest("kye", ["key", "keep"]), nearest("colour", ["key", "keep"])
        ("; did you mean 'key'?", '; it has key, keep')
        >>> nearest("proxy", ["key", "keep"])
        '; set HTTPS_PROXY, or pass Client(transport=httpx.HTTPTransport(proxy=address))'
    """
    words, how = list(known), _HOW.get(str(word))
    if how is not None:
        return f"; {how}"
    if near := like(str(word), words):
        return f"; did you mean {near!r}?"
    more = ", …" if len(words) > _LISTED else ""
    return f"; it has {', '.join(words[:_LISTED])}{more}"


def like(word: str, known: Iterable[str]) -> str | None:
    """Return the one of several words that is most like a word, whatever its case, or None."""
    words = {each.casefold(): each for each in known}
    near = get_close_matches(word.strip().casefold(), words, 1, 0.6)
    return words[near[0]] if near else None


def folded_name(name: str) -> str:
    """Return a name without what a store may change of it: letter forms, case and spaces.

    Example:
        >>> folded_name(" Zoe\u0308  the\tCat") == folded_name("ZOË THE CAT")
        True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def answering(target: Named) -> Named:
    """Have a function, or a class and its methods, answer a word that it does not have.

    Raises:
        ArgumentError: By the function, in the place of Python's TypeError.
    """
    if isinstance(target, type):
        for name, method in list(vars(target).items()):
            if isinstance(method, FunctionType) and (name == "__init__" or name[0] != "_"):
                setattr(target, name, answering(method))
        if "__getattr__" not in vars(target):
            setattr(target, "__getattr__", _missing)  # noqa: B010 # mypy knows no such name
        return target
    function = cast("FunctionType", target)

    @wraps(function)
    def answered(*given: Any, **words: Any) -> Any:
        try:
            return function(*given, **words)
        except TypeError as problem:
            known = signature(function).parameters
            takes_all = any(each.kind is Parameter.VAR_KEYWORD for each in known.values())
            began = problem.__traceback__ and problem.__traceback__.tb_next
            wrong = next((word for word in words if word not in known), None)
            if wrong is None or takes_all or began:
                raise
            what = function.__qualname__.removesuffix(".__init__")
            del given, words  # they may hold a key, which a verbose traceback would show
            raise ArgumentError(f"{what} has no word {wrong!r}{nearest(wrong, known)}") from None
        except ConfigurationError as problem:  # the frames below may hold one, too
            del given, words
            raise problem.with_traceback(None) from None

    return cast("Named", answered)


def _missing(self: object, name: str) -> Any:
    """Refuse an attribute that there is not, in the place of Python's own sentence."""
    if hasattr(type(self), name):
        return object.__getattribute__(self, name)  # a property failed: it says why
    known = [each for each in dir(self) if not each.startswith("_")]
    near = "" if name.startswith("_") else nearest(name, known)
    raise AttributeError(f"{type(self).__name__} has no {name!r}{near}")
