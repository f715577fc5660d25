"""The bundled store, which runs in its own process, and made-up data."""

from petstore_frame.bundled import samples as samples
