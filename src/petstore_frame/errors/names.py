"""Answers a word that is not known with the nearest right one, or with how it is done here."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, TypeVar, cast

from petstore_frame.errors.classes import ArgumentError

Named = TypeVar("Named")
# So many known words are listed where none is near.
_LISTED = 30
# So much alike, a word is taken for a slip, else for a habit.
_ALIKE = 0.85
_OF_CLIENT = "it is a word of pf.Client, which every request goes through"
_TO_FIX = ".fix has the rows to correct, .unknown those in doubt"
_NO_CHANGE = "the interface has no call that changes or deletes a pet"
_RESEND = "the same load again sends what is left, and nothing twice"
_LOAD = "pf.load(source, client) takes a CSV file, a workbook or a frame"
_REPORT = "pf.write_report(inventory, path) writes .xlsx, .csv, .parquet and .html"
_BY_CATEGORY = "the store filters by status alone; inventory.where(category_id=3) keeps a category"
_BY_TRANSPORT = "pass Client(transport=httpx.HTTPTransport({}))".format
_PROXY = "set HTTPS_PROXY, or " + _BY_TRANSPORT("proxy=address")
# What is typed by habit of other libraries, and how it is done here.
HERE = {
    **dict.fromkeys(("AsyncClient", "Session", "session"), "a Client is shared between threads"),
    **dict.fromkeys(("auth", "token", "api_token"), "the key, or a function, is api_key="),
    **dict.fromkeys(("category", "category_id"), _BY_CATEGORY),
    **dict.fromkeys(("delete_pet", "update_pet", "delete", "update"), _NO_CHANGE),
    **dict.fromkeys(("errors", "failed", "failures", "invalid"), _TO_FIX),
    **dict.fromkeys(("fetch", "get_pets", "read", "all_pets"), "pf.fetch_inventory(client) reads"),
    "headers": "pass a transport of your own that adds them",
    **dict.fromkeys(("host", "url", "endpoint"), "the address is base_url="),
    **dict.fromkeys(("load_csv", "load_excel", "load_frame", "read_csv", "read_excel"), _LOAD),
    **dict.fromkeys(("proxies", "proxy"), _PROXY),
    "resume": "pf.resume_loads(client) ends loads that stopped",
    **dict.fromkeys(("retries", "max_retries"), "it is max_retries= of pf.Client"),
    **dict.fromkeys(("retry", "resend"), _RESEND),
    **dict.fromkeys(("summarise", "summary", "summarize"), "pf.summarize(inventory) counts pets"),
    **dict.fromkeys(("timeout", "timeout_s", "idempotency", "transport"), _OF_CLIENT),
    **dict.fromkeys(("to_csv", "to_excel", "to_html", "to_parquet"), _REPORT),
    **dict.fromkeys(("verify", "cert"), _BY_TRANSPORT("verify=context")),
}


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
            raise ArgumentError(f"{what} has no word {wrong!r}{nearest(wrong, known)}") from None

    return cast("Named", answered)
