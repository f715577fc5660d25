"""What can stop the bundled service, as errors of this package.

The service shares no code with the package, so its own error is translated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from petstore_frame.errors import MissingExtraError, ServiceStartError
from petstore_frame.service.errors import StartError

_LIBRARIES = ("fastapi", "uvicorn", "sqlalchemy")


@contextmanager
def service_errors() -> Iterator[None]:
    """Translate the service's own error, and that of a missing library.

    Raises:
        MissingExtraError: The block imports a library of the service that is not installed.
        ServiceStartError: The database or the port cannot be opened.
    """
    try:
        yield
    except StartError as problem:
        raise ServiceStartError(str(problem)) from None
    except ModuleNotFoundError as problem:
        if problem.name == "psycopg":
            raise MissingExtraError("the bundled service on PostgreSQL", "postgres") from None
        if problem.name not in _LIBRARIES:
            raise
        raise MissingExtraError("the bundled service", "service") from None
