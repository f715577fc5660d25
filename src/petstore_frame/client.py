"""Sends the three operations of the interface, one request each.

A GET is retried after a transient error, a POST never.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any, ClassVar, NoReturn, Self

from pydantic import SecretStr

from petstore_frame.errors import (
    ClosedError,
    ConfigurationError,
    ContractError,
    EndpointDeprecatedWarning,
)
from petstore_frame.schema import PET_STATUSES, NewPet, Pet, PetStatus
from petstore_frame.transport import (
    STORE_ID,
    Clocks,
    IdempotencyKey,
    Page,
    PostOutcome,
    Proof,
    Response,
    Transport,
    TransportLike,
    hide_key,
    parse_page,
)
from petstore_frame.validation import before_sending, checked_choice, checked_integer

# Interface: Versioning.
GET_PET_ENDS = date(2030, 12, 5)


class Client:
    """A client of one store. Threads can share it.

    ``list_pets``, ``create_pet`` and ``get_pet`` are the operations of the interface; each call
    sends one request. ``pf.fetch_inventory(client)`` reads all pets, and
    ``pf.find_pet(client, 17)`` looks for one.

    Args:
        base_url: Address of the store, ending in ``/v1``; None reads ``PETSTORE_BASE_URL``.
        api_key: API key; None reads ``PETSTORE_API_KEY``.
        timeout: Read timeout in seconds; the whole response may take twice as long. The connect
            timeout is 5 s.
        retry_timeout: Seconds without a usable response after which a GET is no longer retried; 0
            turns retries off. If the store asks to wait (``Retry-After``), the client additionally
            waits up to 300 s at a time, and up to 15 minutes in a row. Until the store has
            responded once, connection errors are retried for only 4 s. A POST is never retried.
        transport: An ``httpx.BaseTransport`` for proxies, certificates, headers or tests; None
            uses the default and its environment variables.
        idempotency: How the store accepts idempotency keys, if it honors them; None sends none.

    Raises:
        ConfigurationError: The address or the key is missing, or the proxy of the environment
            cannot be used; the message names the variable. Nothing was sent.

    Example:
        >>> from petstore_frame import serve
        >>> with serve(sample=3, seed=1) as server:
        ...     with Client(server.base_url, server.api_key) as client:
        ...         client.list_pets(limit=100)
        <Page: 3 pets>

    Interface: Endpoints; Authentication.
    """

    base_url, _is_closed = "", False  # also set if the constructor raises
    _clocks: ClassVar[Clocks] = Clocks()  # tests replace these in a subclass

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | SecretStr | None = None,
        *,
        timeout: float = 30.0,
        retry_timeout: float = 180.0,
        transport: TransportLike | None = None,
        idempotency: IdempotencyKey | None = None,
    ) -> None:
        # A traceback may show the arguments, so none of them may be the plain key.
        api_key = hide_key(api_key)
        if not isinstance(idempotency, IdempotencyKey | None):
            raise ConfigurationError(f"idempotency must be an IdempotencyKey, got {idempotency!r}")
        self.idempotency = idempotency
        self._options: dict[str, Any] = {
            "timeout": timeout,
            "retry_timeout": retry_timeout,
            "transport": transport,
        }
        self._transport = Transport(base_url, api_key, **self._options, clocks=self._clocks)
        self.base_url = self._transport.base_url
        self._has_warned = False

    def with_key(self, api_key: str | SecretStr) -> Self:
        """Return a client of the same store with another key; this one is unchanged."""
        api_key = hide_key(api_key)
        return type(self)(self.base_url, api_key, **self._options, idempotency=self.idempotency)

    def list_pets(self, limit: int = Page.MAX_LIMIT, status: PetStatus | None = None) -> Page:
        """Get one page of pets with one request; ``fetch_inventory`` reads all pages.

        Args:
            limit: Maximum number of pets, 1 to 100.
            status: Only pets with this status: available, pending or sold; None gets all.

        Returns:
            A Page; ``.pets`` is a list of Pet, and ``.frame`` a DataFrame.

        Raises:
            ArgumentError: The limit or the status is invalid. Nothing was sent.
            APIStatusError: The store responded with an error status.
            APIConnectionError: No usable response arrived, even after retries.
            ContractError: The response is not a list of pets.

        Interface: Endpoints, List all animals.
        """
        with before_sending():
            params = {"limit": str(checked_integer("limit", limit, 1, Page.MAX_LIMIT))}
            if status is not None:
                params["status"] = checked_choice("status", status, PET_STATUSES)
        return self.ask_page(params=params)

    def ask_page(
        self,
        address: str = "/pets",
        *,
        params: Mapping[str, str] | None = None,
        number: int | None = None,
        is_guess: bool = False,
        max_wait_s: float | None = None,
        on_wait: Callable[[float, bool], None] | None = None,
    ) -> Page:
        """Get one page with your own query parameters, or from an address.

        Use this in a program that does its own paging; otherwise, use ``list_pets``.

        Args:
            address: ``/pets``, or a next link of the same store.
            params: Query parameters; None keeps those of the address.
            number: Number of the page in the listing, for error messages.
            is_guess: Whether the store may not understand the request; if so, a failure is not
                retried for long.
            max_wait_s: Longest wait, in seconds, before a single retry of a request that you can
                do without; None retries as usual.
            on_wait: Function that is called before each retry, with the seconds to wait and whether
                the store asked for them.

        Raises:
            CrossOriginError: The address belongs to another origin, or is not that of the listing.
                Nothing was sent.
            PetstoreError: As for ``list_pets``.
        """
        if self._is_closed:
            raise self._closed_error()
        if address.partition("?")[0] not in ("/pets", f"{self.base_url}/pets"):
            address = self._transport.listing_address(address)
        parse = partial(parse_page, params=params, number=number)
        return self._transport.get(
            address, params, parse, is_guess=is_guess, max_wait_s=max_wait_s, on_wait=on_wait
        )

    def pages(self, status: PetStatus | None = None) -> Iterator[Page]:
        """Yield one page after another, for a store that is larger than memory.

        Only next links are followed, and nothing shows whether the last page is the end of the
        store. ``fetch_inventory`` also tries other ways, and says whether these are all pets.

        Args:
            status: Only pets with this status; None yields all.

        Yields:
            Pages of up to 100 pets.

        Raises:
            PetstoreError: As for ``list_pets``.
            CrossOriginError: A next link leads to another host or path than that of the listing.

        Example:
            >>> import petstore_frame as pf
            >>> with pf.serve(sample=250, seed=7) as server, server.client() as client:
            ...     [len(page) for page in client.pages()]
            [100, 100, 50]

        Interface: Endpoints, List all animals (pagination mechanism: not shown).
        """
        page = self.list_pets(status=status)
        visited = {page.address}
        yield page
        while page.next_address is not None:
            if page.next_address in visited:
                raise ContractError(
                    "the store's next link leads back to a page that was read; "
                    "use fetch_inventory, which reports what was read",
                    operation="GET /pets",
                )
            visited.add(page.next_address)
            page = self.ask_page(page.next_address, number=len(visited))
            yield page

    def create_pet(self, name: str, category_id: int, status: PetStatus | None = None) -> Pet:
        """Add a pet with one request, which is never retried.

        Args:
            name: Name of the pet; any text.
            category_id: Id of the category, an int64.
            status: available, pending or sold; None sends no status.

        Returns:
            The Pet with the id that the store assigned.

        Raises:
            ArgumentError: A field is missing or invalid. Nothing was sent.
            APIStatusError: The store rejected the pet (BadRequestError: because of its values).
            APIConnectionError: No usable response arrived; ``may_have_been_applied`` says whether
                the pet may exist.
            ContractError: The response is unreadable or has a different pet, which is in ``pet``;
                ``may_have_been_applied`` is True.

        Example:
            >>> import petstore_frame as pf
            >>> with pf.serve() as server, server.client() as client:
            ...     client.create_pet("Luna", category_id=3)
            Pet(id=1, name='Luna', category_id=3, status=None)

        Interface: Endpoints, Add an animal.
        """
        new = NewPet(name=name, category_id=category_id, status=status)
        return self.post_pet(new.to_json()).pet_like(new)

    def post_pet(
        self, payload: bytes, *, idempotency_key: str | None = None, store_id: str | None = None
    ) -> PostOutcome:
        """Send one POST with this body, and return what its outcome proves; no response raises.

        Use this in an importer that must know the outcome of each request; otherwise, use
        ``create_pet``.

        Args:
            payload: Body of the request: the JSON of a NewPet.
            idempotency_key: Key of this request; sent only if the client has ``idempotency``.
            store_id: The ``X-Store-Id`` that the store sent earlier; a different store at the same
                address then rejects the pet.

        Interface: Endpoints, Add an animal; key and store id are extensions.
        """
        headers = {} if store_id is None else {STORE_ID: store_id}
        has_key = idempotency_key is not None and self.idempotency is not None
        if idempotency_key is not None and self.idempotency is not None:
            headers[self.idempotency.header] = idempotency_key
        if self._is_closed:
            error = self._closed_error()
            return PostOutcome(Proof.NOT_APPLIED, "client_closed", None, error, is_systemic=True)
        return self._transport.post(payload, headers, has_key=has_key)

    def get_pet(self, pet_id: int) -> Pet:
        """Get a pet by id, an int64. Deprecated: the interface removes it on 5 December 2030.

        Warns:
            EndpointDeprecatedWarning: Once per client, with the number of days left.

        Raises:
            ArgumentError: The id is not a whole number. Nothing was sent.
            NotFoundError: The store has no pet with this id.
            APIStatusError: The store responded with another error status.
            APIConnectionError: No usable response arrived, even after retries.
            ContractError: The response is not a pet, or is a different pet.

        Interface: Endpoints, Get an animal (deprecated); Versioning.
        """
        with before_sending():
            address = f"/pets/{checked_integer('pet_id', pet_id)}"
        if not self._has_warned:
            self._has_warned = True
            text = end_of_get_pet(date.today())  # the time zone makes at most a day of difference
            warnings.warn(text, EndpointDeprecatedWarning, stacklevel=2)
        if self._is_closed:
            raise self._closed_error()

        def parse(response: Response) -> Pet:
            pet = Pet.from_json(response.body, operation=response.operation)
            if pet.id != pet_id:
                raise ContractError(
                    f"requested pet {pet_id}, but the store returned pet {pet.id}; "
                    "check that base_url is a real pet store, not a mock",
                    operation=response.operation,
                    field="id",
                )
            return pet

        return self._transport.get(address, None, parse)

    def close(self) -> None:
        """Close the connections; the client cannot be used afterward."""
        self._is_closed = True
        self._transport.close()

    def _closed_error(self) -> ClosedError:
        return ClosedError(
            f"this Client of {self.base_url} is closed, for example after its `with` block; "
            "create a new one (nothing was sent)"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if self._is_closed else ""
        return f"<Client: {self.base_url}{state}>"

    def __getstate__(self) -> NoReturn:
        raise TypeError(
            "a Client holds a key, so it cannot be pickled; create a new one where you need it"
        )


def end_of_get_pet(today: date) -> str:
    """Return a sentence about the end of ``get_pet``, with the days left."""
    days, day = (GET_PET_ENDS - today).days, f"{GET_PET_ENDS.day} {GET_PET_ENDS:%B %Y}"
    when = f"ends on {day} ({days:,} days left)" if days > 0 else f"was due to end on {day}"
    return f"GET /pets/{{petId}} is deprecated and {when}; list with a status filter instead"
