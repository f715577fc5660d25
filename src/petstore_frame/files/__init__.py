"""Files written whole, one writer at a time, and the cells of a workbook."""
