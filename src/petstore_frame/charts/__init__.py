"""The same facts as SVG, drawn in Python."""
