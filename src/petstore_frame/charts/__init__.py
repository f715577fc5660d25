"""SVG charts of counts, trends, moves and waiting times."""

from petstore_frame.charts.category_chart import status_chart
from petstore_frame.charts.svg import CSS, Chart
from petstore_frame.charts.time_charts import ageing_chart, moves_chart, trend_chart

__all__ = ["CSS", "Chart", "ageing_chart", "moves_chart", "status_chart", "trend_chart"]
