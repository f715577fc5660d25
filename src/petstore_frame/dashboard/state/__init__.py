"""What the dashboard knows, and what it asks: values and pure functions, without widgets."""
