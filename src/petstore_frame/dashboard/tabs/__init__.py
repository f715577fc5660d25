"""The tabs of the dashboard."""
