"""Shows the outcome of each row: as text, as frames and as files."""
