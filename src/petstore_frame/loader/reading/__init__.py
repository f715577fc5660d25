"""How CSV, Excel and frames become records, none of them sent.

``read.open_source`` opens a path or a frame (``inputs``, ``opening``) and cuts it into a table of
text cells (``text_file``, ``workbook``, ``tables``; our own files are ``returned``). It finds the
columns of the fields (``mapping``) and gives records (``check``), each cell read by its field
(``fields``), with the animal's key and how new its row is (``keys``). The caller's words are
``options``; a ``recipe`` keeps them in a file, and ``draft`` writes the first one. ``preview``
shows a file to a person before anything is sent.
"""
