"""What became of each record.

    file, frame -> reading -> records -> journal -> sending -> the store
                                            |          |
                                         results <- settling

- ``reading`` opens a file or a frame and makes checked Records of it.
- ``journal`` keeps on disk what is known of each record, one database for each store: ``staging``
  finds the import that records belong to, ``identity`` has the rules of which animal a record is,
  ``outcomes`` writes what becomes of it, ``database`` notices what was lost.
- ``sending`` works one session with the store.
- ``settling`` finds out later what became of records in doubt.
- ``results`` shows what became of each record.

``load`` has the three ways in and runs one import, ``options`` what a caller may ask for,
``record`` the states and moves.
"""
