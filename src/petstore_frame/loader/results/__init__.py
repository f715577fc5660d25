"""What became of each record, shown and written."""
