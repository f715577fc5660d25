"""What can go wrong, drawn as a tree::

  PetstoreError
  ├── ConfigurationError (ValueError)     a setting is missing or impossible; nothing was sent
  ├── ArgumentError (ValueError)          an argument has a wrong type or value; nothing was done
  ├── ClosedError (RuntimeError)          a Client or Server was closed; nothing was sent
  ├── MissingExtraError (ImportError)     an optional library is needed; the text has the pip line
  ├── ServiceStartError                   the bundled service did not come up
  ├── APIStatusError                      the store answered with an error status
  │   ├── BadRequestError                 400
  │   ├── AuthenticationError             401
  │   ├── PermissionDeniedError           403
  │   ├── NotFoundError                   404
  │   ├── ConflictError                   409
  │   ├── RateLimitError                  429
  │   └── ServerError                     5xx
  ├── APIConnectionError                  no usable answer arrived
  │   └── APITimeoutError                 … within the time allowed
  ├── ContractError                       the answer is not what the interface states
  ├── CrossOriginError                    a link led away from the store, or cannot be read
  ├── IncompleteInventoryError            a listing broke off; carries what was read
  │   ├── PaginationLoopError             … because it led back to where it had been
  │   └── ForeignLinkError                … because it led away from the store (CrossOriginError)
  ├── InputError (ValueError)             a file or frame cannot be read as records; nothing is sent
  ├── DuplicatesError                     records may be known animals; nothing was sent
  ├── LoadStopped                         the store, an outage or a limit ended an import
  ├── LoadFailedError                     some records of an import are not in the store
  ├── JournalError                        the journal of an import cannot be used
  │   └── JournalLockedError              another import is using it
  ├── ReportError                         a report cannot be written as asked
  └── HistoryError                        a history folder cannot be used as asked
      └── HistoryLockedError              another process is writing to it

  FetchInterrupted (KeyboardInterrupt)        Ctrl-C ended a listing; carries what was read
  LoadInterrupted (KeyboardInterrupt)         Ctrl-C ended an import; carries its result
  EndpointDeprecatedWarning (FutureWarning)   an operation will be removed; the text has the date
  HistoryWarning (UserWarning)                a day's snapshot cannot be read and is left out

The rule for what a caller passes: a wrong argument is an ArgumentError, a missing or impossible
setting (an argument of ``Client`` or its environment variable) a ConfigurationError, and content of
a file or frame that cannot be used an InputError.
"""

from importlib import import_module

from petstore_frame.errors.classes import *  # noqa: F403 # __init__.pyi has them for type checkers
from petstore_frame.errors.names import answering as answering
from petstore_frame.errors.names import nearest as nearest

# A traceback shows the name by which a class is imported, not the file that it stands in.
_KINDS = {name: kind for name, kind in globals().items() if isinstance(kind, type)}
for _kind in _KINDS.values():
    if _kind.__module__.startswith(__name__):
        _kind.__module__ = __name__

# They carry an Inventory, a question or a result, so they stand beside these, above this part.
# A type checker finds them in __init__.pyi.
_HOMES = {
    **dict.fromkeys(
        ("FetchInterrupted", "ForeignLinkError", "IncompleteInventoryError", "PaginationLoopError"),
        "petstore_frame.inventory.result",
    ),
    **dict.fromkeys(
        ("LoadFailedError", "LoadInterrupted", "LoadStopped"),
        "petstore_frame.loader.results.results",
    ),
    "DuplicatesError": "petstore_frame.loader.question",
}


def __getattr__(name: str) -> type[BaseException]:
    if name in _HOMES:
        kind: type[BaseException] = getattr(import_module(_HOMES[name]), name)
        return kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    kinds = [name for name, kind in _KINDS.items() if issubclass(kind, BaseException)]
    return sorted([*kinds, *_HOMES, "nearest"])
