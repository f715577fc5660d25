"""How CSV, Excel and frames become records, none of them sent.

``read.open_source`` opens a path or a frame (``opening``) and cuts it into a table of text cells
(``tables``; our own files are ``returned``). It finds the columns of the fields (``mapping``) and
gives records (``check``), each cell read by its field (``fields``), with the animal's key and how
new its row is (``keys``). The caller's words are ``options``; a ``recipe`` keeps them in a file.
``preview`` shows a file to a person before anything is sent, and drafts the first recipe.
"""
