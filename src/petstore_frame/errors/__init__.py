"""What can go wrong: one class for each thing that a caller may want to catch.

A wrong argument is an ArgumentError, a missing or impossible setting (an argument of ``Client`` or
its environment variable) a ConfigurationError, and content of a file or frame that cannot be used
an InputError. The page on errors of the documentation draws their tree.
"""

from petstore_frame.errors.arguments import INT64 as INT64
from petstore_frame.errors.arguments import before_sending as before_sending
from petstore_frame.errors.arguments import checked_client as checked_client
from petstore_frame.errors.arguments import one_of as one_of
from petstore_frame.errors.arguments import some_of as some_of
from petstore_frame.errors.arguments import time_zone as time_zone
from petstore_frame.errors.arguments import whole_number as whole_number
from petstore_frame.errors.carriers import DuplicatesError as DuplicatesError
from petstore_frame.errors.carriers import FetchInterrupted as FetchInterrupted
from petstore_frame.errors.carriers import IncompleteInventoryError as IncompleteInventoryError
from petstore_frame.errors.carriers import LoadFailedError as LoadFailedError
from petstore_frame.errors.carriers import LoadInterrupted as LoadInterrupted
from petstore_frame.errors.carriers import LoadStopped as LoadStopped
from petstore_frame.errors.classes import *  # noqa: F403 # __init__.pyi has them for type checkers
from petstore_frame.errors.frames import callers_level as callers_level
from petstore_frame.errors.names import answering as answering
from petstore_frame.errors.names import folded_name as folded_name
from petstore_frame.errors.names import like as like
from petstore_frame.errors.names import nearest as nearest

# A traceback shows the name by which a class is imported, not the file that it stands in.
_KINDS = {name: kind for name, kind in globals().items() if isinstance(kind, type)}
for _kind in _KINDS.values():
    if _kind.__module__.startswith(__name__):
        _kind.__module__ = __name__


def __dir__() -> list[str]:
    kinds = [name for name, kind in _KINDS.items() if issubclass(kind, BaseException)]
    return sorted([*kinds, "nearest"])
