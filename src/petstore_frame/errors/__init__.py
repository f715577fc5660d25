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
  ├── DuplicatesError                     a file seems to repeat earlier imports; nothing was sent
  ├── LoadFailedError                     some records of an import are not in the store
  ├── JournalError                        the journal of an import cannot be used
  │   └── JournalLockedError              another import is using it
  ├── ReportError                         a report cannot be written as asked
  └── HistoryError                        a history folder cannot be used as asked
      └── HistoryLockedError              another process is writing to it

  LoadInterrupted (KeyboardInterrupt)         Ctrl-C ended an import; carries its result
  EndpointDeprecatedWarning (FutureWarning)   an operation will be removed; the text has the date
  HistoryWarning (UserWarning)                a day's snapshot cannot be read and is left out

The rule for what a caller passes: a wrong argument is an ArgumentError, a missing or impossible
setting (an argument of ``Client`` or its environment variable) a ConfigurationError, and content of
a file or frame that cannot be used an InputError.

A notebook shows an error as its sentence and the caller's own lines; ``print_traceback()`` shows
every call.
"""

from petstore_frame.errors.answers import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ContractError,
    CrossOriginError,
    EndpointDeprecatedWarning,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    status_error_class,
)
from petstore_frame.errors.calls import (
    ArgumentError,
    ClosedError,
    ConfigurationError,
    MissingExtraError,
    PetstoreError,
    Phrasing,
    ServiceStartError,
)
from petstore_frame.errors.files import (
    HistoryError,
    HistoryLockedError,
    HistoryWarning,
    ReportError,
)
from petstore_frame.errors.frames import print_traceback
from petstore_frame.errors.imports import (
    DuplicatesError,
    InputError,
    JournalError,
    JournalLockedError,
    LoadFailedError,
    LoadInterrupted,
)
from petstore_frame.errors.listings import (
    ForeignLinkError,
    IncompleteInventoryError,
    PaginationLoopError,
)

__all__ = [
    "APIConnectionError",
    "APIStatusError",
    "APITimeoutError",
    "ArgumentError",
    "AuthenticationError",
    "BadRequestError",
    "ClosedError",
    "ConfigurationError",
    "ConflictError",
    "ContractError",
    "CrossOriginError",
    "DuplicatesError",
    "EndpointDeprecatedWarning",
    "ForeignLinkError",
    "HistoryError",
    "HistoryLockedError",
    "HistoryWarning",
    "IncompleteInventoryError",
    "InputError",
    "JournalError",
    "JournalLockedError",
    "LoadFailedError",
    "LoadInterrupted",
    "MissingExtraError",
    "NotFoundError",
    "PaginationLoopError",
    "PermissionDeniedError",
    "PetstoreError",
    "Phrasing",
    "RateLimitError",
    "ReportError",
    "ServerError",
    "ServiceStartError",
    "print_traceback",
    "status_error_class",
]

for _name in __all__:
    # A traceback shows the name by which a class is imported, not the file that it stands in.
    globals()[_name].__module__ = __name__
