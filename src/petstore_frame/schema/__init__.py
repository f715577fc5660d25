"""What is a pet, stated once."""
