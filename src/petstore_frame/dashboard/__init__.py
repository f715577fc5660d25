"""The same facts, live: a pure view model and a thin view of core widgets."""

from petstore_frame.dashboard.dashboard import Dashboard

__all__ = ["Dashboard"]
