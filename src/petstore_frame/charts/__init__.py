"""The same facts as SVG, drawn in Python."""

from petstore_frame.charts.bars import ageing_chart, status_chart
from petstore_frame.charts.pet_list import inventory_table
from petstore_frame.charts.trend import trend_chart

__all__ = ["ageing_chart", "inventory_table", "status_chart", "trend_chart"]
