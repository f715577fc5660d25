"""What became of each record, shown and written.

``summary`` is what is known of an import at one moment of its journal, and ``columns`` what is
shown of each record. From these ``result_text`` makes texts, and ``files`` the
files. ``results`` is the LoadResult that a caller gets.
"""
