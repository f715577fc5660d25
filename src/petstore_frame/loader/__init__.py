"""What became of each record.

    file, frame -> read -> check -> runs -> journal <-> send -> the store
                                              |           |
                                           results <- reconcile

``read`` (text, excel, unpack, frames, mapping, values) gives Records, checked by ``check``;
``plan`` (overlap, lock) finds or stages the run they belong to; ``journal`` and its one ``writer``
keep what is known of each on disk; ``send`` (pace, pool, judge, canary, interrupt) is one session
with the store; ``reconcile`` (readback) settles doubt later; ``results`` (view, files, workbook)
shows what became of each. ``load`` is the door; ``record`` has the states and their moves.
"""
