"""What became of each record."""
