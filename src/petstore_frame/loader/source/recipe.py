"""The recipe of one kind of file, and its draft for a person to fill in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.row_state import short_text
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER, quoted, word_of
from petstore_frame.loader.source.column_mapping import REQUIRED, listed, recognise
from petstore_frame.loader.source.csv_file import Input
from petstore_frame.loader.source.key_columns import (
    LikelyKey,
    Ranks,
    cell_at,
    likely_keys,
    proven_key,
)
from petstore_frame.loader.source.preview import Look
from petstore_frame.loader.source.recipe_options import RecipeFields, RecipeOptions, read_set
from petstore_frame.rendering import count_text
from petstore_frame.schema import FIELDS
from petstore_frame.storage import toml_files as toml
from petstore_frame.validation import before_sending

# A column of more different words than this is no list of labels or states.
_MOST_WORDS = 60
# In so many rows it is seen which columns are of dates.
_FOR_DATES = 50


class Recipe(RecipeFields):
    """How a kind of file is read: write it once, and give it with each file of the kind.

    A ``"?"`` is a blank: in ``key``, ``keep`` or ``mapping`` the load is refused, and a word whose
    meaning is a blank leaves its rows to fix. It holds no address, no API key and no folder.

    Raises:
        ArgumentError: A word is unknown, or its value cannot be used; it names both.

    Example:
        >>> import petstore_frame as pf
        >>> pf.Recipe(key="Tag no", categories={"Dog": 1}).replace(keep="last")
        Recipe(key=('Tag no',), keep='last', categories={'Dog': 1})

    Interface: Resources, NewPet (the layout of a file is ours).
    """

    if TYPE_CHECKING:  # they would require each field, and by its checked type

        def __init__(self, **words: Unpack[RecipeOptions]) -> None: ...

    @classmethod
    def draft(cls, source: Any, **words: Unpack[RecipeOptions]) -> str:
        """Return a recipe for a file as TOML: what is proven, and a question mark for the rest.

        The whole file is read. Each question mark has the facts beside it.

        Args:
            source: What ``load`` reads.
            words: What is known of the file.

        Raises:
            InputError: The file cannot be read at all.
        """
        opened = Input(source)
        with opened.naming():
            return _Drafting(opened, cls(**words)).text()


@before_sending()
def as_recipe(
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None,
    words: Mapping[str, Any],
    texts: Iterable[str] = (),
) -> Recipe:
    """Return a recipe, given as such, as a dict or as a file, with words that win over its own.

    ``texts`` are words as a shell has them, ``OPTION=VALUE``.

    Raises:
        ArgumentError: It is none of these, or a word cannot be used.
        InputError: The file cannot be read as a recipe, or leaves open what nobody says.
    """
    path = Path(fspath(recipe)) if isinstance(recipe, str | PathLike) else None
    if path is not None:
        recipe = Recipe.read(path)
    elif isinstance(recipe, Mapping):
        recipe = Recipe(**recipe)
    elif not isinstance(recipe, Recipe | None):
        kind = type(recipe).__name__
        raise ArgumentError(f"recipe= is a Recipe, a dict or the path of its file, got {kind}")
    found = (recipe or Recipe()).with_words(**{**read_set(texts), **words})
    found.reject_placeholders(path)
    return found


class _Drafting:
    """What is known of a file's recipe, with the facts beside each word."""

    def __init__(self, opened: Input, known: Recipe) -> None:
        self._known, self._remarks = known, list[str]()
        asked = Look.of(opened, known, rows=0, most=0)
        reading = asked.reading.replace(mapping=known.mapping)
        self._table = opened.table(reading)
        self._columns = self._table.columns
        self._found = recognise(self._columns, known.mapping, known.defaults)
        # By field the certain column, or the likeliest: all is counted in these.
        self._column_of = column_of = dict(self._found.mapping)
        for name, likely in self._found.likely.items():
            free = [column for column in likely if column not in column_of.values()]
            if free:
                column_of[name] = free[0]
        without = {name: PLACEHOLDER for name in self._found.missing if name not in column_of}
        counted = reading.replace(
            mapping={**known.mapping, **column_of}, defaults={**without, **known.defaults}
        )
        self._seen = Look.of(opened, counted, rows=_FOR_DATES)
        self._words, self._notes = reading.to_dict(), known.comments()
        for question in (*asked.questions, *self._seen.questions):
            if question.add is None:
                self._remarks.append(str(question))
            elif question.add[0] in ("encoding", "delimiter", "header_row", "sheet"):
                self._notes[question.add[0],] = question.hint

    def text(self) -> str:
        """Return what is proven, and ask for the rest."""
        self._add_mapping()
        self._add_key()
        self._add_words("category_id")
        self._add_words("status")
        rows = count_text(self._seen.count, "row")
        head = f"{self._seen.name}: {rows}. Replace each question mark."
        comments = [f"# {' '.join(each.split())}" for each in (head, *self._remarks)]
        recipe = type(self._known)(**self._words)  # which spells the words, in their order
        body = toml.toml_of(recipe.to_dict(), self._notes)
        return "\n".join([*comments, body, *self._defaults()])

    def _add_mapping(self) -> None:
        """Fill in the columns whose names are a field's own; ask for the others."""
        found, mapping = self._found, dict(self._known.mapping)
        counts = self._seen.words.get("status", Counter())
        statuses = [word for word, _ in counts.most_common() if word]
        # Never a status from a column whose words are not statuses.
        is_none = statuses and not {*map(word_of, statuses)} & {*FIELDS.named("status").values}
        for name in FIELDS.sent.names:
            column, likely = found.mapping.get(name), found.likely.get(name, [])
            if column is not None and (name in mapping or name != "status" or not is_none):
                mapping[name] = column
                continue
            likely = [column] if column else likely
            is_needed = name in REQUIRED and name not in self._known.defaults
            if name in mapping or not (likely or is_needed):
                continue
            mapping[name] = PLACEHOLDER
            note = f"{' or '.join(map(quoted, likely[:3]))}?"
            if not likely:
                note = f"which column? {listed(self._columns)}; without one, take this line out "
                note += "and say it under [defaults]"
            if name == "status":
                note += f' "" leaves it out; its words: {", ".join(map(short_text, statuses[:3]))}'
            self._notes["mapping", name] = note
        self._words["mapping"] = mapping

    def _add_key(self) -> None:
        """State the key where it is proven, else ask, with the facts of each likely column."""
        keys = likely_keys(self._columns, self._table.cells(), self._column_of)
        chosen = self._known.key
        if chosen is None and keys:
            proven = proven_key(keys)
            self._words["key"] = PLACEHOLDER if proven is None else proven.column
            self._notes["key",] = "; ".join(map(str, keys)) + '; "" if none identifies an animal'
        elif chosen is None:
            remark = 'No column is called like an animal\'s number. If one is: key = "COLUMN"'
            self._remarks.append(remark)
        repeating = [
            each for each in keys if each.repeated
            and (not each.is_of_others if chosen is None else each.column in chosen)
        ]  # fmt: skip
        if repeating and self._known.keep is None:
            self._words["keep"] = PLACEHOLDER
            self._notes["keep",] = self._ties(repeating[0])

    def _ties(self, key: LikelyKey) -> str:
        """Return which columns of dates say what row is newest, and what each leaves open."""
        import pandas as pd

        at_key, *sent = map(self._columns.index, (key.column, *self._column_of.values()))
        facts = []
        for column in self._seen.dates:
            at = self._columns.index(column)
            try:
                ranks = Ranks(at, column, self._table.cells())
            except InputError as problem:
                facts.append(f"{column}: {problem.message}")
                continue
            rows = pd.DataFrame(
                (cell_at(cells, at_key), ranks.of(cells), str([cell_at(cells, at) for at in sent]))
                for cells in self._table.cells()
            )
            newest = rows[rows[1] == rows.groupby(0)[1].transform("max")]
            ties = int((newest.groupby(0)[2].nunique() > 1).sum())
            facts.append(f'order_by = "{column}" leaves {ties:,} open')
        repeated = f"{key.repeated:,} of {key.column} stand in several rows"
        return f"{repeated}: first, last, {'; '.join(facts) or 'no column has dates'}"

    def _add_words(self, name: str) -> None:
        """Ask for the meaning of each word that the field does not allow, with its count."""
        known, asked = self._known, dict[str, str]()
        is_label = name == "category_id" and not known.categories
        place = ("categories",) if is_label else ("value_map", name)
        mapped = {*map(word_of, known.value_map.get(name, ()))}
        for each in self._seen.values:
            word = word_of(each.text)
            if each.field == name and word not in mapped and word not in asked:
                asked[word] = each.text  # as spelled most
                self._notes[*place, each.text] = count_text(each.count, "row")
        table = self._words
        for part in place if asked else ():
            table = table.setdefault(part, {})
        table.update(dict.fromkeys(islice(asked.values(), _MOST_WORDS), PLACEHOLDER))
        if len(asked) > _MOST_WORDS:
            self._words.setdefault("fallback", {})[name] = PLACEHOLDER
            more = f"{self._column_of[name]} has {len(asked) - _MOST_WORDS:,} more words"
            self._notes["fallback", name] = more

    def _defaults(self) -> list[str]:
        """Return in comments what could stand for the empty cells of a required field."""
        lines, key = list[str](), self._words.get("key") or PLACEHOLDER
        column = "COLUMN" if key == PLACEHOLDER or not isinstance(key, str) else key
        for name, empty in self._seen.empty.items():
            if name in self._column_of and name not in self._known.defaults:
                example = f"Unnamed {{{column}}}" if name == "name" else PLACEHOLDER
                rows = f"{empty:,} of {count_text(self._seen.count, 'row')}"
                lines.append(f"# {name} = {quoted(example)}  # empty in {rows}")
        return ["# [defaults]  # what an empty cell becomes", *lines] if lines else []
