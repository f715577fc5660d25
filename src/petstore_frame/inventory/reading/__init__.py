"""Reads the pages of a store, and collects evidence for the end of its listing."""
