"""How records reach the store, and none of them twice."""
