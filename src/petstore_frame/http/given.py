"""A transport of the caller's own in place of sockets: the one door to httpx.

What it raises is raised as httpcore's error of the same kind, so that nothing else need know of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import httpcore
import httpx

from petstore_frame.http.connections import GivenTransport


class GivenWire:
    """Carries requests by a transport of httpx, which all of them share."""

    def __init__(self, transport: GivenTransport) -> None:
        self._transport = transport

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        url = request.url
        asked = httpx.Request(
            request.method.decode(),
            httpx.URL(
                scheme=url.scheme.decode(),
                host=url.host.decode(),
                port=url.port,
                raw_path=url.target,
            ),
            headers=request.headers,
            content=b"".join(cast("Iterable[bytes]", request.stream)),
            extensions=request.extensions,
        )
        try:
            answer: httpx.Response = self._transport.handle_request(asked)
        except Exception as problem:
            raise _as_httpcore(problem) from problem
        return httpcore.Response(
            answer.status_code,
            headers=answer.headers.raw,
            content=_Pieces(cast("httpx.SyncByteStream", answer.stream)),
        )

    def abandon(self) -> None:
        """Leave a request where it is; the transport goes on, as others have it too."""

    def close(self) -> None:
        """Close the transport."""
        self._transport.close()


class _Pieces:
    """The bytes of an answer as httpcore gives them."""

    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except Exception as problem:
            raise _as_httpcore(problem) from problem

    def close(self) -> None:
        self._stream.close()


def _as_httpcore(problem: Exception) -> Exception:
    """Return an error of httpx as httpcore's of the same name, which has the nearest meaning."""
    if not isinstance(problem, httpx.HTTPError | httpx.StreamError | httpx.InvalidURL):
        return problem
    names = (kind.__name__ for kind in type(problem).__mro__)
    kinds = (getattr(httpcore, name) for name in names if name in httpcore.__all__)
    return next(kinds, httpcore.NetworkError)(str(problem))
