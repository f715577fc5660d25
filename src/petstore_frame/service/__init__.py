"""The reference service: the published interface as a FastAPI application, run as its own program.

It is sealed: nothing here imports the rest of the package, so that one misreading of the interface
cannot pass on both sides of the wire. Start reading at ``pets`` (the operations) and ``models``.
"""


class StartError(Exception):
    """The service cannot start as it was asked to; the text gives the reason."""
