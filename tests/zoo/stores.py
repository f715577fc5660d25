"""Stores that fill the gaps of the interface in every way that we could think of.

Each is made of a Habits and answers in this process, without a socket. What it really holds is
known, so a verdict about it can be checked.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from urllib.parse import urlencode

import httpx

from clocks import timed_client
from petstore_frame import Client
from zoo.habits import STATUSES, Habits

BASE_URL = "http://127.0.0.1/v1"
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
        if self.habits.lag and self.habits.lag[0] == "B":
            self.ids_at_start.discard(newest)
        self.counts: dict[str | None, set[int]] = {}
        self.statuses_at_start = {
            pet["id"]: pet.get("status") for pet in self.pets if pet["id"] in self.ids_at_start
        }
        self._random = random.Random(self.seed)
        self._scatter = {pet["id"]: self._random.random() for pet in self.pets}
        self._loses_at = self._random.randint(1, 9)
        self._lock = Lock()

    def client(self) -> Client:
        """Return a client of this store; nothing leaves the process."""
        transport = httpx.MockTransport(self.answer)
        return timed_client(BASE_URL, "zoo-key", transport=transport)

    @property
    def lasting_ids(self) -> set[int]:
        """The pets that were there from the first request to the last."""
        return self.ids_at_start & {pet["id"] for pet in self.pets}

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer ``GET /pets``, one request at a time: some are asked side by side."""
        with self._lock:
            return self._answer(request)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if 0 < len(self.requests) <= DRIFTING_REQUESTS:
            self._drift()
        self.requests.append(request)
        self._note_counts()
        query = dict(request.url.params)
        rows = self._ordered(self._filtered(query))
        start, size = self._start(rows, query), self._size(query)
        if self.habits.order == "ties":
            rows = self._tied(rows, start)
        page = rows[start : start + size]
        if self.habits.filters_last and "status" in query:
            page = [pet for pet in page if pet.get("status") == query["status"]]
        headers = self._headers(rows, start, size, len(page), query)
        if "gap" in query:
            page = []
        if self.habits.tells_age and self._is_behind(query):
            headers.append(("Age", "3600"))
        return httpx.Response(
            200,
            content=json.dumps(page).encode(),
            headers=[("Content-Type", "application/json"), *headers],
        )

    def _note_counts(self) -> None:
        """Remember how many pets each status has at this request, and in which copy."""
        if self.habits.drift is None and len(self.requests) > 1:
            return
        shown = [self.pets]
        if self.habits.lag is not None and self.habits.lag[0] == "B":
            shown.append([pet for pet in self.pets if pet["id"] != self._newest])
        for pets in shown:
            found = Counter(pet.get("status") for pet in pets)
            for status in (*STATUSES, None, "reserved"):
                self.counts.setdefault(status, set()).add(found[status])

    def _filtered(self, query: dict[str, str]) -> list[dict[str, Any]]:
        status = query.get("status")
        is_behind = self._is_behind(query)
        pets = [pet for pet in self.pets if not is_behind or pet["id"] != self._newest]
        if status is None or self.habits.ignores_filter or self.habits.filters_last:
            return [pet for pet in pets if not self._is_hidden(pet)]
        return [pet for pet in pets if pet.get("status") == status]

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

    def _tied(self, rows: list[dict[str, Any]], start: int) -> list[dict[str, Any]]:
        """Order by a value that many pets share, and those as each query finds them."""
        return sorted(rows, key=lambda pet: (pet["id"] % 3, hash((pet["id"], start))))

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
            if name in ("offset", "skip", "start", "_start") or first == "rows":
                start = int(value)
            elif name in ("page", "_page", "page[number]"):
                start = max(0, (int(value) - int(first or 1)) * size)
                if self.habits.repeats_last_page and start >= len(rows):
                    start = (len(rows) - 1) // size * size
            else:
                start = self._behind(rows, value)
        deep = self.habits.depth_cap is not None and start > self.habits.depth_cap
        return len(rows) if deep else start

    def _behind(self, rows: list[dict[str, Any]], pet_id: str) -> int:
        places = (at for at, pet in enumerate(rows) if str(pet["id"]) == pet_id)
        return next(places, len(rows) - 1) + 1

    def _headers(
        self,
        rows: list[dict[str, Any]],
        start: int,
        size: int,
        count: int,
        query: dict[str, str],
    ) -> list[tuple[str, str]]:
        return [*self._total(rows, start, count), *self._way(rows, start, size, query)]

    def _total(self, rows: list[dict[str, Any]], start: int, count: int) -> list[tuple[str, str]]:
        name, true = "X-Total-Count", len(rows)
        stated = {
            "true": true,
            "page length": count,
            "too high": true + 7,
            "too low": max(0, true - 7),
            "unfiltered": len(self.pets),
        }
        if self.habits.total == "content-range":
            return [("Content-Range", f"items {start}-{start + count}/{true}")]
        return [(name, str(stated[self.habits.total]))] if self.habits.total else []

    def _way(
        self, rows: list[dict[str, Any]], start: int, size: int, query: dict[str, str]
    ) -> list[tuple[str, str]]:
        way, lie = self.habits.way, self.habits.lie
        following = start + size
        if way is None:
            return []
        if "gap" in query:
            gap = int(query["gap"]) - 1
            place = {"_start": str(start)} | ({"gap": str(gap)} if gap else {})
            return _link_lines(way, self._address(query, place))
        if following >= len(rows) and lie != "points on":
            return []
        if self.habits.names_when_full and size < int(query.get("limit", "20")):
            return []
        if self.habits.names_below_100 and int(query.get("limit", "20")) >= 100:
            return []
        if lie == "stops early" and start > 0:
            return []
        keep = {name: query[name] for name in ("limit", "status") if name in query}
        if way.startswith("x-next"):
            if following >= len(rows):
                return []
            return self._header_way(way, rows, start, size, keep)
        step = 1 if lie == "overlaps" and size > 1 else 0
        place = {"_start": str(following - step)}
        if way == "link cursor":
            last = min(following, len(rows)) - 1 - step
            place = {"_after": str(rows[last]["id"]) if rows else "0"}
        if lie == "links to itself" and start > 0:
            place = {"_start": str(start)}
        if lie == "goes round" and start > 0:
            place = {"_start": "0"}
        if lie == "endless repeats" and start > 0:
            place = {"_start": str(start), "turn": str(len(self.requests))}
        if lie in ("empty pages", "sparse pages"):
            place = {"_start": str(start + size), "gap": "1" if lie == "empty pages" else "9"}
        if lie == "skips rows":
            place = {"start": str(start + int(query.get("limit", "20")))}
        if lie == "unreadable later" and start > 0:
            return [("Link", f'{self._address(query, place)}; rel="next"')]
        if lie == "drops filter":
            query = {"limit": query.get("limit", "20")}
        return _link_lines(way, self._address(query, place))

    def _address(self, query: dict[str, str], place: dict[str, str]) -> str:
        keep = {name: query[name] for name in ("limit", "status") if name in query}
        return f"{BASE_URL}/pets?{urlencode(keep | place | {'via': 'link'})}"

    def _header_way(
        self,
        way: str,
        rows: list[dict[str, Any]],
        start: int,
        size: int,
        keep: dict[str, str],
    ) -> list[tuple[str, str]]:
        if way == "x-next address":
            query = urlencode(keep | {"_start": str(start + size), "via": "link"})
            return [("X-Next", f"/v1/pets?{query}")]
        if way == "x-next page":
            return [("X-Next-Page", str(start // size + 2))]
        return [("X-Next-Cursor", str(rows[start + size - 1]["id"]))]

    def _drift(self) -> None:
        drift, number = self.habits.drift, max((pet["id"] for pet in self.pets), default=0) + 1
        if drift in ("grows at the end", "grows in front"):
            self.pets.append({"id": number, "name": "new", "categoryId": 1, "status": "available"})
            self._scatter[number] = -1.0 if drift == "grows in front" else 3.0
        elif drift == "loses pets" and self.pets:
            self.pets.pop(self._random.randrange(len(self.pets)))
        elif drift == "loses pets once" and len(self.requests) == self._loses_at:
            for _ in range(min(len(self.pets), self._random.choice((1, 1, 3, 120)))):
                self.pets.pop(self._random.randrange(len(self.pets)))
        elif drift == "moves statuses" and self.pets:
            self._random.choice(self.pets)["status"] = self._random.choice(STATUSES)
        elif drift == "shuffles once" and len(self.requests) == 2:
            ids = [pet["id"] for pet in self.pets]
            self._scatter = {pet_id: self._random.random() for pet_id in ids}


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
