"""How CSV, Excel and frames become records, none of them sent.

``read.open_source`` opens what a path or a frame holds (``opening``), cuts it into a table of text
cells (``text``, ``workbook``, ``tables``; one of our own files is ``returned``), finds the columns
of the fields (``mapping``) and gives records (``check``), each cell judged by its field
(``fields``), with the animal's key (``keys``) and how new its row is (``ranks``). What the caller
says of all this is ``options``, and a ``recipe`` where it is kept in a file (``recipe_text``,
``draft``). ``causes`` counts why records cannot be sent and has the questions about a whole file;
``look`` shows them, with the first records, to a person; ``kept`` is for a list without a journal.
"""
