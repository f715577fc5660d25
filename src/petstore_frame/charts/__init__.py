"""The same facts as SVG, drawn in Python."""

from petstore_frame.charts.bars import status_chart, status_figure
from petstore_frame.charts.over_time import (
    ageing_chart,
    ageing_figure,
    moves_figure,
    trend_chart,
    trend_figure,
)
from petstore_frame.charts.svg import CSS, Chart, Figure, element

__all__ = [
    "CSS",
    "Chart",
    "Figure",
    "ageing_chart",
    "ageing_figure",
    "element",
    "moves_figure",
    "status_chart",
    "status_figure",
    "trend_chart",
    "trend_figure",
]
