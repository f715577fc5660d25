"""What reading 100,000 pets costs, beside other ways to do it.

``python benchmarks/fetch.py`` starts nginx with 1,000 ready pages, joined by next links, and reads
them in a fresh process each: processor time and memory above the imports, best of three. Then it
reads from a store with 20 ms of latency, and times ``import petstore_frame``. It prints Markdown
tables and leaves nothing behind. It needs nginx (``apt-get install nginx-light``); a way whose
library is not installed (requests, dlt) is left out. ``--only floor ours httpx_loop --repeats 9``
prints the first table alone, with these rows.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import json
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from compiled_code import compiled_once

PETS, PAGE = 100_000, 100
LATENCY_S = 0.020
SLOW_PETS = 20_000

NGINX = """
worker_processes 1; daemon off; pid {home}/pid; error_log {home}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; default_type application/json; types {{}}
  keepalive_requests 1000000; keepalive_timeout 600s; map_hash_max_size 8192;
  client_body_temp_path {home}/t1; proxy_temp_path {home}/t2; fastcgi_temp_path {home}/t3;
  uwsgi_temp_path {home}/t4; scgi_temp_path {home}/t5;
  map $arg_cursor $page {{ default $arg_cursor; "" 0; }}
  map $page $link {{ {links} }}
  server {{
    listen 127.0.0.1:{port}; root {home};
    location = /v1/pets {{ add_header Link $link; rewrite ^ /$page.json break; }}
  }}
}}
"""


def pets(count: int) -> list[dict[str, object]]:
    rng = random.Random(1)
    made = []
    for pet_id in range(1, count + 1):
        pet = {"id": pet_id, "name": f"{rng.choice(NAMES)} {pet_id}", "categoryId": pet_id % 12}
        status = rng.choice(("available", "pending", "sold", None))
        made.append(pet | ({"status": status} if status else {}))
    return made


NAMES = ("Luna", "Bella", "Max", "Milo", "Žofie", "Rocky", "Nala", "Coco")


@contextlib.contextmanager
def canned_store() -> Iterator[str]:
    """Serve the pages from files by nginx and yield the base address."""
    if shutil.which("nginx") is None:
        raise SystemExit("nginx is not installed; run: apt-get install nginx-light")
    home, port = Path(tempfile.mkdtemp(prefix="petstore-nginx-")), free_port()
    rows, count = pets(PETS), PETS // PAGE
    for page in range(count):
        text = json.dumps(rows[page * PAGE : (page + 1) * PAGE], separators=(",", ":"))
        (home / f"{page}.json").write_text(text)
    base = f"http://127.0.0.1:{port}/v1"
    links = "".join(
        f"{page} '<{base}/pets?limit={PAGE}&cursor={page + 1}>; rel=\"next\"';"
        for page in range(count - 1)
    )
    config = home / "nginx.conf"
    config.write_text(NGINX.format(home=home, port=port, links=links))
    home.chmod(0o755)  # nginx reads as a user of its own
    server = subprocess.Popen(["nginx", "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield base
    finally:
        server.terminate()
        server.wait(10)
        shutil.rmtree(home, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise RuntimeError("the server did not start")


@contextlib.contextmanager
def slow_store(way: str, *, latency_s: float = LATENCY_S, count: int = SLOW_PETS) -> Iterator[str]:
    """Serve 20,000 pets with 20 ms of latency, by next links or by ``offset``."""
    rows, port, loop = pets(count), free_port(), asyncio.new_event_loop()
    by_status: dict[str | None, list[dict[str, object]]] = {None: rows}
    for status in ("available", "pending", "sold"):
        by_status[status] = [pet for pet in rows if pet.get("status") == status]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                query = {k: v[0] for k, v in parse_qs(urlsplit(head.split()[1]).query).items()}
                start, limit = int(query.get("offset", 0)), int(query.get("limit", 20))
                found = by_status[query.get("status")]
                page = found[start : start + limit]
                body = json.dumps(page).encode()
                more = start + limit < len(found) and way == "links"
                link = f"http://127.0.0.1:{port}/v1/pets?limit={limit}&offset={start + limit}"
                await asyncio.sleep(latency_s)
                writer.write(
                    f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(body)}\r\n"
                    f"{f'Link: <{link}>; rel=next' if more else 'X-End: 1'}\r\n\r\n".encode()
                    + body
                )
                await writer.drain()
        writer.close()

    async def serve() -> None:
        await asyncio.start_server(answer, "127.0.0.1", port)

    loop.run_until_complete(serve())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)


# -- the ways to read: each returns (imports done) -> a function that reads


def floor() -> Callable[[str], int]:
    """One raw socket, msgspec, no checks, columns."""
    import msgspec
    import pandas as pd

    def read(base: str) -> int:
        address = urlsplit(base)
        wire = socket.create_connection((address.hostname, address.port))
        answers = wire.makefile("rb")
        ids, names, categories, statuses = [], [], [], []
        path: str | None = f"{address.path}/pets?limit={PAGE}"
        while path:
            wire.sendall(
                f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n\r\n".encode()
            )
            length, path = 0, None
            while (line := answers.readline()) != b"\r\n":
                if line[:15].lower() == b"content-length:":
                    length = int(line[15:])
                elif line[:5] == b"Link:":
                    path = line[line.index(b"<") + 1 : line.index(b">")].decode().partition("//")[2]
                    path = path[path.index("/") :]
            for pet in msgspec.json.decode(answers.read(length)):
                ids.append(pet["id"])
                names.append(pet["name"])
                categories.append(pet["categoryId"])
                statuses.append(pet.get("status"))
        frame = {"id": ids, "name": names, "category_id": categories, "status": statuses}
        return len(pd.DataFrame(frame))

    return read


def ours() -> Callable[[str], int]:
    """petstore_frame: every field checked strictly, and how much of the store that is."""
    import httpcore  # noqa: F401 # the engine of httpx, which loads it with the first client
    import httpx  # noqa: F401 # counted with the imports, as for the others
    import pandas  # noqa: F401 # as above

    import petstore_frame as pf

    pf.Client, pf.fetch_inventory  # noqa: B018 # imported on first use

    def read(base: str) -> int:
        with pf.Client(base, "k") as client:
            inventory = pf.fetch_inventory(client, progress=False)
        assert inventory.completeness.covers_all
        return len(inventory)

    return read


def requests_loop() -> Callable[[str], int]:
    """The usual loop: requests, ``.json()``, ``.links``, one DataFrame."""
    import pandas as pd
    import requests

    def read(base: str) -> int:
        session, rows = requests.Session(), []
        session.headers["Authorization"] = "Bearer k"
        address: str | None = f"{base}/pets?limit={PAGE}"
        while address:
            answer = session.get(address, timeout=60)
            answer.raise_for_status()
            rows += answer.json()
            address = answer.links.get("next", {}).get("url")
        return len(pd.DataFrame(rows))

    return read


def httpx_models() -> Callable[[str], int]:
    """httpx with a pydantic model for each pet."""
    import httpcore  # noqa: F401 # as above
    import httpx
    import pandas as pd
    from pydantic import BaseModel, TypeAdapter

    class Pet(BaseModel, strict=True):
        id: int
        name: str
        categoryId: int
        status: str | None = None

    pages = TypeAdapter(list[Pet])

    def read(base: str) -> int:
        rows: list[Pet] = []
        with httpx.Client(headers={"Authorization": "Bearer k"}) as client:
            address: str | None = f"{base}/pets?limit={PAGE}"
            while address:
                answer = client.get(address)
                answer.raise_for_status()
                rows += pages.validate_json(answer.content)
                address = answer.links.get("next", {}).get("url")
        return len(pd.DataFrame([pet.model_dump() for pet in rows]))

    return read


def httpx_loop() -> Callable[[str], int]:
    """A plain httpx loop: ``.json()``, ``.links``, one DataFrame."""
    import httpcore  # noqa: F401 # as above
    import httpx
    import pandas as pd

    def read(base: str) -> int:
        rows = []
        with httpx.Client(headers={"Authorization": "Bearer k"}) as client:
            address: str | None = f"{base}/pets?limit={PAGE}"
            while address:
                response = client.get(address)
                response.raise_for_status()
                rows += response.json()
                address = response.links.get("next", {}).get("url")
        return len(pd.DataFrame(rows))

    return read


def dlt_client() -> Callable[[str], int]:
    """dlt's RESTClient with its paginator for next links."""
    import pandas as pd
    from dlt.sources.helpers.rest_client import RESTClient
    from dlt.sources.helpers.rest_client.auth import BearerTokenAuth
    from dlt.sources.helpers.rest_client.paginators import HeaderLinkPaginator

    def read(base: str) -> int:
        client = RESTClient(base, auth=BearerTokenAuth("k"), paginator=HeaderLinkPaginator())
        rows = [pet for page in client.paginate("/pets", params={"limit": PAGE}) for pet in page]
        return len(pd.DataFrame(rows))

    return read


WAYS = {
    way.__name__: way
    for way in (floor, ours, httpx_loop, httpx_models, requests_loop, dlt_client)
    if way.__name__.split("_")[0] in ("floor", "ours", "httpx")
    or importlib.util.find_spec(way.__name__.split("_")[0]) is not None
}


def measure_one(name: str, base: str) -> dict[str, float]:
    """Run in a process of its own: what one way costs above its imports."""
    import pandas as pd

    read = WAYS[name]()
    pd.DataFrame({"warm": ["up"]})  # pandas loads its text engine with the first text
    cpu, memory, start = time.process_time(), peak_bytes(), time.perf_counter()
    rows = read(base)
    figures = {
        "rows": rows,
        "cpu_s": time.process_time() - cpu,
        "all_cpu_s": time.process_time(),
        "wall_s": time.perf_counter() - start,
        "bytes_per_pet": (peak_bytes() - memory) / rows,
    }
    cpu = time.process_time()
    read(base)
    return figures | {"warm_cpu_s": time.process_time() - cpu}


def peak_bytes() -> int:
    """The most memory that this process has held; ru_maxrss would start at its parent's."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this needs Linux")


def in_own_process(name: str, base: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--way", name, "--base", base]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(base: str, ways: Sequence[str], repeats: int) -> None:
    """Print the least of each figure: the first process compiles what the others load."""
    best: dict[str, dict[str, float]] = {}
    for name in [*ways] * repeats:
        found = in_own_process(name, base)
        least = best.setdefault(name, found)
        best[name] = {figure: min(least[figure], found[figure]) for figure in found}
    least = best["floor"]
    print(
        "| way | CPU above imports, s | times the floor | CPU of the process, s "
        "| times the floor | wall, s | peak bytes a pet | second fetch, CPU s | times the floor |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    for name, found in best.items():
        assert found["rows"] == PETS, (name, found)
        print(
            f"| {WAYS[name].__doc__} | {found['cpu_s']:.2f} | {found['cpu_s'] / least['cpu_s']:.1f}"
            f" | {found['all_cpu_s']:.2f} | {found['all_cpu_s'] / least['all_cpu_s']:.1f}"
            f" | {found['wall_s']:.2f} | {found['bytes_per_pet']:.0f}"
            f" | {found['warm_cpu_s']:.2f} | {found['warm_cpu_s'] / least['warm_cpu_s']:.1f} |"
        )


def with_latency() -> None:
    ideal = SLOW_PETS / PAGE * LATENCY_S
    title = f"{LATENCY_S * 1000:.0f} ms of latency, {SLOW_PETS:,} pets"
    print(f"\n| {title} | wall, s | of pages x latency |")
    print("|---|---|---|")
    for name, way in (("floor", "links"), ("ours", "links"), ("ours", "offset")):
        with slow_store(way) as base:
            found = in_own_process(name, base)
        assert found["rows"] == SLOW_PETS
        print(f"| {name}, by {way} | {found['wall_s']:.2f} | {found['wall_s'] / ideal:.0%} |")


def imports(repeats: int) -> None:
    """Compare what ``import petstore_frame``, and a first fetch, cost with its three libraries."""
    libraries = "import pandas, httpx; from pydantic import BaseModel"
    with slow_store("links", latency_s=0.0, count=50) as base:
        first = (
            "import pandas, petstore_frame as pf; "
            f"pf.fetch_inventory(pf.Client({base!r}, 'k'), progress=False)"
        )
        lines = {
            libraries: libraries,
            "import pandas, petstore_frame, and the first fetch of the process": first,
            "import pandas": "import pandas; pandas.DataFrame({'warm': ['up']})",
            "import petstore_frame": "import petstore_frame",
        }
        cost = dict.fromkeys(lines, float("inf"))
        for name in [*lines] * repeats:  # in turn, so that a busy moment meets them all
            code = f"{lines[name]}\nimport time; print(time.process_time())"
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
            cost[name] = min(cost[name], float(done.stdout))
    base_s = cost[libraries]
    print("\n| import | CPU, s | of the three libraries |\n|---|---|---|")
    for name, cpu in cost.items():
        print(f"| `{name}` | {cpu:.2f} | {cpu / base_s:.0%} |")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--way", choices=WAYS)
    options.add_argument("--base")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--only", nargs="+", choices=WAYS, help="the floor is always measured")
    chosen = options.parse_args()
    if chosen.way:
        print(json.dumps(measure_one(chosen.way, chosen.base)))
        return
    ways = list(WAYS)
    if chosen.only:
        ways = [name for name in WAYS if name == "floor" or name in chosen.only]
    with compiled_once():
        with canned_store() as base:
            compare(base, ways, chosen.repeats)
        if chosen.only:
            return
        with_latency()
        imports(chosen.repeats + 2)


if __name__ == "__main__":
    main()
