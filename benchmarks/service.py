"""The service against bare servers that do as little as possible: rates as ratios.

Run: python benchmarks/service.py [--pets 10000000] [--seconds 3]      (needs wrk)

Every server is one uvicorn process with the same HTTP parser, measured on the same machine in turn,
by one client of our own and by wrk. "bare" is a Starlette route that sends the same bytes, head
and body, from memory, or one that writes one row in one durable SQLite transaction per request.
"FastAPI alone" is a route that sends those bytes too, and declares what the operation does: the
bearer key, which it does not look at, and three parameters. "without a database" is the service's
own application, whose store gives the same pets from memory. Then pages are read in a small and in
a large store, and beside 500 slow clients. Nothing is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx

import petstore_frame as pf

SMALL = 10_000
BARE = """
import json, sqlite3, sys, uvicorn
from typing import Annotated, Literal
from fastapi import Depends, FastAPI, Query
from fastapi.security import HTTPBearer
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
port, page, database = int(sys.argv[1]), open(sys.argv[2], "rb").read(), sys.argv[3]
headers = json.loads(sys.argv[4])
store = sqlite3.connect(database, isolation_level=None)
store.execute("PRAGMA journal_mode=WAL")
store.execute("PRAGMA synchronous=FULL")
store.execute("CREATE TABLE pets(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, "
              "category_id INTEGER, status TEXT)")
store.execute("CREATE INDEX by_status ON pets(status, id)")
async def read(request):
    return Response(page, headers=headers, media_type="application/json")
async def add(request):
    pet = json.loads(await request.body())
    store.execute("BEGIN IMMEDIATE")
    row = store.execute("INSERT INTO pets(name, category_id, status) VALUES (?, ?, ?)",
                        (pet["name"], pet["categoryId"], pet["status"]))
    store.execute("COMMIT")
    return Response(json.dumps({"id": row.lastrowid, **pet}), 201, media_type="application/json")
bare = Starlette(routes=[Route("/v1/pets", read), Route("/v1/pets", add, methods=["POST"])])
fastapi = FastAPI(telemetry={"tracing": False, "metrics": False, "logs": False})
@fastapi.get("/fastapi/pets")
async def list_pets(key: Annotated[object, Depends(HTTPBearer())],
                    limit: Annotated[int, Query(ge=1, le=100)] = 20,
                    status: Literal["available", "pending", "sold"] | None = None,
                    cursor: int = 0):
    return Response(page, headers=headers, media_type="application/json")
async def app(scope, receive, send):
    chosen = fastapi if scope.get("path", "").startswith("/fastapi/") else bare
    await chosen(scope, receive, send)
uvicorn.run(app, port=port, http="h11", server_header=False, access_log=False, log_level="error")
"""
FROM_MEMORY = """
import asyncio, sys, uvicorn
from petstore_frame.service import run
from petstore_frame.service.app import create_app
from petstore_frame.service.store import open_database
from petstore_frame.service.options import Options
options = Options(port=int(sys.argv[1]), database=sys.argv[2], api_key=sys.argv[3], log_level="off")
run.set_up_logging("off")
app = create_app(options, open_database(options.database))
store = app.state.store
kept = asyncio.run(store.page(101, 0, None))
class Memory:
    store_id = store.store_id
    async def page(self, size, after, status):
        return kept[:size]
app.state.store = Memory()
uvicorn.Server(run.make_config(app, options)).run(sockets=[run.listen(options)])
"""
ADD = """
wrk.method = "POST"
local number = 0
function request()
  number = number + 1
  return wrk.format(nil, nil, nil,
    '{"name":"pet ' .. number .. '","categoryId":3,"status":"sold"}')
end
"""
NEW_PAGE = """
local number = 0
function request()
  number = (number + 1) % 1000
  return wrk.format(nil, wrk.path .. "&cursor=" .. (FIRST + number))
end
"""


def measure(
    url: str, key: str, seconds: int, connections: int, script: str = ""
) -> dict[str, float]:
    """Return requests a second, and the median and 99th percentile in milliseconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
        command += ["-H", f"Authorization: Bearer {key}", "-s", file.name, url]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text:
        raise SystemExit(text)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    unit = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    spread = {
        name: float(value) * unit[measure]
        for name, value, measure in re.findall(r"(50|99)%\s+([\d.]+)(us|ms|s)", text)
    }
    return {"rate": rate, "median": spread["50"], "p99": spread["99"]}


@contextmanager
def bare_server(folder: Path, page: httpx.Response) -> Iterator[str]:
    (folder / "page").write_bytes(page.content)
    own = {"date", "content-length", "content-type"}
    headers = {name: value for name, value in page.headers.items() if name not in own}
    told = [str(folder / "page"), str(folder / "bare.sqlite3"), json.dumps(headers)]
    with own_server(BARE, told) as address:
        yield address


@contextmanager
def own_server(program: str, arguments: list[str]) -> Iterator[str]:
    """Run a program that serves at the port of its first argument, and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", program, str(port), *arguments])
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield f"http://127.0.0.1:{port}/v1/pets"
    finally:
        process.terminate()
        process.wait()


def fastapi_at(bare: str) -> str:
    return bare.replace("/v1/", "/fastapi/")


class Connection:
    """One connection on which one request is sent again and again."""

    def __init__(self, url: str, key: str, body: bytes = b"") -> None:
        place = httpx.URL(url)
        head = f"{'POST' if body else 'GET'} {place.raw_path.decode()} HTTP/1.1\r\n"
        head += f"Host: {place.host}:{place.port}\r\nAuthorization: Bearer {key}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self._request = head.encode() + b"\r\n" + body
        self._wire = socket.create_connection((place.host, place.port))
        self._wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.took: list[float] = []

    def ask(self, times: int) -> None:
        for _ in range(times):
            started = time.perf_counter()
            self._wire.sendall(self._request)
            received = b""
            while b"\r\n\r\n" not in received:
                received += self._wire.recv(65536)
            head, _, content = received.partition(b"\r\n\r\n")
            length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
            while len(content) < length:
                content += self._wire.recv(65536)
            self.took.append((time.perf_counter() - started) * 1e6)


def one_by_one(folder: Path, rounds: int = 100, block: int = 50) -> None:
    """Print the time of each request on one connection beside that of the bare server, in turn.

    What other programs do on the machine can only add to the least time, so that it is the same on
    a busy one.
    """
    print("| one request after the other | bare, µs | service, µs | ratio | ratio of medians |")
    print("|---|---|---|---|---|")
    pet = b'{"name":"Luna","categoryId":3,"status":"sold"}'
    with pf.serve(database=folder / "least.sqlite3", sample=2000, log_level="off") as server:
        key, pets = server.api_key.get_secret_value(), f"{server.base_url}/pets"
        page = httpx.get(f"{pets}?limit=100", headers={"Authorization": f"Bearer {key}"})
        with (
            tempfile.TemporaryDirectory(dir=folder) as aside,
            bare_server(Path(aside), page) as bare,
        ):
            alone = fastapi_at(bare)
            cases = {
                "GET 100 pets": ("?limit=100", pets, b""),
                "the same, FastAPI alone": ("?limit=100", alone, b""),
                "POST": ("", pets, pet),
            }
            for name, (query, place, body) in cases.items():
                floor, ours = (Connection(url + query, key, body) for url in (bare, place))
                for _ in range(rounds):
                    floor.ask(block)
                    ours.ask(block)
                least, own = min(floor.took), min(ours.took)
                medians = statistics.median(floor.took) / statistics.median(ours.took)
                print(f"| {name} | {least:.0f} | {own:.0f} | {least / own:.2f} | {medians:.2f} |")


def new_pages(first: int) -> str:
    """Return a script that asks for 1,000 pages in turn."""
    return NEW_PAGE.replace("FIRST", str(first))


def bare_loop(folder: Path, rows: int = 3000) -> float:
    """Return one-row transactions a second, with the service's durability and no HTTP."""
    with closing(sqlite3.connect(folder / "loop.sqlite3", isolation_level=None)) as store:
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("PRAGMA synchronous=FULL")
        store.execute("CREATE TABLE pets(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)")
        started = time.perf_counter()
        for number in range(rows):
            store.execute("BEGIN IMMEDIATE")
            store.execute("INSERT INTO pets(name) VALUES (?)", (f"pet {number}",))
            store.execute("COMMIT")
        return rows / (time.perf_counter() - started)


def fill(database: Path, pets: int) -> None:
    """Make a store of many pets, faster than the service would."""
    with pf.serve(database=database, sample=1):
        pass
    with closing(sqlite3.connect(database)) as store:
        store.execute("PRAGMA synchronous=OFF")
        store.execute(
            "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
            "INSERT INTO pets(id, name, category_id, status) SELECT i, 'pet ' || i, i % 7, "
            "CASE i % 4 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' WHEN 2 THEN 'sold' END "
            "FROM n",
            (pets,),
        )
        store.commit()


def same_requests(folder: Path, seconds: int) -> None:
    """Print the service's rates beside those of the bare servers."""
    print("| request | bare, /s | service, /s | ratio | service p99 / median |")
    print("|---|---|---|---|---|")
    with pf.serve(database=folder / "ours.sqlite3", sample=2000, log_level="off") as server:
        key, pets = server.api_key.get_secret_value(), f"{server.base_url}/pets"
        headers = {"Authorization": f"Bearer {key}"}
        page = httpx.get(f"{pets}?limit=100", headers=headers)
        told = [str(folder / "ours.sqlite3"), key]
        with bare_server(folder, page) as bare, own_server(FROM_MEMORY, told) as memory:
            alone = fastapi_at(bare)
            cases = {
                "GET 100 pets, 8 connections": ("?limit=100", bare, pets, 8, new_pages(0)),
                "the same, FastAPI alone": ("?limit=100", bare, alone, 8, ""),
                "the same, without a database": ("?limit=100", memory, pets, 8, new_pages(0)),
                "POST, 16 connections": ("", bare, pets, 16, ADD),
            }
            for name, (query, floor_at, place, connections, script) in cases.items():
                floors, rounds = [], []
                for _ in range(9):  # short and in turn: what else the machine does meets both
                    floor = measure(floor_at + query, key, seconds, connections, script)
                    floors.append(floor["rate"])
                    rounds.append(measure(place + query, key, seconds, connections, script))
                floor = statistics.median(floors)
                ours = {
                    name: statistics.median(each[name] for each in rounds) for name in rounds[0]
                }
                print(
                    f"| {name} | {floor:.0f} | {ours['rate']:.0f} "
                    f"| {ours['rate'] / floor:.2f} | {ours['p99'] / ours['median']:.1f} |"
                )
    loop = statistics.median(bare_loop_in(folder) for _ in range(3))
    print(f"\nBare loop of one-row transactions, no HTTP: {loop:.0f} /s\n")


def bare_loop_in(folder: Path) -> float:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return bare_loop(Path(place))


def large_store(folder: Path, pets: int, seconds: int) -> None:
    """Print what a page costs in a small and in a large store."""
    places = {
        "first": ("", lambda count: 0),
        "last": ("", lambda count: count - 1_200),
        "first, status": ("&status=sold", lambda count: 0),
        "last, status": ("&status=sold", lambda count: count - 1_600),
    }
    sizes = (SMALL, pets)
    for count in sizes:
        fill(folder / f"{count}.sqlite3", count)
    print(f"| page of 100 | {SMALL:,} pets, /s | {pets:,} pets, /s | cost ratio |")
    print("|---|---|---|---|")
    for name, (status, first) in places.items():
        rounds: dict[int, list[float]] = {count: [] for count in sizes}
        for _ in range(7):
            for count in sizes:
                database = folder / f"{count}.sqlite3"
                with pf.serve(database=database, log_level="off") as server:
                    url = f"{server.base_url}/pets?limit=100{status}"
                    key = server.api_key.get_secret_value()
                    measured = measure(url, key, seconds, 8, new_pages(first(count)))
                    rounds[count].append(measured["rate"])
        rates = {count: statistics.median(rounds[count]) for count in sizes}
        ratio = rates[SMALL] / rates[pets]
        print(f"| {name} | {rates[SMALL]:.0f} | {rates[pets]:.0f} | {ratio:.2f} |")


def slow_clients(number: int = 500, requests: int = 1000) -> None:
    """Print one client's times alone, and beside many that never end what they send."""

    def times(client: httpx.Client) -> list[float]:
        took = []
        for _ in range(requests):
            started = time.perf_counter()
            client.get("/pets?limit=20").raise_for_status()
            took.append((time.perf_counter() - started) * 1000)
        return sorted(took)

    print(f"\n| {requests} requests of one client | median, ms | p99, ms |")
    print("|---|---|---|")
    with pf.serve(sample=200, log_level="off") as server:
        key, url = server.api_key.get_secret_value(), httpx.URL(server.base_url)
        headers = {"Authorization": f"Bearer {key}"}
        heads = (
            "GET /v1/pets HTTP/1.1\r\nHost: x\r\n",
            f"POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
            "Content-Length: 100\r\n\r\n{",
        )
        with httpx.Client(base_url=server.base_url, headers=headers) as client:
            times(client)
            rounds: dict[str, list[list[float]]] = {"alone": [], f"beside {number} slow ones": []}
            for _ in range(3):
                rounds["alone"].append(times(client))
                slow = [socket.create_connection((url.host, url.port)) for _ in range(number)]
                for place, wire in enumerate(slow):
                    wire.sendall(heads[place % 2].encode())
                rounds[f"beside {number} slow ones"].append(times(client))
                for wire in slow:
                    wire.close()
    for name, measured in rounds.items():
        median, p99 = (
            statistics.median(took[int(requests * part)] for took in measured)
            for part in (0.5, 0.99)
        )
        print(f"| {name} | {median:.1f} | {p99:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--pets", type=int, default=1_000_000, help="size of the large store; 0 leaves it out"
    )
    parser.add_argument("--seconds", type=int, default=1, help="length of one measurement")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        one_by_one(Path(folder))
        print()
        same_requests(Path(folder), options.seconds)
        if options.pets:
            large_store(Path(folder), options.pets, options.seconds)
    slow_clients()


if __name__ == "__main__":
    main()
