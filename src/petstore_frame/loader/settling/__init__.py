"""What became of the records in doubt."""
