"""The bundled store as a process of its own, and made-up data."""

from petstore_frame.bundled import samples as samples
