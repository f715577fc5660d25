"""How CSV, Excel and frames become records, none of them sent.

``read.open_source`` opens what a path or a frame holds (``inputs``, ``opening``), cuts it into a
table of text cells (``text``, ``workbook``, ``tables``; our own files are ``returned``), finds the
columns of the fields (``mapping``) and gives records (``check``), each cell read by its field
(``fields``), with the animal's key and how new its row is (``keys``). The caller's words are
``options``; a ``recipe`` keeps them in a file, and ``draft`` writes the first one.
``look`` shows a file to a person before anything is sent.
"""
