"""What became of each record, shown and written.

``facts`` and ``causes`` are what is known at one moment of the journal, ``columns`` what is shown
of each record, ``ids`` which pet each key is. ``view`` and ``question_text`` put it into words,
``files`` and ``workbook`` into files. ``results`` is the LoadResult that a caller holds, and
``rehearsal`` what it shows where nothing was sent.
"""
