"""Says how much of a store was read: facts, how they are weighed, and the result."""
