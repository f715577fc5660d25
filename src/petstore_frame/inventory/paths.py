"""Whether a store's next links stay with the listing that was asked for.

In: a page's header lines. Out: the next address to read, or None. A link to another path of the
same origin is followed under an assumption that names the path; one that drops the beginning of
the store's address leads to whatever lies behind a gateway, and is not.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from petstore_frame.http.headers import Headers
from petstore_frame.http.links import split_link
from petstore_frame.inventory.hints import next_addresses


class Paths:
    """The paths of a listing's pages.

    Args:
        base_url: The store's address.
        conflicts: Takes what did not fit, in words.

    Attributes:
        assumed: What must hold of the links that lead to another path, in words.
    """

    def __init__(self, base_url: str, conflicts: list[str]) -> None:
        self.assumed: tuple[str, ...] = ()
        self._home = f"{base_url}/pets"
        self._conflicts = conflicts

    def next_of(self, headers: Headers, address: str) -> str | None:
        """Return the next address of a page, where it may be followed."""
        found = next_addresses(headers, address)
        return found[0] if found and self.may_follow(found[0]) else None

    def may_follow(self, address: str) -> bool:
        """Tell whether an address can belong to the listing, and note what that assumes.

        One that cannot be read passes here, and is refused by name when it is requested.
        """
        parts = split_link(address)
        if address.startswith(self._home) or parts is None:
            return True
        path, own = parts.path.rstrip("/"), urlsplit(self._home).path
        if path == own:
            return True
        if path and own.endswith(path):
            lost = own.removesuffix(path)
            self._conflicts.append(
                f"a next link leaves out {lost} of the store's address; it is not followed"
            )
            return False
        place = f"the next links, which lead to another path ({path or '/'}), list the same store"
        if place not in self.assumed:
            self.assumed += (place,)
        return True
