"""Which addresses belong to a store, so that its key goes nowhere else."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit, urlunsplit

from petstore_frame.errors import CrossOriginError
from petstore_frame.http.links import split_link


def whole_address(base_url: str, path: str) -> str:
    """Return the whole address of a path below a store's, or of an address of the same origin.

    Raises:
        CrossOriginError: The address belongs to another origin.
    """
    if path.startswith("/") and not path.startswith("//"):
        return base_url + path
    if path.startswith(base_url + "/"):
        return path.partition("#")[0]
    parts = split_link(path)
    if parts is None:
        raise unreadable_link(path)
    if _origin(parts) != _origin(urlsplit(base_url)):
        raise CrossOriginError(
            f"the store pointed to {shown_origin(path)}, which is not {base_url}; "
            "not followed, so that the key stays with the store"
        )
    # A user or password in an address of the store's making is not ours to send.
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))


def unreadable_link(address: str, reason: str = "not an address") -> CrossOriginError:
    """Return the refusal of a link to which no request can be sent."""
    shown = address.partition("?")[0].rpartition("@")[2][:80]  # no query, user or password
    return CrossOriginError(
        f"the store's link {shown!r} cannot be read ({reason}) and was not followed; "
        "tell the store's operator"
    )


def path_below(base_url: str, url: str) -> str:
    """Return the path below a store's address, for a message."""
    whole = url.partition("?")[0]
    below = whole.removeprefix(base_url)
    return below if below != whole else urlsplit(whole).path


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    scheme = parts.scheme.lower()
    port = parts.port or {"http": 80, "https": 443}.get(scheme)
    return (scheme, (parts.hostname or "").lower(), port)


def shown_origin(url: str) -> str:
    """Return the origin of an address for a message, without user, path and query."""
    parts = split_link(url)
    if parts is None:
        return "an address that cannot be read"
    scheme, host, port = _origin(parts)
    return f"{scheme}://{host}:{port}" if host and port else f"an address of {scheme or 'no'}:"
