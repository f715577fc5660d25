"""What became of each record.

    file, frame -> reading -> records -> journal -> sending -> the store
                                            |          |
                                         results <- settling

- ``reading`` opens a file or a frame and makes checked Records of it.
- ``journal`` keeps on disk what is known of each record, one database for each store.
- ``sending`` works one session with the store.
- ``settling`` reads the store: what it has before a load, and what became of records in doubt.
- ``results`` shows what became of each record.

``load`` is what a user calls, and ``run`` is one import from start to end. ``options`` is what a
user may ask for, ``record`` has the states, ``causes`` counts why records cannot be sent,
``question`` is what an import asks, and ``proposals`` phrases what to do next.
"""
