"""Holds the pets that were read, and knows what their current rows cover."""
