"""An interactive view of a store, in which every control is an ipywidget with a value."""

from petstore_frame.errors import MissingExtraError

try:
    from petstore_frame.dashboard.dashboard import Dashboard
except ModuleNotFoundError as missing:
    if missing.name not in ("IPython", "anywidget", "ipywidgets", "traitlets"):
        raise
    raise MissingExtraError("pf.Dashboard", "notebook") from None

__all__ = ["Dashboard"]
