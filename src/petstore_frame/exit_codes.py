"""The exit codes of all commands, and the one that each error has."""

from __future__ import annotations

from petstore_frame import errors

DONE, WITH_FINDINGS, INVALID, UNCONFIRMED, TOO_MANY_ERRORS, STORE = 0, 1, 2, 3, 4, 5
DISK, LOCKED, NOT_COMPLETE, QUESTION, MAX_DROP, INTERNAL, INTERRUPTED = 6, 7, 8, 9, 10, 11, 130
# What ``petstore-frame --help`` says about each. A new code takes the next free number.
EXIT_CODES = {
    DONE: "done",
    WITH_FINDINGS: "done, with rows to fix, differences, or rows still to send",
    INVALID: "invalid option, setting or file; nothing was sent",
    UNCONFIRMED: "some rows are unconfirmed",
    TOO_MANY_ERRORS: "too many errors, or most rows fail for one reason",
    STORE: "the store rejected a request, broke the interface, or could not be reached",
    DISK: "the disk or the import journal cannot be used",
    LOCKED: "another process is using the same files",
    NOT_COMPLETE: "the listing is not known to be complete",
    QUESTION: "a question is open; nothing was sent",
    MAX_DROP: "more pets are gone than max_drop allows",
    INTERNAL: "internal error",
    INTERRUPTED: "interrupted",
}
_CODES_OF_ERRORS: tuple[tuple[type[Exception], int], ...] = (
    (errors.APIConnectionError, STORE),
    (errors.APIStatusError, STORE),
    (errors.ContractError, STORE),
    (errors.CrossOriginError, STORE),
    (errors.IncompleteInventoryError, STORE),
    (errors.DuplicatesError, QUESTION),
    (errors.QuestionError, QUESTION),
    (errors.PetstoreError, INVALID),
    (FileNotFoundError, INVALID),
)
_CODES_OF_STOPPED_LOADS = {"journal": DISK, "budget": TOO_MANY_ERRORS}


def exit_code(error: BaseException) -> int:
    """Return the exit code of a command that ends with an error."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, errors.LoadStoppedError):
        return _CODES_OF_STOPPED_LOADS.get(error.ending, STORE)
    if isinstance(error, (errors.JournalLockedError, errors.HistoryLockedError)):
        return LOCKED
    if _is_disk_error(error):
        return DISK
    for error_type, code in _CODES_OF_ERRORS:
        if isinstance(error, error_type):
            return code
    return INTERNAL


def _is_disk_error(error: BaseException) -> bool:
    if isinstance(error, (errors.ReportError, errors.HistoryError)):
        cause = error.__cause__
        return isinstance(cause, OSError) and not isinstance(cause, PermissionError)
    if isinstance(error, FileNotFoundError):
        return False  # a name that does not exist, so an invalid argument
    return isinstance(error, (errors.JournalError, OSError))
