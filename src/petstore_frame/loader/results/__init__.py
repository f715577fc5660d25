"""What became of each row, shown and written.

``summary`` is what is known of an import at one moment of its journal. From it ``result_text``
makes texts, and ``files`` frames and files; ``results`` is the LoadResult that a caller gets.
"""
