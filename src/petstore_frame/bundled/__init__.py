"""The bundled store as a process of its own, and made-up data."""
