"""The journal: a database with the state of each row before and after every request."""
