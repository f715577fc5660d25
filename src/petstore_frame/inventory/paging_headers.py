"""What stores call the facts of a listing in their headers.

In: header lines. Out: what they state, under one word for all spellings of a name. It does not
judge whether a statement is true.

A word is the name without ``X-``, without the name of a library, and without hyphens. So
``Total-Count``, ``X-Pagination-Total-Count`` and the member ``TotalCount`` of a JSON
``X-Pagination`` are all the word ``totalcount``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from petstore_frame.http.headers import Headers

_CURSORS = ("cursor", "page_token", "after")
# Where the next page is, most trusted first, and the parameters that may take a value that
# is not an address. Without a parameter, the value is an address or is returned in a header.
NEXT_WORDS: dict[str, tuple[str, ...]] = {
    "next": ("page", "cursor", "offset"),
    "nextpage": ("page",),
    "nextlink": (),
    "nexturl": (),
    "nextpagelink": (),
    "nextpageurl": (),
    "nextcursor": _CURSORS,
    "nexttoken": _CURSORS,
    "nextpagetoken": _CURSORS,
    "nextoffset": ("offset", "skip"),
    "nextmarker": ("marker",),
    "continuationtoken": ("continuation_token", "continuationToken", "cursor"),
    "continuation": (),
}
# Whether there is more, as yes or no, or how many more.
MORE_WORDS = ("hasmore", "hasnext", "hasnextpage", "more")
# How many pages the listing has.
PAGES_WORDS = ("totalpages", "pagecount", "pages")
# How many pets the listing has.
TOTAL_WORDS = ("totalcount", "total", "totalrecords", "totalitems", "totalelements", "totalresults")
# A JSON object that holds such words.
_OBJECTS = frozenset(("pagination", "paging"))
_KNOWN = frozenset((*NEXT_WORDS, *MORE_WORDS, *PAGES_WORDS, *TOTAL_WORDS)) | _OBJECTS
_LIBRARIES = ("pagination-", "wp-", "ms-")


@dataclass(frozen=True, slots=True)
class Statement:
    """What one header line, or one member of its JSON, states.

    Attributes:
        word: The word that it is known by.
        name: The header's name, and the member's, for a message.
        value: Its value as text.
    """

    word: str
    name: str
    value: str


def statements(headers: Headers, words: Iterable[str]) -> list[Statement]:
    """Return what is stated under these words, in their order."""
    found = list(_known(headers))
    return [statement for word in words for statement in found if statement.word == word]


def _known(headers: Headers) -> Iterator[Statement]:
    for name, value in headers.lines():
        word = _word_of_header(name)
        if word in _OBJECTS:
            yield from _members(_shown(name), _object(value))
        elif word is not None:
            yield Statement(word, _shown(name), value.strip())


def _members(name: str, members: dict[str, Any]) -> Iterator[Statement]:
    objects = [members]
    for each in objects:  # grows: a store may nest them more deeply than calls can go
        for key, value in each.items():
            word = _plain(key)
            if isinstance(value, dict):
                objects.append(value)
            elif word in _KNOWN and value is not None and not isinstance(value, list):
                yield Statement(word, f"{name} {key}", str(value).strip())


def _object(value: str) -> dict[str, Any]:
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@lru_cache(maxsize=256)  # a store sends the same dozen names with each page
def _word_of_header(name: str) -> str | None:
    name = name.removeprefix("x-")
    for library in _LIBRARIES:
        name = name.removeprefix(library)
    word = _plain(name)
    return word if word in _KNOWN else None


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _shown(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))
