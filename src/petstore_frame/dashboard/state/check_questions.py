"""The questions of the Check step, and what an answer does: pure functions of a state."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from petstore_frame.dashboard.state import step_questions
from petstore_frame.dashboard.state.category_numbers import CategoryNumbers
from petstore_frame.dashboard.state.file_values import fold, without_categories
from petstore_frame.dashboard.state.import_state import FileRow, ImportState
from petstore_frame.dashboard.state.store_state import (
    EARLIER_NAMES,
    RENAME,
    agreed_names,
    conflicts_of,
    with_earlier_names,
)
from petstore_frame.loader import ImportSummary, JournalRow, RowGroup, Suspicion
from petstore_frame.questions import YES, Example, Name, Question, Step
from petstore_frame.rendering import shorten
from petstore_frame.schema import FIELDS, count_text

Subject = Sequence[str | int]  # the parts of a name after its kind
SAME, DIFFERENT = "They are the same animals", "They are different animals"
ONE_LINE = {"": "as above", "new": "a new animal", "exclude": "don't import it"}
LATEST = "the last by "
KEEP = {"last": "the last in the file", "first": "the first in the file"}
CONFLICT, LONGEST, EXAMPLES, MAX_TEXTS = "key_repeated", 40, 4, 10
SUSPICIOUS = {
    Suspicion.TOTAL_ROW: "Import the totals rows",
    Suspicion.UNLISTED_CATEGORY: "Import the rows whose category is not in the list",
    Suspicion.SWALLOWED_ROWS: "Import the rows with a cell that seems to contain other rows",
    Suspicion.HIDDEN_ROW: "Import the hidden rows",
    Suspicion.LARGE_QUANTITY: "Import the rows with a very large number of animals",
    Suspicion.WRAPPED_NAMES: "Import the names with their quotes and HTML entities",
}
# A birthday does not tell which row is newer.
_BIRTHDAY = re.compile(
    r"birth|born|\bdob\b|geburt|geboren|naissance|nacimiento|nascita|nascimento|geboorte|född|født",
    re.IGNORECASE,
)


def questions(state: ImportState) -> list[Question]:
    """Return the questions of the Check step, with their present answers."""
    if not step_questions.has_values(state):
        return []
    if state.dry_run is None:
        return [*_load_question(state)]
    return [
        *_load_question(state),
        *_duplicate_questions(state),
        *_keep_question(state),
        *_cell_questions(state),
        *_allow_questions(state),
        *_other_questions(state),
    ]


def answer(state: ImportState, name: Name, text: str) -> ImportState:
    """Return the state after an answer to a question of any step.

    Raises:
        ArgumentError: The answer is not possible.
    """
    kind, *subject = (name,) if isinstance(name, str) else name
    if kind in _ANSWERS:
        return _ANSWERS[kind](state, subject, text)
    return step_questions.answer(state, name, text)


# The groups of rows that need an answer or a correction.
NEED_ANSWER = (RowGroup.POSSIBLE_DUPLICATE, RowGroup.NEED_FIXING, RowGroup.REJECTED)


def open_rows(state: ImportState) -> int:
    """Return how many rows wait for an answer or a correction."""
    if state.dry_run is None:
        return 0
    return sum(state.dry_run.facts.groups[group] for group in NEED_ANSWER)


def open_texts(facts: ImportSummary) -> list[str]:
    """Return what the rows of a file that was sent still need, as sentences."""
    sentences = []
    if waiting := facts.groups[RowGroup.POSSIBLE_DUPLICATE]:
        sentences.append(f"{count_text(waiting, 'row')} may be loaded already: answer in step 4.")
    for cause in facts.causes:
        sentence = f"{cause.text}."
        if kind := cause.problem.allow:
            pronoun = "it" if cause.rows == 1 else "them"
            sentence += f" To import {pronoun}, tick “{SUSPICIOUS[Suspicion(kind)]}” in step 4."
        sentences.append(sentence)
    if facts.open_rows is not None:
        for line, pets in facts.open_rows.candidates.items():
            sentences.append(f"Line {line} may be pet {', '.join(map(str, pets))}.")
        sentences += facts.open_rows.notes
    if len(sentences) > MAX_TEXTS:
        return [*sentences[:MAX_TEXTS], f"And {len(sentences) - MAX_TEXTS:,} more."]
    return sentences


def _load_question(state: ImportState) -> Iterator[Question]:
    """Yield the question that the load would ask, such as about names of categories."""
    question = state.question
    if question is not None and question.name == RENAME:
        yield with_earlier_names(question)
    elif question is not None:
        yield question
    elif state.rename_categories:
        numbers = ", ".join(map(str, sorted(state.rename_categories)))
        yield Question(
            RENAME,
            f"Your list is right about {numbers}",
            answers=(Step(YES),),
            value=YES,
        )


def _with_names(state: ImportState, _: Subject, text: str) -> ImportState:
    question = state.question
    if question is None:  # a confirmed list, which is not confirmed any more
        return replace(state, rename_categories=frozenset())
    numbers = conflicts_of(question)
    if text != EARLIER_NAMES:
        return replace(state, rename_categories=state.rename_categories | numbers)
    names = agreed_names(question, state.categories.names, state.earlier_names)
    recipe = without_categories(state.recipe, numbers).replace(categories=names)
    categories = state.categories._replace(names=names)
    return replace(state, categories=categories, recipe=recipe)


# Possible duplicates.


def _duplicate_questions(state: ImportState) -> Iterator[Question]:
    dry_run = state.dry_run
    if dry_run is None:
        return
    waiting = dry_run.facts.groups[RowGroup.POSSIBLE_DUPLICATE]
    value = {"skip": SAME, "create": DIFFERENT}.get(state.duplicates or "")
    if waiting or value:
        text = f"{count_text(waiting, 'row')} may be animals that are already loaded"
        if not waiting:
            text = "Rows that may be animals that are already loaded"
        yield Question(
            "duplicates",
            text,
            answers=(
                Step(SAME, effect="nothing is added for these rows"),
                Step(DIFFERENT, effect="they are added as new animals"),
            ),
            note="" if value else "Until you answer, these rows are not sent.",
            value=value,
        )
    lines = {row.line: row for row in dry_run.possible}
    for row in lines.values():
        yield Question(
            ("duplicate", row.line),
            f"line {row.line}: {pet_text(row.payload, state.categories)}",
            answers=tuple(map(Step, ONE_LINE.values())),
            note=f"looks like {_possible_text(row, state.categories)}",
            value=_line_value(state, row.line),
        )
    for line in sorted((state.new_lines | state.excluded_lines) - lines.keys()):
        yield Question(
            ("duplicate", line),
            f"line {line}",
            answers=tuple(map(Step, ONE_LINE.values())),
            value=_line_value(state, line),
        )


def _line_value(state: ImportState, line: int) -> str:
    if line in state.new_lines:
        return ONE_LINE["new"]
    return ONE_LINE["exclude" if line in state.excluded_lines else ""]


def _with_duplicates(state: ImportState, _: Subject, text: str) -> ImportState:
    return replace(state, duplicates={SAME: "skip", DIFFERENT: "create"}.get(text))


def _with_line(state: ImportState, subject: Subject, text: str) -> ImportState:
    line = int(subject[0])
    new_lines, excluded = state.new_lines - {line}, state.excluded_lines - {line}
    if text == ONE_LINE["new"]:
        new_lines |= {line}
    elif text == ONE_LINE["exclude"]:
        excluded |= {line}
    return replace(state, new_lines=new_lines, excluded_lines=excluded)


def pet_text(body: bytes | None, categories: CategoryNumbers) -> str:
    """Describe a pet in JSON in a few words.

    Example:
        >>> pet = b'{"name":"Luna","categoryId":3,"status":"sold"}'
        >>> pet_text(pet, CategoryNumbers({3: "Cat"}))
        'Luna, Cat, sold'
    """
    values = json.loads(body) if body else {}
    parts = []
    for field in FIELDS.sent:
        value = values.get(field.wire_name)
        if value is not None and field.name == "category_id":
            value = categories.names.get(value, f"category {value}")
        if value is not None:
            parts.append(str(value))
    return ", ".join(parts)


def _possible_text(row: JournalRow, categories: CategoryNumbers) -> str:
    possible = row.possible
    if possible is None:
        return ""
    if possible.same_line is not None:
        return f"line {possible.same_line} of this file"
    text = pet_text(possible.payload, categories)
    origin = f"from {possible.source}" if possible.source else "in the store"
    pet = "" if possible.pet_id is None else f" (pet {possible.pet_id})"
    return f"{text}{pet}, {origin}"


# Several rows of one key.


def _keep_question(state: ImportState) -> Iterator[Question]:
    """Yield the question which of several rows of an animal to use, with an example."""
    dry_run, recipe, preview = state.dry_run, state.recipe, state.preview
    if dry_run is None or preview is None:
        return
    conflicts = [row for row in dry_run.to_fix if _needs_rule(row)]
    if not conflicts and recipe.keep is None:
        return
    dates = [column for column in preview.dates if column.strip() and not is_birthday(column)]
    value = KEEP.get(recipe.keep or "")
    if recipe.order_by is not None:
        value = f"{LATEST}{recipe.order_by}"
    first_key = conflicts[0].key if conflicts else None
    examples = [row for row in conflicts if row.key == first_key][:EXAMPLES]
    answers = [*(f"{LATEST}{column}" for column in dates), *KEEP.values()]
    yield Question(
        "keep",
        f"Which row counts if one animal has several? {count_text(len(conflicts), 'row')} differ"
        if conflicts
        else "Which row counts if one animal has several?",
        examples=tuple(Example(row.line, _cells_text(row)) for row in examples),
        answers=tuple(map(Step, answers)),
        value=value,
    )


def _needs_rule(row: JournalRow) -> bool:
    """Return whether a rule that selects one row per animal would solve the problem of a row."""
    return any(problem.code == CONFLICT and problem.add is not None for problem in row.problems)


def _with_keep(state: ImportState, _: Subject, text: str) -> ImportState:
    keep = {label: value for value, label in KEEP.items()}.get(text)
    order_by = text.removeprefix(LATEST) if text.startswith(LATEST) else None
    if order_by is not None:
        keep = "last"
    return replace(state, recipe=state.recipe.replace(keep=keep, order_by=order_by))


def is_birthday(column: str) -> bool:
    """Return whether a column holds birthdays, which do not tell which row is newer.

    Example:
        >>> is_birthday("Date of Birth"), is_birthday("Geburtsdatum"), is_birthday("Outcome Date")
        (True, True, False)
    """
    return _BIRTHDAY.search(column.replace("_", " ")) is not None


# Cells to correct.


def _cell_questions(state: ImportState) -> Iterator[Question]:
    """Yield a question for each wrong cell, and for each cell that was corrected."""
    dry_run = state.dry_run
    if dry_run is None:
        return
    header = dry_run.facts.run.header
    asked = {(row.number, column): row for row, column in _wrong_cells(state)}
    rows = {row.number: _as_in_file(row) for row in dry_run.to_fix} | dict(state.corrected)
    for number, column in sorted({*asked, *state.corrections}):
        row, note = rows[number], "✓ corrected"
        if (number, column) in asked:
            problems = asked[number, column].problems
            note = "; ".join(item.message for item in problems if item.column == column)
        before = dict(zip(header, row.cells, strict=False)).get(column, "")
        yield Question(
            ("cell", number, column),
            f"line {row.line}, {column}: {_cells_text(row)}",
            note=note,
            value=state.corrections.get((number, column), before),
        )


def _wrong_cells(state: ImportState) -> Iterator[tuple[JournalRow, str]]:
    """Yield the wrong cells of the first rows, without those that will be fixed later."""
    dry_run, preview = state.dry_run, state.preview
    if dry_run is None or preview is None:
        return
    header, columns = dry_run.facts.run.header, preview.mapping
    postponed = {(columns.get(field, ""), text) for field, text in state.postponed}
    for row in dry_run.to_fix:
        cells = dict(zip(header, row.cells, strict=False))
        for problem in row.problems:
            column = problem.column
            if not column or problem.code == CONFLICT or problem.allow:
                continue
            if (column, fold(cells.get(column, ""))) not in postponed:
                yield row, column


def _with_cell(state: ImportState, subject: Subject, text: str) -> ImportState:
    """Return the state with a corrected cell; its original text removes the correction."""
    number, column = int(subject[0]), str(subject[1])
    dry_run = state.dry_run
    corrected, corrections = dict(state.corrected), dict(state.corrections)
    if dry_run is None:
        return state
    for row in dry_run.to_fix:
        if row.number == number:
            corrected.setdefault(number, _as_in_file(row))
    header = dry_run.facts.run.header
    before = dict(zip(header, corrected[number].cells, strict=False)).get(column, "")
    corrections[number, column] = text
    if text == before:
        del corrections[number, column]
    return replace(state, corrections=corrections, corrected=corrected)


def _as_in_file(row: JournalRow) -> FileRow:
    return FileRow(row.line, row.cells)


def _cells_text(row: JournalRow | FileRow) -> str:
    return shorten(", ".join(filter(None, (cell.strip() for cell in row.cells))), LONGEST)


# Rows that need a decision.


def _allow_questions(state: ImportState) -> Iterator[Question]:
    preview = state.preview
    suspicious: Mapping[str, int] = {} if preview is None else preview.suspicious
    for kind, rows in suspicious.items():
        yield Question(
            ("allow", kind),
            f"{SUSPICIOUS[Suspicion(kind)]} ({rows:,})",
            answers=(Step(YES),),
            value=YES if kind in state.recipe.allow else None,
        )


def _with_allowed(state: ImportState, subject: Subject, text: str) -> ImportState:
    allowed = {*state.recipe.allow, str(subject[0])}
    if text != YES:
        allowed.discard(str(subject[0]))
    return replace(state, recipe=state.recipe.replace(allow=sorted(allowed)))


def _other_questions(state: ImportState) -> Iterator[Question]:
    """Yield the decisions about the whole file that it needs."""
    dry_run = state.dry_run
    if dry_run is None:
        return
    facts = dry_run.facts
    texts: dict[str, tuple[str, bool]] = {}
    loaded = facts.groups[RowGroup.ALREADY_LOADED] + facts.groups[RowGroup.MATCHED]
    is_loaded = loaded > 0 and not state.pets_to_send
    if (is_loaded and facts.question is None) or state.as_new:
        rows = f" (adds {loaded:,} duplicates)" if loaded else ""
        texts["as_new"] = f"Import this whole file again as new animals{rows}", state.as_new
    not_found = _lines_not_found(state)
    if not_found:
        text = f"Send the {count_text(len(not_found), 'missing animal')} again"
        texts["send_again"] = text, not_found <= state.new_lines
    if facts.is_held or state.send_valid_rows:
        texts["send_valid_rows"] = "Send the rows without problems anyway", state.send_valid_rows
    for name, (text, is_set) in texts.items():
        note = ""
        if name == "send_valid_rows" and facts.is_held:
            note = f"Nothing is sent yet, as most rows have one problem: {facts.common_cause}"
        yield Question(name, text, answers=(Step(YES),), note=note, value=YES if is_set else None)


def _lines_not_found(state: ImportState) -> frozenset[int]:
    if state.dry_run is None:
        return frozenset()
    return frozenset(row.line for row in state.dry_run.not_found)


def _with_file_as_new(state: ImportState, _: Subject, text: str) -> ImportState:
    return replace(state, as_new=text == YES)


def _with_valid_rows(state: ImportState, _: Subject, text: str) -> ImportState:
    return replace(state, send_valid_rows=text == YES)


def _with_missing_animals(state: ImportState, _: Subject, text: str) -> ImportState:
    not_found = _lines_not_found(state)
    lines = not_found if text == YES else frozenset[int]()
    return replace(state, new_lines=(state.new_lines - not_found) | lines)


_ANSWERS: dict[str | int, Callable[[ImportState, Subject, str], ImportState]] = {
    RENAME: _with_names,
    "duplicates": _with_duplicates,
    "duplicate": _with_line,
    "keep": _with_keep,
    "cell": _with_cell,
    "allow": _with_allowed,
    "as_new": _with_file_as_new,
    "send_valid_rows": _with_valid_rows,
    "send_again": _with_missing_animals,
}
# A load asks these too.
ANSWERED_BY_NAME = frozenset(_ANSWERS)
