"""Decides which animal each row of a file is; reads and writes nothing."""
