"""What is known of each row, on disk, before and after every request."""
