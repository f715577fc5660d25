"""What became of each record.

    file, frame -> read -> check -> runs -> journal <-> send -> the store
                                              |           |
                                           results <- reconcile

``load`` has the three ways in, ``options`` checks the arguments, ``engine`` runs one import.

- ``read`` (kinds, text, giants, excel, unpack, typed, frames, sources) opens a file or a frame;
  ``layout`` (mapping, returned, comeback) finds its columns; ``check`` (fields, values) makes
  Records.
- ``runs`` (overlap, kin, versions, in_place, together, lineages, alike, lock) finds or stages the
  run that they belong to, and what earlier runs have in common with it.
- ``journal`` and its one ``writer`` (moves, settlements) keep on disk what is known of each record.
- ``session`` opens, and ``send`` (pace, pool, repeats, canary, judge, echo) works, one session with
  the store (clients, limits, timing, progress).
- ``reconcile`` (readback, windows, match, doubt, waiting) settles doubt later.
- ``results`` shows what became of each: as a table (tables, columns), in words (account, before,
  notes, skipped, elsewhere), on screen (view), as JSON (summary) and in files (files, folders,
  workbook).

``record`` has the states and their moves.
"""
