"""Sends one request, reads its response, and decides what a missing response proves."""

from petstore_frame.transport.connection_settings import (
    IdempotencyKey,
    checked_key,
    hide_key,
    same_store_address,
)
from petstore_frame.transport.interrupts import Interrupts
from petstore_frame.transport.page import OFFSET_NAMES, Page, parse_page
from petstore_frame.transport.post_outcome import PostOutcome, Proof
from petstore_frame.transport.response import STORE_ID, Response
from petstore_frame.transport.retry import OUTAGES
from petstore_frame.transport.transport import Clocks, Transport, TransportLike, in_memory

__all__ = [
    "OFFSET_NAMES",
    "OUTAGES",
    "STORE_ID",
    "Clocks",
    "IdempotencyKey",
    "Interrupts",
    "Page",
    "PostOutcome",
    "Proof",
    "Response",
    "Transport",
    "TransportLike",
    "checked_key",
    "hide_key",
    "in_memory",
    "parse_page",
    "same_store_address",
]
