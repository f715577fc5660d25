"""How one request goes out and its answer comes back, and what is proven if none does.

``transport`` sends a request over one of the ``connections`` and repeats a GET; ``outcome`` has the
table of what the end of a POST proves.
"""

from petstore_frame.transport.answer import BodyProblem, StoreAnswer
from petstore_frame.transport.connections import GivenTransport
from petstore_frame.transport.transport import Transport

__all__ = ["BodyProblem", "GivenTransport", "StoreAnswer", "Transport"]
