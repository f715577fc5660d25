"""What a fetch keeps when it breaks off half-way, on real sockets."""

from __future__ import annotations

import re
import signal
import threading

import pytest

import petstore_frame as pf
from clocks import timed_client
from faults.hostile import HostileStore, http, pets_body
from petstore_frame.errors import ForeignLinkError

KEY = "a-key-that-must-not-travel"


def page_number(head: str) -> int:
    found = re.search(r"[?&]page=(\d+)", head)
    return int(found[1]) if found else 1


def pages(count: int, faults: dict[int, list[bytes | None]]):
    """Pages of two pets joined by next links; a page's faults come before it does."""

    def answer(head: str) -> bytes | None:
        number = page_number(head)
        if faults.get(number):
            return faults[number].pop(0)
        link = [f'Link: <?limit=100&page={number + 1}>; rel="next"'] if number < count else []
        return http("200 OK", pets_body(2 * number, 2 * number + 1), *link)

    return answer


def client_of(store: HostileStore) -> pf.Client:
    return timed_client(store.base_url, KEY, max_retries=0)


GONE = http("500 Oh", "{}")
NO_PET = http("200 OK", '[{"id":"x"}]')


@pytest.mark.parametrize("fault", [GONE, NO_PET, None])
def test_a_broken_walk_goes_on_where_it_was(fault: bytes | None) -> None:
    """The error keeps the pages, marked incomplete, and ``resume`` asks for the rest alone."""
    with HostileStore(pages(5, {4: [fault]})) as store, client_of(store) as client:
        with pytest.raises(pf.IncompleteInventoryError) as caught:
            pf.fetch_inventory(client)
        partial = caught.value.partial
        asked = len(store.heads)
        whole = caught.value.resume()
        again = [page_number(head) for head in store.heads[asked:]]
    assert (len(partial), partial.completeness.verdict) == (6, "incomplete")
    assert (len(whole), whole.completeness.covers_all) == (10, True)
    assert again == [4, 5, 1]


def test_a_failure_may_come_twice() -> None:
    """Resuming may fail again and be resumed again."""
    with HostileStore(pages(3, {2: [GONE], 3: [GONE]})) as store, client_of(store) as client:
        with pytest.raises(pf.IncompleteInventoryError) as first:
            pf.fetch_inventory(client)
        with pytest.raises(pf.IncompleteInventoryError) as second:
            first.value.resume()
        assert len(second.value.partial) == 4
        assert second.value.resume().completeness.covers_all


def test_a_failure_of_the_first_page_is_itself() -> None:
    """With nothing held there is nothing to keep, and the error is the store's own."""
    with HostileStore(pages(2, {1: [GONE]})) as store, client_of(store) as client:
        with pytest.raises(pf.errors.ServerError):
            pf.fetch_inventory(client)
        assert len(store.heads) == 1


def test_an_interrupt_keeps_the_pages() -> None:
    """Ctrl-C in the middle of a walk leaves what was read, and the way to go on."""
    arrived, resumed = threading.Event(), threading.Event()
    inner = pages(4, {})

    def answer(head: str) -> bytes | None:
        if page_number(head) == 3 and not resumed.is_set():
            arrived.set()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            resumed.wait(5)
        return inner(head)

    with HostileStore(answer) as store, client_of(store) as client:
        with pytest.raises(pf.FetchInterrupted, match="interrupted") as caught:
            pf.fetch_inventory(client)
        resumed.set()
        assert arrived.is_set()
        assert len(caught.value.partial) == 4
        assert "sys.last_value.resume()" in caught.value.__notes__[0]  # what a prompt shows
        assert caught.value.resume().completeness.covers_all


def test_the_key_never_leaves_for_another_origin() -> None:
    """A next link to another host is not followed: nothing arrives there, and rows are kept."""
    with HostileStore(lambda _: http("200 OK", pets_body(9))) as thief:
        link = f'Link: <{thief.base_url}/pets?page=2>; rel="next"'
        with HostileStore(lambda _: http("200 OK", pets_body(1), link)) as store:
            with client_of(store) as client, pytest.raises(pf.errors.CrossOriginError) as caught:
                pf.fetch_inventory(client)
        assert thief.heads == []
    assert isinstance(caught.value, pf.IncompleteInventoryError)
    assert len(caught.value.partial) == 1


@pytest.mark.parametrize("there", ["//127.0.0.1:1/v1/pets", "https://127.0.0.1/v1/pets"])
def test_no_spelling_of_a_foreign_address_is_followed(there: str) -> None:
    """Another scheme, or an address without one, is another origin too."""
    answer = http("200 OK", pets_body(1), f"Link: <{there}>; rel=next")
    with HostileStore(lambda _: answer) as store, client_of(store) as client:
        with pytest.raises(pf.errors.CrossOriginError):
            pf.fetch_inventory(client)
        assert all("GET /v1/pets?limit=100" in head for head in store.heads)


@pytest.mark.parametrize(
    "link",
    [
        "http://[host]/v1/pets?page=2",
        "http://[::1/v1/pets?page=2",
        "//[host]/v1/pets?page=2",
        "http://127.0.0.1:99999/v1/pets",
        "http://127.0.0.1:port/v1/pets",
        "http://me:hidden@[host/v1/pets?cursor=hidden",
        "?page=2\x7f",
    ],
)
def test_a_link_that_cannot_be_read_keeps_the_pets(link: str) -> None:
    """A template that was not filled in is an error of ours that names the link's fault."""
    answer = http("200 OK", pets_body(1), f"Link: <{link}>; rel=next")
    with HostileStore(lambda _: answer) as store, client_of(store) as client:
        with pytest.raises(ForeignLinkError, match=r"the store's link .* cannot be read") as caught:
            pf.fetch_inventory(client)
        assert all("GET /v1/pets?limit=100" in head for head in store.heads)
        assert client.find_pet(7).state == "unknown"
    assert len(caught.value.partial) == 1
    assert "hidden" not in str(caught.value)


def test_a_link_of_another_kind_is_named() -> None:
    """An address that is not of the web is named by its scheme."""
    answer = http("200 OK", pets_body(1), "Link: <mailto:me@store.example>; rel=next")
    with HostileStore(lambda _: answer) as store, client_of(store) as client:
        with pytest.raises(ForeignLinkError, match="pointed to an address of mailto:, which"):
            pf.fetch_inventory(client)


def test_a_redirect_is_not_followed() -> None:
    """A redirect elsewhere sends nothing there, for reading and for adding."""
    with HostileStore(lambda _: http("200 OK")) as thief:
        answer = http("307 Temporary Redirect", "", f"Location: {thief.base_url}/pets")
        with HostileStore(lambda _: answer) as store, client_of(store) as client:
            with pytest.raises(pf.ContractError):
                client.list_pets()
            with pytest.raises(pf.PetstoreError):
                client.create_pet("Luna", 1)
        assert thief.heads == []


def test_a_user_in_a_next_link_is_not_sent() -> None:
    """A link of our origin with a user in it is followed without one."""
    with HostileStore(lambda head: answer(head)) as store:

        def answer(head: str) -> bytes:
            link = f"Link: <{store.base_url.replace('//', '//me:pw@')}/pets?page=2>; rel=next"
            return http("200 OK", pets_body(page_number(head)), *([link] * (page_number(head) < 2)))

        with client_of(store) as client:
            assert len(pf.fetch_inventory(client)) == 2
    assert all(head.count("Authorization: Bearer") == 1 for head in store.heads)
    assert not any("me:pw" in head or "Basic" in head for head in store.heads)
