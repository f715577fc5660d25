"""How one request goes out and comes back, and what is proven when it does not.

In: method, address, body. Out: an Answer, or an APIConnectionError that says whether the store
can have acted. This is the one door to httpx:

- ``transport`` sends a request, and ``answer`` is what came back;
- ``wires`` lends each request a connection, and ``socket_wire`` is one;
- ``content`` unpacks a body, and ``failure`` reads what httpx raises;
- ``addresses`` keeps the key with its store.
"""

from petstore_frame.http.answer import Answer, Flaw
from petstore_frame.http.transport import Transport
from petstore_frame.http.wires import Wire

__all__ = ["Answer", "Flaw", "Transport", "Wire"]
