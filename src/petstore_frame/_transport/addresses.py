"""Which addresses belong to a store, so that its key goes nowhere else.

In: a path, or an address that the store gave. Out: the whole address to ask, or a refusal. It sends
nothing.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from petstore_frame.errors import CrossOriginError


def whole_address(base_url: str, path: str) -> str:
    """Return the whole address of a path below a store's, or of an address of the same origin.

    Raises:
        CrossOriginError: The address belongs to another origin.
    """
    if path.startswith("/"):
        return base_url + path
    if path.startswith(base_url + "/"):
        return path.partition("#")[0]
    if _origin(path) != _origin(base_url):
        raise CrossOriginError(
            f"the store pointed to {shown_origin(path)}, which is not {base_url}; "
            "not followed, so that the key stays with the store"
        )
    parts = urlsplit(path)
    # A user or password in an address of the store's making is not ours to send.
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))


def path_below(base_url: str, url: str) -> str:
    """Return the path below a store's address, for a message."""
    whole = url.partition("?")[0]
    below = whole.removeprefix(base_url)
    return below if below != whole else urlsplit(whole).path


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme.lower())
    except ValueError:
        return ("", url, None)
    return (parts.scheme.lower(), (parts.hostname or "").lower(), port)


def shown_origin(url: str) -> str:
    """Return the origin of an address for a message, without user, path and query."""
    scheme, host, port = _origin(url)
    return f"{scheme}://{host}:{port}" if scheme else "an address that cannot be read"
