"""Reads and writes the coverage of pets in data files."""
