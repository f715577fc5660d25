"""The live view of a store in ipywidgets."""

from petstore_frame.dashboard.dashboard import Dashboard

__all__ = ["Dashboard"]
