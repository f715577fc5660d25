"""How a CSV, a workbook or a DataFrame becomes records, none of them sent.

``read.open_source`` has a file read into memory and cut into text cells (``opening``, ``tables``;
our own files are ``returned``), finds the columns of the fields (``mapping``), and gives records
(``check``), each cell read by its field (``fields``), with its animal's key (``keys``). What the
caller says is a ``recipe`` of ``words``. ``preview`` shows a file to a person, ``likely`` which
columns may identify an animal, and ``draft`` writes the first recipe.
"""
