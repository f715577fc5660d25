"""The same facts as SVG, drawn in Python."""

from petstore_frame.charts.bars import status_chart
from petstore_frame.charts.over_time import ageing_chart, moves_chart, trend_chart
from petstore_frame.charts.svg import CSS, Chart, element

__all__ = ["CSS", "Chart", "ageing_chart", "element", "moves_chart", "status_chart", "trend_chart"]
