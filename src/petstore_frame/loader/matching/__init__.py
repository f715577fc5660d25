"""Decides which animal each row is, by rules that use neither the database nor the store."""
