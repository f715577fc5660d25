"""Under which address a Link or Location names a resource.

In: the configured address and a request's Host. Out: the start of an address.
A Host that is not one of the service's own names never appears in an answer.
"""

from __future__ import annotations

from urllib.parse import urlsplit

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_OPEN_TO_ALL = ("0.0.0.0", "[::]")  # noqa: S104 # compared with, not listened on


class Addresses:
    """The names of one running service.

    Args:
        base_url: The own address, ending in ``/v1``.
        public_url: The address that clients use, or None for the own one.
    """

    def __init__(self, base_url: str, public_url: str | None) -> None:
        self._public_url = public_url.rstrip("/") if public_url else None
        own = urlsplit(base_url).netloc
        host, _, port = own.rpartition(":")
        names = _LOOPBACK if host in (*_LOOPBACK, *_OPEN_TO_ALL) else (host,)
        self._own = {f"{name}:{port}".encode(): f"http://{name}:{port}/v1" for name in names}

    def base_for(self, headers: list[tuple[bytes, bytes]]) -> str:
        """Return what stands before ``/pets`` in an address of this answer."""
        if self._public_url is not None:
            return self._public_url
        for name, value in headers:
            if name == b"host":
                return self._own.get(value.lower(), "/v1")
        return "/v1"
