"""The links of an answer's header lines (RFC 8288), and which of them the key may go to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from petstore_frame.errors import CrossOriginError

# Commas and semicolons within quotes belong to the value.
_PARAMETER = r'\s*;\s*([^\s=;,"<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?'
_EACH_PARAMETER = re.compile(_PARAMETER)
_LINK = re.compile(rf"<([^>]*)>((?:{_PARAMETER})*)[^,<]*")


def read_links(line: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the links of a ``Link`` header line: each target as written, and its relations.

    A link whose ``anchor`` makes it speak of another resource is left out, as RFC 8288
    (section 3.2) allows.

    Example:
        >>> list(read_links('<?page=2>; title="a, b"; REL="Next last",'))
        [('?page=2', ['next', 'last'])]
    """
    for link in _LINK.finditer(line):
        parameters: dict[str, str] = {}
        for name, quoted, bare in _EACH_PARAMETER.findall(link[2]):
            parameters.setdefault(name.lower(), quoted or bare)
        if "anchor" not in parameters:
            yield link[1].strip(), parameters.get("rel", "").lower().split()


def split_link(address: str) -> SplitResult | None:
    """Return the parts of an address, or None where it cannot be read."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts


def join_link(address: str, target: str) -> str:
    """Return a link's whole address, without a fragment; one that cannot be read as it is."""
    # Most servers write the whole address, and then nothing needs to be put together.
    if not target.startswith(("http://", "https://")) and split_link(target) is not None:
        target = urljoin(address, target)
    return target.partition("#")[0]


def whole_address(base_url: str, path: str) -> str:
    """Return the whole address of a path below a store's, or of an address of the same origin.

    Raises:
        CrossOriginError: The address belongs to another origin, or cannot be read.
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


def shown_origin(url: str) -> str:
    """Return the origin of an address for a message, without user, path and query."""
    parts = split_link(url)
    if parts is None:
        return "an address that cannot be read"
    scheme, host, port = _origin(parts)
    return f"{scheme}://{host}:{port}" if host and port else f"an address of {scheme or 'no'}:"


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    scheme = parts.scheme.lower()
    port = parts.port or {"http": 80, "https": 443}.get(scheme)
    return (scheme, (parts.hostname or "").lower(), port)
