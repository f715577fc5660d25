"""The widgets of the steps of an import; what they ask is in ``state``."""
