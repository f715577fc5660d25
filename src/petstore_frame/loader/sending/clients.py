"""What the loader needs of a client: to look pets up, to add pets, to read a whole store."""

from __future__ import annotations

from typing import Any, Protocol

from petstore_frame.http.outcome import PostOutcome
from petstore_frame.http.settings import IdempotencyKey
from petstore_frame.inventory.asking import ReadingClient
from petstore_frame.schema.models import Pet


class LookupClient(Protocol):
    """Looks up single pets."""

    def get_pet(self, pet_id: int) -> Pet: ...

    def list_pets(self, limit: int = 100, status: str | None = None) -> Any: ...


class PostingClient(LookupClient, Protocol):
    """Adds pets to a store."""

    @property
    def base_url(self) -> str: ...

    @property
    def idempotency(self) -> IdempotencyKey | None: ...

    def post_pet(
        self, payload: bytes, *, idempotency_key: str | None = None, store_id: str | None = None
    ) -> PostOutcome: ...


class SettlingClient(PostingClient, ReadingClient, Protocol):
    """Reads a whole store back, and adds what turned out to be absent."""
