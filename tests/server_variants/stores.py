"""Stores that fill the gaps of the interface in every way that we could think of.

Each is made of a Habits and answers in this process, without a socket. What it really holds is
known, so a verdict about it can be checked.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Any
from urllib.parse import urlencode

import httpx

from clocks import timed_client
from petstore_frame import Client
from server_variants import habits
from server_variants.answers import pets
from server_variants.habits import STATUSES, Habits

Failure = BaseException | httpx.Response
Fails = Callable[[int, dict[str, str]], Failure | None]
ORIGIN = "http://127.0.0.1"
BASE_URL = f"{ORIGIN}/v1"
# A store that grows for ever with each request has no end to find.
DRIFTING_REQUESTS = 60


@dataclass
class ZooStore:
    """A store with habits, and what it really holds."""

    pets: list[dict[str, Any]]
    habits: Habits
    seed: int = 0
    requests: list[httpx.Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pets = [dict(pet) for pet in self.pets]
        self.ids_at_start = {pet["id"] for pet in self.pets}
        # Copy B has never heard of the newest pet, so a fetch that begins there owes none of it.
        newest = max(self.ids_at_start, default=None)
        self._newest = newest if self.habits.lag else None
        self._begins_behind = (self.habits.lag or "A")[0] == "B"
        if self._begins_behind:
            self.ids_at_start.discard(newest)
        self.counts: dict[str | None, set[int]] = {}
        self.totals: set[int] = set()
        self.statuses_at_start = {
            pet["id"]: pet.get("status") for pet in self.pets if pet["id"] in self.ids_at_start
        }
        self._random = random.Random(self.seed)
        self._scatter = {pet["id"]: self._random.random() for pet in self.pets}
        self._loses_at = self._random.randint(1, 9)
        self._lock = Lock()

    def client(self, fails: Fails | None = None) -> Client:
        """Return a client of this store; nothing leaves the process.

        Args:
            fails: Gives the failure of a request by its number, from 1, or None; nothing is
                repeated then.
        """
        asked = count(1)

        def answer(request: httpx.Request) -> httpx.Response:
            failure = fails(next(asked), dict(request.url.params)) if fails else None
            if isinstance(failure, BaseException):
                raise failure
            with self._lock:  # some requests are sent side by side
                return failure or self.answer(request)

        retries = {"retry_timeout": 0} if fails else {}
        return timed_client(BASE_URL, "zoo-key", transport=httpx.MockTransport(answer), **retries)

    @property
    def lasting_ids(self) -> set[int]:
        """The pets that were there from the first request to the last."""
        return self.ids_at_start & {pet["id"] for pet in self.pets}

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer ``GET /pets``."""
        if 0 < len(self.requests) <= DRIFTING_REQUESTS:
            self._drift()
        self.requests.append(request)
        self._note_counts()
        query = dict(request.url.params)
        rows = self._ordered(self._filtered(query))
        start, size = self._start(rows, query), self._size(query)
        if self.habits.order == "ties":  # pets that share a value come as each query finds them
            rows.sort(key=lambda pet: (pet["id"] % 3, hash((pet["id"], start))))
        page = rows[start : start + size]
        if self.habits.filters_last and "status" in query:
            page = [pet for pet in page if pet.get("status") == query["status"]]
        headers = [*self._total(rows, start, len(page)), *self._way(rows, start, size, query)]
        if "gap" in query:
            page = []
        if self.habits.tells_age and self._is_behind(query):
            headers.append(("Age", "3600"))
        return httpx.Response(200, json=page, headers=headers)

    def _note_counts(self) -> None:
        """Remember how many pets each status has at this request, and in which copy."""
        if self.habits.drift is None and len(self.requests) > 1:
            return
        copy_b = [pet for pet in self.pets if pet["id"] != self._newest]
        for copy in (self.pets, copy_b)[: 1 + self._begins_behind]:
            counts = Counter(pet.get("status") for pet in copy)
            self.totals.add(len(copy))
            for status in (*STATUSES, None, "reserved"):
                self.counts.setdefault(status, set()).add(counts[status])

    def _filtered(self, query: dict[str, str]) -> list[dict[str, Any]]:
        is_behind = self._is_behind(query)
        pets = [pet for pet in self.pets if not is_behind or pet["id"] != self._newest]
        if "status" not in query or self.habits.ignores_filter or self.habits.filters_last:
            return [pet for pet in pets if not self._is_hidden(pet)]
        return [pet for pet in pets if pet.get("status") == query["status"]]

    def _is_behind(self, query: dict[str, str]) -> bool:
        """Tell whether it is the turn of the copy that lags."""
        if self.habits.lag == "filtered":
            return "status" in query
        turns = self.habits.lag or "A"
        return turns[(len(self.requests) - 1) % len(turns)] == "B"

    def _is_hidden(self, pet: dict[str, Any]) -> bool:
        status = pet.get("status")
        return (status if status in STATUSES else None) in self.habits.hides

    def _ordered(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        order = self.habits.order
        if order == "new each time":
            self._random.shuffle(rows)
            return rows
        if order == "scattered":
            return sorted(rows, key=lambda pet: (self._scatter.get(pet["id"], 2.0), pet["id"]))
        return sorted(rows, key=lambda pet: pet["id"], reverse=order == "newest")

    def _size(self, query: dict[str, str]) -> int:
        if self.habits.ignores_limit:
            return 10**9
        limit = max(min(int(query.get("limit", "20")), 100), self.habits.floor or 1)
        cap = self.habits.cap
        if "status" in query and self.habits.filtered_cap is not None:
            cap = self.habits.filtered_cap
        return min(limit, cap) if cap is not None else limit

    def _start(self, rows: list[dict[str, Any]], query: dict[str, str]) -> int:
        """Return where the page begins: by the way announced, or by a parameter understood."""
        for name in ("_start", "start"):
            if name in query and "via" in query:
                return int(query[name])
        if "_after" in query:
            return self._behind(rows, query["_after"])
        size, start = self._size(query), 0
        for parameter in self.habits.parameters:
            name, _, first = parameter.partition(" ")
            value = query.get(name, "")
            if not value.lstrip("-").isdigit():
                continue
            if name in habits.OFFSET_PARAMETERS or first == "rows":
                start = int(value)
            elif name in habits.PAGE_PARAMETERS:
                start = max(0, (int(value) - int(first or 1)) * size)
                if self.habits.repeats_last_page and start >= len(rows):
                    start = (len(rows) - 1) // size * size
            elif name in habits.ID_PARAMETERS:
                start = self._behind(rows, value)
            else:
                raise AssertionError(f"{name}: say in habits.py what this parameter counts")
        deep = self.habits.depth_cap is not None and start > self.habits.depth_cap
        return len(rows) if deep else start

    def _behind(self, rows: list[dict[str, Any]], pet_id: str) -> int:
        places = (at for at, pet in enumerate(rows) if str(pet["id"]) == pet_id)
        return next(places, len(rows) - 1) + 1

    def _total(self, rows: list[dict[str, Any]], start: int, count: int) -> list[tuple[str, str]]:
        true, kind = len(rows), self.habits.total
        stated = {"true": true, "too high": true + 7, "too low": max(0, true - 7)}
        stated |= {"page length": count, "unfiltered": len(self.pets)}
        if kind == "content-range":
            return [("Content-Range", f"items {start}-{start + count}/{true}")]
        return [("X-Total-Count", str(stated[kind]))] if kind else []

    def _way(
        self, rows: list[dict[str, Any]], start: int, size: int, query: dict[str, str]
    ) -> list[tuple[str, str]]:
        habits, way, lie = self.habits, self.habits.way, self.habits.lie
        limit, following, is_later = int(query.get("limit", "20")), start + size, start > 0
        if way is None:
            return []
        if "gap" in query:
            gap = int(query["gap"]) - 1
            place = {"_start": start} | ({"gap": gap} if gap else {})
            return _link_lines(way, self._address(query, place))
        is_end = following >= len(rows) and (lie != "points on" or way.startswith("x-next"))
        if (
            is_end
            or (habits.names_when_full and size < limit)
            or (habits.names_below_100 and limit >= 100)
            or (lie == "stops early" and is_later)
        ):
            return []
        if way == "x-next page":
            return [("X-Next-Page", str(start // size + 2))]
        if way == "x-next cursor":
            return [("X-Next-Cursor", str(rows[following - 1]["id"]))]
        if way == "x-next address":
            place = self._address(query, {"_start": following}).removeprefix(ORIGIN)
            return [("X-Next-Page", place)]
        step = 1 if lie == "overlaps" and size > 1 else 0
        place = {"_start": following - step}
        if way == "link cursor":
            last = min(following, len(rows)) - 1 - step
            place = {"_after": rows[last]["id"] if rows else 0}
        # Where the next link leads instead.
        wrong: dict[str | None, dict[str, Any]] = {
            "empty pages": {"_start": following, "gap": 1},
            "sparse pages": {"_start": following, "gap": 9},
            "skips rows": {"start": start + limit},
        }
        if is_later:
            wrong |= {
                "links to itself": {"_start": start},
                "goes round": {"_start": 0},
                "endless repeats": {"_start": start, "turn": len(self.requests)},
            }
        if lie == "drops filter":
            query = {"limit": str(limit)}
        address = self._address(query, wrong.get(lie, place))
        if lie == "unreadable later" and is_later:
            return [("Link", f'{address}; rel="next"')]
        return _link_lines(way, address)

    def _address(self, query: dict[str, str], place: dict[str, Any]) -> str:
        keep = {name: query[name] for name in ("limit", "status") if name in query}
        return f"{BASE_URL}/pets?{urlencode(keep | place | {'via': 'link'})}"

    def _drift(self) -> None:
        drift, number = self.habits.drift, max((pet["id"] for pet in self.pets), default=0) + 1
        if drift in ("grows at the end", "grows in front"):
            self.pets += pets(1, "available", first=number)
            self._scatter[number] = -1.0 if drift == "grows in front" else 3.0
        elif drift == "replaces pets" or (
            drift == "replaces one" and len(self.requests) == self._loses_at
        ):
            if self.pets:
                self.pets.pop(self._random.randrange(len(self.pets)))
            self.pets += pets(1, "sold", first=number)
            self._scatter[number] = 3.0
        elif drift == "loses pets" and self.pets:
            self.pets.pop(self._random.randrange(len(self.pets)))
        elif drift == "loses pets once" and len(self.requests) == self._loses_at:
            for _ in range(min(len(self.pets), self._random.choice((1, 1, 3, 120)))):
                self.pets.pop(self._random.randrange(len(self.pets)))
        elif drift == "moves statuses" and self.pets:
            self._random.choice(self.pets)["status"] = self._random.choice(STATUSES)
        elif drift == "shuffles once" and len(self.requests) == 2:
            self._scatter = {pet["id"]: self._random.random() for pet in self.pets}


def _link_lines(way: str, address: str) -> list[tuple[str, str]]:
    relative = "?" + address.partition("?")[2]
    lines = {
        "link relative": [f'<{relative}>; rel="next"'],
        "link several rels": [f'<{address}>; rel="next last"'],
        "link capitals": [f"<{address}>; REL=NEXT"],
        "link quoted comma": [f'</x>; rel="first"; title="a, <b>; c", <{address}>; rel="next"'],
        "link trailing comma": [f'<{address}>; rel="next",'],
        "link second line": ['</docs>; rel="help"', f'<{address}>; rel="next"'],
        "link two next": [f'<{address}>; rel="next", <{address}&again=1>; rel="next"'],
    }
    return [("Link", line) for line in lines.get(way, [f'<{address}>; rel="next"'])]
