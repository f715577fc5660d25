"""What is known of each record, on disk, before and after every request."""
