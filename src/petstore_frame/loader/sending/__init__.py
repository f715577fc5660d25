"""How rows reach the store, and none of them twice."""
