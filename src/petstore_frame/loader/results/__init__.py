"""What became of each record, shown and written.

``columns`` has all that is known of a record, ``facts`` what is known beside the records (why some
were skipped, what was noted), ``ids`` which pet each key is. ``view`` puts it into words, ``files``
and ``workbook`` into files, and ``results`` is the LoadResult that a caller holds.
"""
