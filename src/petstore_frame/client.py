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
    GivenTransport,
    IdempotencyKey,
    Page,
    PostOutcome,
    Proof,
    Response,
    Transport,
    hide_key,
    parse_page,
)
from petstore_frame.validation import before_sending, checked_choice, checked_integer

# Interface: Versioning.
GET_PET_ENDS = date(2030, 12, 5)


class Client:
    """A client of one store. Safe to share between threads.

    ``list_pets``, ``create_pet`` and ``get_pet`` are the interface's operations, one request each.
    ``pf.find_pet(client, 17)`` looks for one animal, and ``pf.fetch_inventory(client)`` reads all.

    Args:
        base_url: The store's address, ending in ``/v1``; None reads ``PETSTORE_BASE_URL``.
        api_key: The key; None reads ``PETSTORE_API_KEY``.
        timeout: Read timeout in seconds; the whole response may take twice as long. The connect
            timeout is 5 s.
        retry_timeout: A GET is retried until this many seconds pass without a usable response; 0
            never retries. A ``Retry-After`` of up to 300 s is honored on top of that, up to 15
            minutes in a row. Until the store has responded once, connection errors are retried
            for 4 s only. A POST is never retried.
        transport: An ``httpx.BaseTransport`` instead of the default: for proxies, certificates and
            header lines beyond what the environment says, and for tests.
        idempotency: How the store expects idempotency keys; only for a store that honours them.

    Raises:
        ConfigurationError: No address or no key, or the environment's proxy cannot be used; the
            text names the variable. Nothing was sent.

    Example:
        >>> from petstore_frame import serve
        >>> with serve(sample=3, seed=1) as server:
        ...     with Client(server.base_url, server.api_key) as client:
        ...         client.list_pets(limit=100)
        <Page: 3 pets>

    Interface: Endpoints; Authentication.
    """

    base_url, _is_closed = "", False  # also where the constructor refused
    _clocks: ClassVar[Clocks] = Clocks()  # a subclass of a test has other clocks

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | SecretStr | None = None,
        *,
        timeout: float = 30.0,
        retry_timeout: float = 180.0,
        transport: GivenTransport | None = None,
        idempotency: IdempotencyKey | None = None,
    ) -> None:
        # A traceback may show the arguments as they are now: none of them is the key in the open.
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
        """List animals: one request, one page. ``fetch_inventory`` gets the whole.

        Args:
            limit: Maximum number of pets, 1 to 100.
            status: Only pets with this status: available, pending or sold; None for all.

        Returns:
            A Page; ``.pets`` is a list of Pet.

        Raises:
            ArgumentError: The limit or the status is not one of the interface; nothing was sent.
            APIStatusError: The store refused.
            APIConnectionError: No answer, after the retries.
            ContractError: The answer is not a list of pets.

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
        on_wait: Callable[[float], None] | None = None,
    ) -> Page:
        """Read one page by parameters, or by an address, of the caller's own.

        For tools that find their own way through a listing; ``list_pets`` is the plain way.

        ``address`` is ``/pets``, or a next link of the same origin; without ``params`` it keeps its
        own. ``number`` is that of the page in a listing, for error messages. ``is_guess`` says that
        the store may not understand the request, so that a failure is not retried for long.
        ``on_wait`` is called with the seconds to wait whenever the store asks to wait.

        Raises:
            CrossOriginError: The address belongs to another origin; nothing was sent.
            PetstoreError: As for ``list_pets``.
        """
        if self._is_closed:
            raise self._closed_error()
        parse = partial(parse_page, params=params, number=number)
        return self._transport.get(address, params, parse, is_guess=is_guess, on_wait=on_wait)

    def pages(self, status: PetStatus | None = None) -> Iterator[Page]:
        """Yield one page after another, as far as the store links them, for large stores.

        Only one page is in memory at a time. ``fetch_inventory`` also finds other ways to read on,
        and says whether that was everything; this follows next links alone and proves nothing.

        Args:
            status: Only pets with this status; None for all.

        Yields:
            Pages of up to 100 pets.

        Raises:
            PetstoreError: As for ``list_pets``.
            CrossOriginError: A link leads to another address.

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
                    "use fetch_inventory, which says how far the reading came",
                    operation="GET /pets",
                )
            visited.add(page.next_address)
            page = self.ask_page(page.next_address, number=len(visited))
            yield page

    def create_pet(self, name: str, category_id: int, status: PetStatus | None = None) -> Pet:
        """Add a pet: one request, never repeated.

        Args:
            name: Any text; the interface sets no bounds.
            category_id: The category's id, an int64.
            status: available, pending or sold; None sends none.

        Returns:
            The Pet with the id that the store assigned.

        Raises:
            ArgumentError: A field is missing or impossible; nothing was sent.
            APIStatusError: The store refused (BadRequestError: the values).
            APIConnectionError: No answer; ``may_have_been_applied`` tells whether a pet may exist.
            ContractError: The answer cannot be read, or shows another pet than was sent, which is
                its ``pet``; ``may_have_been_applied`` is True.

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
        """Send one POST with these bytes and return what its end proves; no answer raises.

        For importers, which must know the outcome of each request; ``create_pet`` is the plain way.
        The key is sent only when the client knows that the store honours it. ``store_id`` is the
        ``X-Store-Id`` that the store sent before; another one at its address refuses the pet.

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
        """Get an animal by id, an int64. Deprecated: the interface removes it on 5 December 2030.

        Warns:
            EndpointDeprecatedWarning: Once per client, with the days left.

        Raises:
            ArgumentError: The id is not a whole number; nothing was sent.
            NotFoundError: No animal with that id.
            APIStatusError: The store refused.
            APIConnectionError: No answer, after the retries.
            ContractError: The answer is not a pet, or is another pet.

        Interface: Endpoints, Get an animal (deprecated); Versioning.
        """
        with before_sending():
            address = f"/pets/{checked_integer('pet_id', pet_id)}"
        if not self._has_warned:
            self._has_warned = True
            text = end_of_get_pet(date.today())  # a day more or less does not matter
            warnings.warn(text, EndpointDeprecatedWarning, stacklevel=2)
        if self._is_closed:
            raise self._closed_error()

        def parse(response: Response) -> Pet:
            pet = Pet.from_json(response.body, operation=response.operation)
            if pet.id != pet_id:
                raise ContractError(
                    f"asked for pet {pet_id}, the store answered with pet {pet.id}; "
                    "check that base_url is a real pet store, not a mock",
                    operation=response.operation,
                    field="id",
                )
            return pet

        return self._transport.get(address, None, parse, is_list=False)

    def close(self) -> None:
        """Close the connections; the client cannot be used afterwards."""
        self._is_closed = True
        self._transport.close()

    def _closed_error(self) -> ClosedError:
        return ClosedError(
            f"this Client of {self.base_url} is closed, as it is after its `with` block; "
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
            "a Client holds a key and is not pickled; create a new one where it is needed"
        )


def end_of_get_pet(today: date) -> str:
    """Return one sentence on the end of an operation, with the days left."""
    days, day = (GET_PET_ENDS - today).days, f"{GET_PET_ENDS.day} {GET_PET_ENDS:%B %Y}"
    when = f"ends on {day} ({days:,} days left)" if days > 0 else f"was to end on {day}"
    return f"GET /pets/{{petId}} is deprecated and {when}; list with a status filter instead"
