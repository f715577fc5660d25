"""What became of each record.

    file, frame -> read -> check -> runs -> journal <-> send -> the store
                                              |           |
                                           results <- reconcile

``load`` has the three ways in, ``options`` checks the arguments, ``engine`` runs one import.

- ``read`` (kinds, text, giants, excel, unpack, typed, frames, sources) opens a file or a frame;
  ``layout`` (mapping, returned, comeback) finds its columns; ``check`` (fields, values) makes
  Records.
- ``runs`` (overlap, kin, versions, lock) finds or stages the run that they belong to.
- ``journal`` and its one ``writer`` (settlements) keep on disk what is known of each record.
- ``session`` opens, and ``send`` (pace, pool, repeats, canary, judge, echo) works, one session with
  the store (clients, limits, timing, progress).
- ``reconcile`` (readback, windows, match, doubt) settles doubt later.
- ``results`` (view, columns, notes, skipped, files, workbook) shows what became of each.

``record`` has the states and their moves.
"""
