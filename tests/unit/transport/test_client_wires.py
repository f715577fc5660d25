"""Each request in flight has a wire to itself, and a wire that is free is used again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx

import petstore_frame as pf
from petstore_frame.transport.connections import Wire, Wires

BASE_URL = "http://127.0.0.1/v1"


def empty(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b"[]")


class Recorded(httpx.MockTransport):
    """A transport that counts how often it was closed, and is false, as an empty one may be."""

    def __init__(self, answer=empty) -> None:
        super().__init__(answer)
        self.closed = 0

    def close(self) -> None:
        self.closed += 1

    def __len__(self) -> int:
        return 0


def test_requests_side_by_side_share_no_wire() -> None:
    """Four requests that wait for each other need four wires, and closing closes all four."""
    together = Barrier(4, timeout=10)

    def answer(request: httpx.Request) -> httpx.Response:
        together.wait()
        return empty(request)

    made = [Recorded(answer) for _ in range(4)]
    with pf.Client(BASE_URL, "k") as client, ThreadPoolExecutor(4) as pool:
        client._transport._wires = Wires(map(Wire, made).__next__)
        pages = [pool.submit(client.list_pets) for _ in range(4)]
        assert [len(page.result()) for page in pages] == [0] * 4
    assert [transport.closed for transport in made] == [1] * 4


def test_a_transport_of_the_callers_own_is_shared_and_closed_once() -> None:
    """What the caller passes carries every request, with a body that can be read."""
    bodies: list[bytes] = []

    def reading(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)  # as transports of other makers do
        return empty(request)

    wire = Recorded(reading)
    with pf.Client(BASE_URL, "k", transport=wire) as client, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: client.list_pets(), range(8)))
        client.post_pet(b'{"name":"Luna","categoryId":1}')
    assert bodies == [b""] * 8 + [b'{"name":"Luna","categoryId":1}']
    assert wire.closed == 1


def test_a_wire_that_comes_back_after_the_end_is_closed() -> None:
    """A request that another thread began while the client was closed leaves no wire open."""
    transport = Recorded()
    wires = Wires(lambda: Wire(transport))
    wire = wires.borrow()
    wires.close()
    wires.give_back(wire, is_fit=True)
    assert transport.closed == 1
