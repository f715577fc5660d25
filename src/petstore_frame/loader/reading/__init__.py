"""Which records a file or a frame holds, each read and checked before any request."""
