"""The same facts, live, in core ipywidgets: each control that a user sees has a value."""

from petstore_frame.dashboard.dashboard import Dashboard

__all__ = ["Dashboard"]
