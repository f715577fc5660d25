"""Sends one request, reads one answer, and says what is proven if none comes."""

from petstore_frame.transport.connections import GivenTransport, in_memory
from petstore_frame.transport.outcome import PostOutcome, Proof
from petstore_frame.transport.page import Page
from petstore_frame.transport.response import STORE_ID, Response
from petstore_frame.transport.settings import IdempotencyKey, checked_key, same_store_address
from petstore_frame.transport.transport import Clocks, Transport

__all__ = [
    "STORE_ID",
    "Clocks",
    "GivenTransport",
    "IdempotencyKey",
    "Page",
    "PostOutcome",
    "Proof",
    "Response",
    "Transport",
    "checked_key",
    "in_memory",
    "same_store_address",
]
