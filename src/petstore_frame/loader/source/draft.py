"""Drafts the recipe of a file: certain options, and placeholders with the facts to decide on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import InputError
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER, folded_text, quoted
from petstore_frame.loader.source.column_mapping import REQUIRED, recognize_columns
from petstore_frame.loader.source.grouped_digits import both_readings
from petstore_frame.loader.source.input_file import Input
from petstore_frame.loader.source.key_columns import LikelyKey, likely_keys, proven_key
from petstore_frame.loader.source.order_values import UNREADABLE, OrderReader
from petstore_frame.loader.source.preview import FilePreview
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.schema import FIELDS, count_text
from petstore_frame.schema.text import join_names, short_text
from petstore_frame.storage import toml_files as toml

if TYPE_CHECKING:
    from petstore_frame.loader.source.recipe import Recipe

# Maximum number of values to list; a column with more is unlikely to hold labels or statuses.
_MAX_VALUES = 60
# Number of rows to search for columns of dates.
_ROWS_FOR_DATES = 50
_LAYOUT = ("encoding", "delimiter", "quoting", "header_row", "sheet")
_MAX_KEYS, _MAX_EXAMPLES, _MAX_COLUMNS = 3, 3, 3


def draft_recipe(source: Any, recipe: Recipe) -> str:
    """Return a recipe for a file as TOML, with the options of ``recipe`` filled in."""
    opened = Input(source)
    with opened.naming():
        return _Draft(opened, recipe).text()


class _Draft:
    """The options of a file's recipe, with the facts next to each."""

    def __init__(self, opened: Input, recipe: Recipe) -> None:
        self._recipe, self._remarks = recipe, list[str]()
        self._likely_keys = list[str]()
        first_preview = FilePreview.of(opened, recipe, rows=0, most=0)
        reading = first_preview.reading.replace(mapping=recipe.mapping)
        self._table = opened.table_with(reading)
        self._columns = self._table.columns
        self._recognized = recognize_columns(
            self._columns, recipe.mapping, recipe.defaults, self._table.cells()
        )
        # The certain or most likely column of each field; the draft counts the values of these.
        self._column_of = dict(self._recognized.mapping)
        for name, likely in self._recognized.likely.items():
            free = [column for column in likely if column not in self._column_of.values()]
            if free:
                self._column_of[name] = free[0]
        missing = [name for name in self._recognized.missing if name not in self._column_of]
        counted = reading.replace(
            mapping={**recipe.mapping, **self._column_of},
            defaults={**dict.fromkeys(missing, PLACEHOLDER), **recipe.defaults},
        )
        self._preview = FilePreview.of(opened, counted, rows=_ROWS_FOR_DATES)
        self._options, self._comments = reading.to_dict(), recipe.comments()
        self._note_questions([*first_preview.questions, *self._preview.questions])

    def _note_questions(self, questions: Sequence[InputError]) -> None:
        """Write questions about the layout next to their options, and all others at the top."""
        for question in questions:
            option, value = question.add or ("", None)
            if option in _LAYOUT:
                self._comments[option,] = question.hint
                if value == PLACEHOLDER:
                    self._options[option] = PLACEHOLDER
            elif question.add is None:
                self._remarks.append(str(question))

    def text(self) -> str:
        """Return the draft."""
        self._add_mapping()
        self._add_key()
        self._add_values("category_id")
        self._add_values("status")
        self._add_thousands()
        head = f"{self._preview.name}: {self._preview.counted_rows}. Replace each question mark."
        comments = [f"# {toml.clean_comment(remark)}" for remark in (head, *self._remarks)]
        recipe = type(self._recipe)(**self._options)  # sorts the options
        body = toml.toml_of(recipe.to_dict(), self._comments)
        return "\n".join([*comments, body, *self._defaults()])

    def _add_mapping(self) -> None:
        """Fill in the columns that are named like a field; ask for the others."""
        certain, mapping = self._recognized.mapping, dict(self._recipe.mapping)
        counts = self._preview.value_counts.get("status", Counter())
        statuses = [text for text, _ in counts.most_common() if text]
        # A column without a single valid status is not filled in as the status.
        has_no_status = statuses and not {*map(folded_text, statuses)} & {
            *FIELDS.named("status").values
        }
        for name in FIELDS.sent.names:
            column, likely = certain.get(name), self._recognized.likely.get(name, [])
            if column is not None and (name in mapping or name != "status" or not has_no_status):
                mapping[name] = column
                continue
            likely = [column] if column else likely
            is_needed = name in REQUIRED and name not in self._recipe.defaults
            if name in mapping or not (likely or is_needed):
                continue
            mapping[name] = PLACEHOLDER
            comment = f"{' or '.join(map(quoted, likely[:_MAX_COLUMNS]))}?"
            if not likely:
                comment = (
                    f"Which column? The file has {join_names(self._columns)}. If none, remove this "
                    "line and add the value under [defaults]"
                )
            if name == "status":
                examples = ", ".join(map(short_text, statuses[:_MAX_EXAMPLES]))
                comment += f' Its values: {examples}. "" leaves it out'
            self._comments["mapping", name] = comment
        self._options["mapping"] = mapping

    def _add_key(self) -> None:
        """Fill in the key if it is certain; otherwise ask, with facts about each likely column."""
        candidates = likely_keys(self._columns, self._table.cells(), self._column_of)
        self._likely_keys = [key.column for key in candidates]
        chosen = self._recipe.key
        if chosen is None and candidates:
            proven = proven_key(candidates)
            self._options["key"] = PLACEHOLDER if proven is None else proven.column
            facts = ". ".join(map(str, candidates[:_MAX_KEYS]))
            self._comments["key",] = f'{facts}. "" if no column identifies an animal'
        elif chosen is None:
            self._remarks.append(
                'No column looks like animal numbers. If one has them, add key = "COLUMN"'
            )
        repeating = [
            key
            for key in candidates
            if key.repeated and (not key.is_of_others if chosen is None else key.column in chosen)
        ]
        if repeating and self._recipe.keep is None:
            self._options["keep"] = PLACEHOLDER
            self._comments["keep",] = self._describe_order(repeating[0])

    def _describe_order(self, key: LikelyKey) -> str:
        """Describe which date columns can order the rows of a key, and how many ties they leave."""
        facts = []
        for column in self._preview.dates:
            option = f'"last" with order_by = {quoted(column)}'
            try:
                ties = self._count_ties(key.column, column)
            except InputError as problem:
                facts.append(f"{column} cannot order them: {problem.message}")
                if problem.add is not None and problem.add[0] == "date_order":
                    facts[-1] = f"{option} needs date_order ({problem.hint})"
                continue
            facts.append(f"{option} leaves {ties:,} undecided" if ties else f"{option} decides all")
        values = f"{key.repeated:,} values of {key.column} have several rows"
        if key.repeated == 1:
            values = f"1 value of {key.column} has several rows"
        choices = "; ".join(facts) or "no column has dates"
        return f'{values}. "first" or "last", by the order of the file; {choices}'

    def _count_ties(self, key_column: str, date_column: str) -> int:
        """Return how many keys have several latest rows with different values to send."""
        at_key = self._columns.index(key_column)
        sent = [self._columns.index(column) for column in self._column_of.values()]
        order = OrderReader(
            self._columns.index(date_column),
            date_column,
            self._recipe.thousands,
            self._recipe.date_order,
        )
        for row in self._table.readable_rows():
            order.observe(row)
        order.finish()
        # By key: the latest value, and the contents of the rows with that value.
        latest = dict[str, tuple[str, set[str]]]()
        for row in self._table.readable_rows():
            key, value = cell_at(row.cells, at_key), order.read(row)
            value = "" if value.startswith(UNREADABLE) else value
            content = str([cell_at(row.cells, at) for at in sent])
            best, contents = latest.get(key, ("", set()))
            if value > best or not contents:
                latest[key] = value, {content}
            elif value == best:
                contents.add(content)
        return sum(len(contents) > 1 for key, (_, contents) in latest.items() if key)

    def _add_values(self, name: str) -> None:
        """Ask for the meaning of each value that the field does not allow, with its count."""
        is_label = name == "category_id" and not self._recipe.categories
        path = ("categories",) if is_label else ("value_map", name)
        mapped = {*map(folded_text, self._recipe.value_map.get(name, ()))}
        spellings = dict[str, str]()  # by folded text, the most common spelling
        for value in self._preview.values:
            folded = folded_text(value.text)
            if value.field == name and folded not in mapped and folded not in spellings:
                spellings[folded] = value.text
                self._comments[*path, value.text] = count_text(value.count, "row")
        if not spellings:
            return
        table = self._options
        for part in path:
            table = table.setdefault(part, {})
        table.update(dict.fromkeys(islice(spellings.values(), _MAX_VALUES), PLACEHOLDER))
        if len(spellings) > _MAX_VALUES:
            self._options.setdefault("fallback", {})[name] = PLACEHOLDER
            more = f"{self._column_of[name]} has {len(spellings) - _MAX_VALUES:,} more values"
            self._comments["fallback", name] = more

    def _add_thousands(self) -> None:
        """Ask what separates the digits of category ids, with both readings of the first one."""
        if self._recipe.thousands is not None:
            return
        grouped = {
            text: count
            for text, count in self._preview.value_counts.get("category_id", Counter()).items()
            if both_readings(text)
        }
        if not grouped:
            return
        column = self._column_of["category_id"]
        at, text = self._columns.index(column), next(iter(grouped))
        rows = self._table.readable_rows()
        line = next(row.line for row in rows if cell_at(row.cells, at) == text)
        self._options["thousands"] = PLACEHOLDER
        self._comments["thousands",] = (
            f"line {line}, {column} {short_text(text)}: {both_readings(text)}. "
            f"{count_text(sum(grouped.values()), 'row')} with such numbers"
        )

    def _defaults(self) -> list[str]:
        """Return commented-out defaults for the empty cells of required fields."""
        lines, key = list[str](), self._options.get("key")
        columns = [key] if isinstance(key, str) and key != PLACEHOLDER else self._likely_keys
        column = next(filter(None, columns), "COLUMN")
        for name, empty in self._preview.empty.items():
            if name in self._column_of and name not in self._recipe.defaults:
                fact = f"empty in {empty:,} of {count_text(self._preview.count, 'row')}"
                if name == "name":
                    fact += f"; {quoted(f'{{{column}}}')} inserts the value of {column}"
                lines.append(f"# {name} = {quoted(PLACEHOLDER)}  # {fact}")
        if not lines:
            return []
        return ["# [defaults]  # values for empty cells", *map(toml.clean_comment, lines)]
