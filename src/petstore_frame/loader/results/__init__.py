"""What became of each record, shown and written.

``summary`` is what is known of an import at one moment of its journal, and ``columns`` what is
shown of each record. From these ``next_steps``, ``question_text`` and ``result_text`` make texts,
and ``files`` and ``workbook`` make files. ``results`` is the LoadResult that a caller gets.
"""
