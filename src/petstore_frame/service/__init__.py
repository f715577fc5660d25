"""The reference service: a pet store that answers the interface over HTTP, as its own program.

In: HTTP requests. Out: HTTP answers, and rows in one SQLite file or one PostgreSQL database.
It is sealed: nothing here imports the rest of the package, so that one misreading of the interface
cannot pass on both sides of the wire. ``python -m petstore_frame.service`` is its entry.
"""
