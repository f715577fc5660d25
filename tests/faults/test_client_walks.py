"""What a fetch keeps when it breaks off half-way, on real sockets."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from faults.hostile import HostileStore, http, opened, page_number, pages, pets_body, press_ctrl_c
from petstore_frame.errors import ForeignLinkError


@pytest.mark.parametrize("fault", [http("500 Oh", "{}"), http("200 OK", '[{"id":"x"}]'), None])
def test_a_broken_walk_goes_on_where_it_was(fault: bytes | None) -> None:
    """The error keeps the pages, marked incomplete, and ``resume`` asks for the rest alone."""
    with opened(pages(5, {4: [lambda _: fault]}), max_retries=0) as (store, client):
        with pytest.raises(pf.IncompleteInventoryError) as caught:
            pf.fetch_inventory(client)
        partial = caught.value.partial
        asked = len(store.heads)
        whole = caught.value.resume()
        again = [page_number(head) for head in store.heads[asked:]]
    assert (len(partial), partial.completeness.verdict) == (6, "incomplete")
    assert (len(whole), whole.completeness.covers_all) == (10, True)
    assert again == [4, 5, 1]


def test_an_interrupt_keeps_the_pages() -> None:
    """Ctrl-C in the middle of a walk leaves what was read, and the way to go on."""
    with opened(pages(4, {3: [press_ctrl_c]}), max_retries=0) as (_, client):
        with pytest.raises(pf.FetchInterrupted, match="interrupted") as caught:
            pf.fetch_inventory(client)
        assert len(caught.value.partial) == 4
        assert "sys.last_value.resume()" in caught.value.__notes__[0]  # what a prompt shows
        assert caught.value.resume().completeness.covers_all


def test_the_key_never_leaves_for_another_origin() -> None:
    """Neither a next link to another host nor a redirect is followed: nothing arrives there."""
    with HostileStore(lambda _: http("200 OK", pets_body(9))) as thief:
        link = f'Link: <{thief.base_url}/pets?page=2>; rel="next"'
        with opened(lambda _: http("200 OK", pets_body(1), link)) as (_, client):
            with pytest.raises(pf.errors.CrossOriginError):
                pf.fetch_inventory(client)
        answer = http("307 Temporary Redirect", "", f"Location: {thief.base_url}/pets")
        with opened(lambda _: answer, max_retries=0) as (_, client):
            with pytest.raises(pf.ContractError):
                client.list_pets()
            with pytest.raises(pf.PetstoreError):
                client.create_pet("Luna", 1)
        assert thief.heads == []


UNREADABLE = "the store's link .* cannot be read"


@pytest.mark.parametrize(
    ("link", "words"),
    [
        # Another scheme, or an address without one, is another origin too.
        ("//127.0.0.1:1/v1/pets", "127.0.0.1:1"),
        ("https://127.0.0.1/v1/pets", "https://127.0.0.1"),
        ("mailto:me@store.example", "pointed to an address of mailto:, which"),
        # A template that was not filled in is an error of ours that names the link's fault.
        ("http://[host]/v1/pets?page=2", UNREADABLE),
        ("http://[::1/v1/pets?page=2", UNREADABLE),
        ("//[host]/v1/pets?page=2", UNREADABLE),
        ("http://127.0.0.1:99999/v1/pets", UNREADABLE),
        ("http://127.0.0.1:port/v1/pets", UNREADABLE),
        ("http://me:hidden@[host/v1/pets?cursor=hidden", UNREADABLE),
        ("?page=2\x7f", UNREADABLE),
    ],
)
def test_a_link_that_leads_nowhere_keeps_the_pets(link: str, words: str) -> None:
    """It is not followed, the error says why, and it has the rows; no secret of it is shown."""
    answer = http("200 OK", pets_body(1), f"Link: <{link}>; rel=next")
    with opened(lambda _: answer, max_retries=0) as (store, client):
        with pytest.raises(ForeignLinkError, match=words) as caught:
            pf.fetch_inventory(client)
        assert all("GET /v1/pets?limit=100" in head for head in store.heads)
        assert client.find_pet(7).state == "unknown"
    assert isinstance(caught.value, pf.IncompleteInventoryError | pf.errors.CrossOriginError)
    assert len(caught.value.partial) == 1 and "hidden" not in str(caught.value)


def test_a_user_in_a_next_link_is_not_sent() -> None:
    """A link of our origin with a user in it is followed without one."""

    def answer(head: str) -> bytes:
        link = f"Link: <{store.base_url.replace('//', '//me:pw@')}/pets?page=2>; rel=next"
        return http("200 OK", pets_body(page_number(head)), *([link] * (page_number(head) < 2)))

    with opened(lambda head: answer(head)) as (store, client):
        assert len(pf.fetch_inventory(client)) == 2
    assert all(head.count("Authorization: Bearer") == 1 for head in store.heads)
    assert not any("me:pw" in head or "Basic" in head for head in store.heads)
