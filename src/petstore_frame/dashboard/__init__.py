"""The live view of a store: every control that a user sees is an ipywidget with a value."""

from petstore_frame.errors import MissingExtraError

try:
    from petstore_frame.dashboard.dashboard import Dashboard
except ModuleNotFoundError as missing:
    if missing.name not in ("IPython", "anywidget", "ipywidgets", "traitlets"):
        raise
    raise MissingExtraError("pf.Dashboard", "notebook") from None

__all__ = ["Dashboard"]
