"""Decides which animal each row is: rules over values, which know neither database nor store."""
