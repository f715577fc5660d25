"""Answers a word that is not known with the nearest right one, or with how it is done here."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, TypeVar, cast

from petstore_frame.errors.classes import ArgumentError, ConfigurationError

Named = TypeVar("Named")
# So many known words are listed where none is near.
_LISTED = 30
# So much alike, a word is taken for a slip, else for a habit.
_ALIKE = 0.85
# How it is done here, and the words that are typed for it by habit of other libraries.
_HABITS = {
    "a Client is shared between threads": "AsyncClient Session session",
    "the key is api_key=": "auth token api_token",
    "the store filters by status alone; inventory.where(category_id=3) keeps a category": (
        "category category_id"
    ),
    "the interface has no call that changes or deletes a pet": (
        "delete_pet update_pet delete update"
    ),
    ".fix has the rows to correct, .unknown those in doubt": "errors failed failures invalid",
    "pf.fetch_inventory(client) reads": "fetch get_pets read all_pets",
    "pass a transport of your own that adds them": "headers",
    "the address is base_url=": "host url endpoint",
    "pf.load(source, client) takes a CSV file, a workbook or a frame": (
        "load_csv load_excel load_frame read_csv read_excel"
    ),
    "set HTTPS_PROXY, or pass Client(transport=httpx.HTTPTransport(proxy=address))": (
        "proxies proxy"
    ),
    "pf.resume_loads(client) ends loads that stopped": "resume",
    "it is max_retries= of pf.Client": "retries max_retries",
    "the same load again sends what is left, and nothing twice": "retry resend",
    "pf.summarize(inventory) counts pets": "summarise summary summarize",
    "it is a word of pf.Client, which every request goes through": (
        "timeout timeout_s idempotency transport"
    ),
    "pf.write_report(inventory, path) writes .xlsx, .csv, .parquet and .html": (
        "to_csv to_excel to_html to_parquet"
    ),
    "pass Client(transport=httpx.HTTPTransport(verify=context))": "verify cert",
}
HERE = {word: text for text, words in _HABITS.items() for word in words.split()}


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the end of a sentence that refuses a word: the nearest right one, or what there is.

    Example:
        >>> nearest("kye", ["key", "keep"]), nearest("colour", ["key", "keep"])
        ("; did you mean 'key'?", '; it has key, keep')
        >>> nearest("verify", ["key", "keep"])
        '; pass Client(transport=httpx.HTTPTransport(verify=context))'
    """
    words, text = list(known), str(word).strip()
    near = like(text, words)
    if text in HERE and not (near and SequenceMatcher(None, text, near).ratio() > _ALIKE):
        return f"; {HERE[text]}"
    if near:
        return f"; did you mean {near!r}?"
    more = ", …" if len(words) > _LISTED else ""
    return f"; it has {', '.join(words[:_LISTED])}{more}"


def like(word: str, known: Iterable[str]) -> str | None:
    """Return the one of several words that is most like a word, whatever its case, or None."""
    words = {each.casefold(): each for each in known}
    near = get_close_matches(word.strip().casefold(), words, 1, 0.6)
    return words[near[0]] if near else None


def answering(target: Named) -> Named:
    """Have a function, or each method of a class, answer a keyword that it does not have.

    Raises:
        ArgumentError: By the function, in the place of Python's TypeError.
    """
    if isinstance(target, type):
        for name, method in list(vars(target).items()):
            if isinstance(method, FunctionType) and (name == "__init__" or name[0] != "_"):
                setattr(target, name, answering(method))
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
