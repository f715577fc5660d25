"""Each request in flight has a wire to itself, and a wire that is free is used again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx

import petstore_frame as pf
from clocks import timed_client
from petstore_frame.http.connections import Wires
from petstore_frame.http.given import GivenWire

BASE_URL = "http://127.0.0.1/v1"


class Wire(httpx.MockTransport):
    """A transport that remembers what it carried and that it was closed."""

    def __init__(self, answer) -> None:
        super().__init__(answer)
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def empty(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b"[]")


def test_a_free_wire_is_used_again() -> None:
    """One request after the other goes over one wire, also after a failure."""
    made: list[Wire] = []
    failures = iter([httpx.ReadError("broken off")])

    def answer(request: httpx.Request) -> httpx.Response:
        if problem := next(failures, None):
            raise problem
        return empty(request)

    client = timed_client(BASE_URL, "k")
    client._transport._wires = Wires(lambda: made.append(Wire(answer)) or GivenWire(made[-1]))
    assert [len(client.list_pets()) for _ in range(3)] == [0, 0, 0]
    assert len(made) == 1


def test_requests_side_by_side_share_no_wire() -> None:
    """Four requests that wait for each other need four wires, and closing closes all four."""
    together = Barrier(4)
    made: list[Wire] = []

    def answer(request: httpx.Request) -> httpx.Response:
        together.wait(10)
        return empty(request)

    with pf.Client(BASE_URL, "k") as client, ThreadPoolExecutor(4) as pool:
        client._transport._wires = Wires(lambda: made.append(Wire(answer)) or GivenWire(made[-1]))
        pages = [pool.submit(client.list_pets) for _ in range(4)]
        assert [len(page.result()) for page in pages] == [0] * 4
    assert [wire.closed for wire in made] == [1] * 4


def test_a_transport_of_the_callers_own_is_shared_and_closed_once() -> None:
    """What the caller passes carries every request, with a body that can be read."""
    bodies: list[bytes] = []

    class Reading(Wire):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            bodies.append(request.content)  # as transports of other makers do
            return empty(request)

    wire = Reading(empty)
    with pf.Client(BASE_URL, "k", transport=wire) as client, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: client.list_pets(), range(8)))
        client.post_pet(b'{"name":"Luna","categoryId":1}')
    assert bodies == [b""] * 8 + [b'{"name":"Luna","categoryId":1}']
    assert wire.closed == 1


def test_a_wire_that_comes_back_after_the_end_is_closed() -> None:
    """A request that another thread began while the client was closed leaves no wire open."""
    made: list[Wire] = []
    wires = Wires(lambda: made.append(Wire(empty)) or GivenWire(made[-1]))
    wires.close()
    wires.give_back(wires.borrow())
    assert [wire.closed for wire in made] == [1]


def test_a_transport_that_seems_empty_is_used_all_the_same() -> None:
    """Whether a transport was passed is no question of its truth value."""

    class Recorder(Wire):
        def __len__(self) -> int:
            return 0

    with pf.Client("http://127.0.0.1:9/v1", "k", transport=Recorder(empty)) as client:
        assert len(client.list_pets()) == 0
