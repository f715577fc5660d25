"""The records that a file or a frame holds, each read and checked, none sent."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Self

from petstore_frame.errors import InputError
from petstore_frame.loader.call import Advice
from petstore_frame.loader.reading.check import Checker
from petstore_frame.loader.reading.inputs import Input
from petstore_frame.loader.reading.keys import Keys, Ranks
from petstore_frame.loader.reading.mapping import (
    Recognised,
    field_name,
    find_columns,
    find_given,
    listed,
    recognise,
    unsent,
)
from petstore_frame.loader.reading.options import KEY, NEWEST, RecipeOptions, columns_in
from petstore_frame.loader.reading.returned import (
    ColumnsOf,
    columns_by,
    has_own_columns,
    restored,
)
from petstore_frame.loader.reading.tables import Row, Table, index_names
from petstore_frame.loader.record import Record
from petstore_frame.schema.models import SENT_FIELDS

# Rows in which a header below a title is looked for, and in which a status is looked for.
_LOOKED_AT, _SAMPLE = 20, 200


class Source:
    """The records of one file or frame, from the first one, each time anew, in constant memory.

    Attributes:
        name: What to call it in a message, with the sheet where there are several.
        options: What the caller says, with columns spelled as the file does.
        key: The columns that identify an animal, as the file spells them; empty without ``key=``.
            Where rows stand for several animals, the column of their count is one of them.
        is_returned: It is one of our own files, whose records have an ``origin``.

    Raises:
        InputError: A column that is needed is not there.
    """

    def __init__(
        self,
        opened: Input,
        table: Table,
        options: RecipeOptions,
        columns_of: ColumnsOf,
        leave_lines: Collection[int] = (),
    ) -> None:
        is_one_of_several = options.sheet is None and len(opened.sheets) > 1
        sheet = f" (sheet {table.facts['sheet']})" if is_one_of_several else ""
        self.name, self.path, self._opened = f"{opened.name}{sheet}", opened.path, opened
        self.is_returned = has_own_columns(table.columns)
        self.rules = replace(options.rules(), has_guards="encoding" in table.facts)
        self._leave_lines = leave_lines
        mapping, key = options.mapping, tuple(options.key)
        if self.is_returned:
            table = restored(table)
            known = columns_by(table, columns_of)
            if known is not None:
                mapping, key = mapping or known.mapping, key or known.key
        self.table, self.columns = table, table.columns
        self.mapping = find_columns(
            self.columns,
            mapping,
            options.defaults or (),
            rows=lambda: (row.cells for row in table.rows()),
            may_lack_header=opened.kind != "frame",
        )
        named = tuple(find_given("key", column, self.columns) for column in key)
        self.options = _spelled(options, self.columns)
        count = self.options.count
        self._own_key = tuple(column for column in named if column != count)
        self.key = (*self._own_key, count) if count and self._own_key else named

    @cached_property
    def _learned(self) -> tuple[Keys, Ranks | None]:
        """What reads keys and ranks; where they need it, all rows are looked at once."""
        words = {name: {word for word, sent in table.items() if sent == ""}
                 for name, table in self.rules.values.items()}  # fmt: skip
        fields = {column: name for name, column in self.mapping.items()}
        nothing = {
            column: words.get(KEY, set()) | words.get(fields.get(column, ""), set())
            for column in self._own_key
        }
        keys, ranks = Keys(self.columns, self._own_key, nothing), None
        if newest := NEWEST.fullmatch(self.options.keep or ""):
            ranks = Ranks(self.columns.index(newest[1]), newest[1])
        with suppress(InputError):  # reported when the records are read
            for row in self.table.rows() if keys.has_to_learn or ranks else ():
                keys.see(row.cells)
                if ranks is not None:
                    ranks.see(row.cells)
        keys.learn()
        if ranks is not None:
            ranks.learn()
        return keys, ranks

    def batches(self) -> Iterator[list[Record]]:
        """Yield the records, many at once; an InputError tells why there are no more."""
        with self._opened.naming():
            checker = Checker(
                self.columns,
                self.mapping,
                self.options,
                self.rules,
                *self._learned,
                self.table.facts.get("delimiter", ""),
                is_returned=self.is_returned,
                leave_lines=self._leave_lines,
            )
            try:
                for records in checker.batches(self.table.rows()):
                    self._opened.refuse_change()
                    yield records
            except InputError:
                self._opened.refuse_change()  # which may be the cause
                raise

    def __iter__(self) -> Iterator[Record]:
        return chain.from_iterable(self.batches())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._opened.close()


def open_source(
    path_or_frame: Any,
    options: RecipeOptions = RecipeOptions(),  # noqa: B008 # frozen
    *,
    columns_of: ColumnsOf = lambda _: None,
    leave_lines: Collection[int] = (),
) -> Source:
    """Open a file or a frame as records; a result file of ours is read as we wrote it.

    Args:
        path_or_frame: Path of a CSV, TSV, gzip or xlsx file (known by its bytes, not its name),
            or a pandas or polars DataFrame.
        options: How it is read: a ``Recipe``.
        columns_of: Gives the columns of an import, for one of its result files.
        leave_lines: Lines of records that the caller leaves out.

    Raises:
        InputError: It cannot be read as records; the text has the place and the next step.
        MissingExtraError: A workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    opened = Input(path_or_frame)
    try:
        with opened.naming():
            return lay_out(opened, options, columns_of, leave_lines)
    except BaseException:
        opened.close()
        raise


def lay_out(
    opened: Input, options: RecipeOptions, columns_of: ColumnsOf, leave_lines: Collection[int] = ()
) -> Source:
    """Return the records of the table whose columns are those of animals.

    Raises:
        InputError: None is, or several are; it has the likeliest answer.
    """
    own = opened.own_tables(options)
    fitting, refusals = list[Source](), list[InputError]()
    tables = own or opened.tables(options)
    for table in tables:
        try:
            fitting.append(Source(opened, table, options, columns_of, leave_lines))
        except InputError as problem:
            refusals.append(problem)
    if not fitting:
        raise refusals[0] if own else _explained(opened, tables, refusals, options)
    if len({source.columns for source in fitting}) > 1:
        signs = [source.table.facts["delimiter"] for source in fitting]
        what = f"the delimiter may be {' or '.join(map(repr, signs))}"
        raise _other_delimiter(what, "name it: {}", signs[0])
    source = fitting[0]
    if source.is_returned:
        return source
    _refuse_unsent(source)
    return source


def _spelled(options: RecipeOptions, columns: Sequence[str]) -> RecipeOptions:
    """Return options whose columns are spelled as a file does.

    Raises:
        InputError: The file has not one of them.
    """
    changes: dict[str, Any] = {}
    for name in ("leave_out", "only"):
        table = getattr(options, name) or {}
        changes[name] = {find_given(name, column, columns): each for column, each in table.items()}
    if options.count is not None:
        changes["count"] = find_given("count", options.count, columns)
    if newest := NEWEST.fullmatch(options.keep or ""):
        changes["keep"] = f"newest: {find_given('keep', newest[1], columns)}"
    defaults = dict(options.defaults or {})
    for name, text in defaults.items():
        for column in columns_in(str(text)):
            spelled = find_given("defaults", column, columns)
            defaults[name] = str(defaults[name]).replace(f"{{{column}}}", f"{{{spelled}}}")
    return replace(options, defaults=defaults, **changes)


# Why a whole source cannot be read as it is; ``InputError.answer`` has the options to confirm.


def _explained(
    opened: Input, tables: Sequence[Table], refusals: Sequence[InputError], options: RecipeOptions
) -> InputError:
    """Return why no table has the columns of animals, and what would help."""
    refusal = refusals[0]
    if opened.kind == "frame":
        names = ", ".join(name for name in index_names(opened.frame) if field_name(name))
        if names:
            refusal.hint = f"the index ({names}) is not read; load frame.reset_index()"
        return refusal
    start = tables[0].columns[0].lstrip()[:40]
    if kind := {"<": "an HTML page or XML", "{": "JSON", "[": "JSON"}.get(start[:1]):
        what = f"the file looks like {kind}, not like CSV: it begins with {start!r}"
        return InputError(what, hint="export the animals as CSV and load that")
    for table, problem in zip(tables, refusals, strict=True):
        if _recognised(table.columns, options):
            return problem
    if options.columns is None and options.header_row is None:
        below = filter(None, (_header_below(table, options) for table in tables))
        if question := next(below, None):
            return question
    if opened.kind == "csv" and options.delimiter is not None:
        for table in opened.tables(replace(options, delimiter=None)):
            if _recognised(table.columns, options):
                sign = table.facts["delimiter"]
                what = f"the delimiter is not {options.delimiter!r}: it looks like {sign!r}"
                return _other_delimiter(what, "if it is: {}", sign)
    elif all(len(table.columns) == 1 for table in tables) and re.search(r"[^\w\s]", start):
        hint = "name the character between the cells: {}"
        refusal.hint = Advice(hint, ("delimiter",), by_hand="choose the delimiter")
    return refusal


def _recognised(header: Sequence[str], options: RecipeOptions) -> Recognised | None:
    """Return what a header shows, or None where it is no header that could be used."""
    try:
        found = recognise(header, options.mapping, options.defaults or ())
    except InputError:
        return None
    return found if found.is_complete else None


def _other_delimiter(what: str, hint: str, sign: str) -> InputError:
    advice = Advice(hint, ("delimiter", sign), by_hand="choose the delimiter")
    return InputError(what, hint=advice, answer={"delimiter": sign})


def _header_below(table: Table, options: RecipeOptions) -> InputError | None:
    """Return the question whether the header stands below a title."""
    rows = list[Row]()
    with suppress(InputError):  # reported where the records are read
        rows.extend(islice(table.rows(), _LOOKED_AT))
    for row in rows:
        if found := _recognised(row.cells, options):
            answers: list[tuple[str, Any]] = [("header_row", row.line)]
            if found.proposed:
                answers.append(("mapping", found.proposed))
            what = f"row {row.line} looks like the header"
            ways = f"{what}: {' and '.join(['{}'] * len(answers))}"
            return InputError(
                f"row {table.header_row} is no header of animals: {listed(table.columns)}",
                hint=Advice(ways, *answers, by_hand=f"{what}; choose it"),
                answer={"header_row": row.line},
            )
    return None


def _refuse_unsent(source: Source) -> None:
    """Ask about a column that holds a field's values and would not be sent."""
    options, rows = source.options, list[Row]()
    with suppress(InputError):  # reported when the records are read
        rows.extend(islice(source.table.rows(), _SAMPLE))
    stated = {*source.mapping, *(options.mapping or {}), *(options.defaults or {})}
    for field in SENT_FIELDS:
        for at, column in enumerate(source.columns):
            is_free = column.strip() and column not in source.mapping.values()
            if field.values and field.name not in stated and is_free:
                cells = {row.cells[at].strip().casefold() for row in rows if at < len(row.cells)}
                if cells - {""} and cells <= {"", *field.values}:
                    raise unsent(field.name, column)
