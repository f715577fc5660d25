"""Sends the rows of an import to the store, none of them twice."""
