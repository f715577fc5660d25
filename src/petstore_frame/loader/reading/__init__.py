"""How CSV, Excel and frames become records, none of them sent.

``read.open_source`` opens what a path or a frame holds (``opening``), cuts it into a table of text
cells (``text``, ``workbook``, ``tables``; one of our own files is ``returned``), finds the columns
of the fields (``mapping``) and gives records (``check``), each cell judged by its field
(``fields``). What the caller says of all this is a ``Reading`` (``options``). ``causes`` has the
questions about a whole file; ``look`` shows them, with the first records, to a person.
"""
