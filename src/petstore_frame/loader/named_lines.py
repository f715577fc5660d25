"""Rejects line numbers that a file does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.row_state import SourceRow
from petstore_frame.schema import line_text


def with_named_lines(
    batches: Iterable[Sequence[SourceRow]], lines: Mapping[str, Collection[int]]
) -> Iterator[Sequence[SourceRow]]:
    """Yield the batches; after the last one, raise an error if a named line was not in any.

    Args:
        batches: The rows of a file.
        lines: The lines that each argument names, such as ``{"exclude_lines": [34]}``.

    Raises:
        ArgumentError: The file has no such row; nothing was sent.
    """
    missing = {argument: set(numbers) for argument, numbers in lines.items() if numbers}
    first_line = last_line = 0
    for batch in batches:
        if missing and batch:
            first_line = first_line or batch[0].line
            last_line = batch[-1].line
            present = {row.line for row in batch}
            for numbers in missing.values():
                numbers.difference_update(present)
        yield batch
    for argument, numbers in missing.items():
        if numbers:
            rows_of_file = line_text([range(first_line, last_line + 1)])
            raise ArgumentError(
                f"{argument}: the file has no row in {line_text(numbers)}; its rows are in "
                f"{rows_of_file}; nothing was sent"
            )
