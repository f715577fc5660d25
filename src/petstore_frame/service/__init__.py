"""The reference service: the published interface as a FastAPI application, run as its own program.

Nothing here imports the rest of the package, so that client and service cannot share a
misunderstanding of the interface. Start reading at ``pets`` (the operations) and ``wire_models``.
"""


class StartError(Exception):
    """The service cannot start with these options; the text gives the reason."""
