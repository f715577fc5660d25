"""One module per sheet of a workbook, and what sheets share: lists, counts, charts."""
