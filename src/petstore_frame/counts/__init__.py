"""What the rows add up to, on any engine."""
