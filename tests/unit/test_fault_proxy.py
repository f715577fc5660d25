"""A store that misbehaves does so as its seed says, and keeps the truth about what it applied."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import petstore_frame as pf
from end_to_end.shell import started
from petstore_frame.fault_proxy import FaultyProxy, read_faults
from plain_http import NO_TLS, talk_to
from threaded import serve

ALL = "lost-reply=0.1,refused=0.1,error-after=0.1,busy=0.1,repeat=0.1"


class Faulty(FaultyProxy):
    """A misbehaving proxy before a service of the tests, with its key."""

    def __init__(self, store, faults: str, seed: int = 7) -> None:
        super().__init__(store.base_url, read_faults(faults), seed, 0)
        self.api_key = store.api_key

    def __exit__(self, *_: object) -> None:
        self.close()


def post(client: httpx.Client, number: int) -> int:
    """Return the status of an addition, or 0 where no answer came."""
    try:
        return client.post("/pets", json={"name": f"Pup {number}", "categoryId": 1}).status_code
    except httpx.TransportError:
        return 0


def post_all(threads: int, seed: int = 7) -> tuple[list[int], list[tuple[int, int]], dict]:
    """Add 100 pets to a new store by so many threads; return what each of both sides saw."""
    with serve(spec_only=True) as store, Faulty(store, ALL, seed) as faulty:
        with talk_to(faulty) as client, ThreadPoolExecutor(threads) as pool:
            statuses = list(pool.map(lambda number: post(client, number), range(100)))
        rows = faulty.truth().sort_values("name")
        return statuses, list(zip(rows["applied"], rows["answered"], strict=True)), faulty.summary()


def test_a_seed_gives_the_same_faults_twice() -> None:
    """Whatever else is in flight; another seed gives others."""
    alone, among_eight, other = post_all(1), post_all(8), post_all(8, seed=8)
    assert alone == among_eight and alone[0] != other[0]
    assert set(alone[2]["faults"]) == set(read_faults(ALL))


@pytest.mark.parametrize(
    ("fault", "status", "applied"),
    [
        ("lost-reply", {0}, 1),
        ("refused", {0}, 0),
        ("late", {0}, 1),
        ("error-after", {500}, 1),
        ("busy", {429, 503}, 0),
        ("repeat", {201}, 2),
    ],
)
def test_each_fault_is_what_it_is_called(fault: str, status: set[int], applied: int) -> None:
    """What the client sees is one thing, what the store did another; the truth has both."""
    with serve(spec_only=True) as store, Faulty(store, f"{fault}=1") as faulty:
        with talk_to(faulty, timeout=2) as client:
            seen = post(client, 1)
        (row,) = faulty.truth().to_dict("records")
    assert seen in status
    assert (row["name"], row["sent"], row["applied"]) == ("Pup 1", 1, applied)
    assert row["answered"] == (seen == 201) and len(row["ids"]) == applied


def test_an_idempotency_key_makes_repeats_harmless() -> None:
    """The store gets the request twice and adds one pet, and so the truth says."""
    with serve() as store, Faulty(store, "repeat=1") as faulty, talk_to(faulty) as client:
        client.post(
            "/pets", json={"name": "Ada", "categoryId": 1}, headers={"Idempotency-Key": "k"}
        )
        assert faulty.summary()["applied"] == 1


def test_pages_are_cut_and_links_stay_here() -> None:
    """``cap`` gives fewer pets than were asked for, and the next page is this proxy's too."""
    with serve(sample=30) as store, Faulty(store, "cap=20,slow=1") as faulty:
        with talk_to(faulty) as client:
            began = time.monotonic()
            first = client.get("/pets?limit=100")
            second = httpx.get(first.links["next"]["url"], headers=client.headers, verify=NO_TLS)
            took_s = time.monotonic() - began
    assert first.links["next"]["url"].startswith(faulty.base_url)
    assert (len(first.json()), len(second.json())) == (20, 10) and took_s >= 2


def test_our_loader_meets_all_of_them_and_doubles_nothing(tmp_path) -> None:
    """What the result says of each row is what the store did, by the store's own account."""
    pf.sample_data.write_sample_csv(tmp_path / "a.csv", rows=60, dirty=False)
    faults = "lost-reply=0.1,refused=0.1,error-after=0.05,busy=0.1,cap=20"
    with serve(spec_only=True) as store, Faulty(store, faults) as faulty:
        with pf.Client(faulty.base_url, store.api_key, timeout=5.0) as client:
            try:
                result = pf.load(
                    tmp_path / "a.csv", client, key="animal_id", journal=tmp_path, progress=False
                )
            except (
                pf.errors.LoadStoppedError
            ) as stopped:  # a third of all requests fail: it may give up
                result = stopped.result
        truth = faulty.truth().set_index("name")["applied"]
    assert truth.max() == 1
    states = result.frame.set_index("name")["state"]
    assert all(truth[name] == 1 for name in states.index[states == "created"])
    assert set(states) <= {"created", "unconfirmed", "pending", "rejected"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("lost-replies=0.1", "did you mean 'lost-reply'"),
        ({"bsy": 0.1}, "did you mean 'busy'"),
        ("late=1.5", "late must be a rate from 0 to 1"),
        ("late=often", "late must be a number"),
        ("late", "late must be a number"),
        ("cap=0", "cap must be a page size"),
        ("busy=0.6,refused=0.6", "add up to more than 1"),
    ],
)
def test_an_unknown_fault_or_rate_is_refused(given, words: str) -> None:
    """With the nearest word; nothing is started."""
    with pytest.raises(pf.ArgumentError, match=words):
        pf.serve(faults=given)


def test_the_truth_is_kept_where_faults_are(tmp_path) -> None:
    """A server without faults has none; one with an empty dict counts and spoils nothing."""
    with pf.serve(faults={}, database=tmp_path / "a") as server, server.client() as client:
        client.create_pet("Ada", 1)
        client.create_pet("Ada", 1)
        assert server.truth()["applied"].tolist() == [2]


def test_the_command_says_at_its_end_what_was_applied(tmp_path, monkeypatch) -> None:
    """Before any other store too: one line of numbers for a person, one of JSON for a script."""
    monkeypatch.chdir(tmp_path)
    body = {"name": "Ada", "categoryId": 1}
    with serve() as store:
        key = {"Authorization": f"Bearer {store.api_key.get_secret_value()}"}
        line = f"petstore-frame serve --port 0 --faults error-after=1 --upstream {store.base_url}"
        printed = []
        for more in ([], ["--json"]):
            with started(line, *more) as (process, first):
                address = json.loads(first)["base_url"]
                seen = httpx.post(f"{address}/pets", json=body, headers=key, verify=NO_TLS)
                process.terminate()
                printed.append(process.stdout.read())
                assert (seen.status_code, process.wait(30)) == (500, 0)
    assert printed[0].startswith("1 POST applied, 0 answered; 0 bodies applied twice")
    assert json.loads(printed[1])["applied"] == 1
