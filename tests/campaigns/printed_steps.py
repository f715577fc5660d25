"""Pastes every printed step of every unusual file, and compares the store with the animals in it.

    PYTHONPATH=tests python tests/campaigns/printed_steps.py [--depth 3] [FILE ...]

A step with a question mark cannot be pasted; where a file goes no further without an answer, the
likely one is given. Pasted steps follow each other, as long as each prints others. Of each load:

- lost: an animal that a person sees in the file, and that no row is left for.
- junk: a pet of the store that is no animal of the file.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import chdir, suppress
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import petstore_frame as pf
from petstore_frame.testing import FakeStore, fake_store

INPUTS = Path(__file__).parents[1] / "unit" / "loader" / "inputs"
_ADD = re.compile(r"(?:^|; )\s*add (.+)$", re.MULTILINE)
_CALL = re.compile(r"^ +((?:pf|result)\..+)$", re.MULTILINE)
_TWO, _DOG = ["Rex", "Bo"], ["Rex, the dog"]
# The names of the animals that a person sees in each file; a file that is not here has none.
ANIMALS: dict[str, list[str]] = {
    "01_utf8_bom.csv": ["Rex"], "02_utf16_be_no_bom.csv": ["Łatka"], "02_utf16_bom.csv": ["Łatka"],
    "02_utf16_no_bom.csv": ["Rex"], "03_cp1252.csv": ["Rex", "Zoë"],
    "04_mojibake.csv": ["ZoÃ«", "Zoë", "Chuyâ€™s", "Ã"], "05_packed.csv.gz": ["Rex"],
    "05_pipe.csv": ["Rex; the dog"], "05_semicolon.csv": _DOG, "05_tab.tsv": _DOG,
    "06_sep_line.csv": ["Rex"], "07_cr_only.csv": _TWO, "07_mixed_ends.csv": [*_TWO, "Max"],
    "08_quoted_newline.csv": ["Rex\nthe brave", "Bo"],
    "09_quote_closed_later.csv": [*_TWO, "Max"], "09_unclosed_quote.csv": [*_TWO, "Max"],
    "10_stray_quote.csv": ["Rex", '"Rex"x'], "11_short_rows.csv": [*_TWO, "Max"],
    "12_long_rows.csv": _TWO, "13_trailing_commas.csv": _TWO, "14_blank_lines.csv": _TWO,
    "15_two_columns_one_field.csv": ["Rex"], "16_no_header.csv": _TWO,
    "17_odd_headers.csv": ["Rex"],
    "19_nul.csv": ["Max"], "21_grouped_digits.csv": [*_TWO, "Max"],
    "22_decimals.csv": [*_TWO, "Max", "Luna"], "23_int64.csv": [*_TWO, "Max", "Luna"],
    "24_leading_zeros.csv": ["Rex", "007", "Bo"], "25_statuses.csv": [*"ABCDEF"],
    "26_words.csv": ["NA", "null", "None", "nan", "N/A", "TRUE", "1e5", "inf", "1-2", "NULL",
                     "#N/A", "-"],
    "27_formulas.csv": ["=cmd()", "+1", "@x", "-2", '=HYPERLINK("x","y")'],
    "28_unicode.csv": ["\U0001f415\u200d\U0001f9ba", "e\u0301", "\u00e9", "한"],
    "29_directions.csv": ["כלב", "Rex\u202e", "Bo\u200b"], "30_total_row.csv": _TWO,
    "31_swallowed_note.csv": ["Rex", "Max", "Luna", "Bo"],
    "31_swallowed_rows.csv": ["Rex", "Max", "Luna", "Bo"],
    "32_labels.csv": [*_TWO, "Max", "Luna"], "33_statuses_of_ones_own.csv": [*_TWO, "Max", "Luna"],
    "34_title.csv": ["Rex"], "35_two_row_header.csv": _TWO, "36_colon.csv": ["Rex"],
    "36_fullwidth_comma.csv": ["Rex"], "37_german.csv": ["Rex"], "37_spanish.csv": ["Rex"],
    "37_spanish_statuses.csv": _TWO, "37_state.csv": _TWO,
    "37_statuses_without_a_name.csv": [*_TWO, "Mia"], "38_one_bad_line.csv": ["Zoë"],
    "39_web_names.csv": ["https://example.org/rex", "www.rex.example", "Re\tx"],
    "40_entities.csv": ["Tom & Jerry", "Max"], "40_formula_names.csv": ["Luna", "Max"],
    "40_quoted_names.csv": ["Luna", "Max"],
    "40_some_quoted_names.csv": ["Luna, the cat", "Max", "Bo"],
    "40_space_and_quotes.csv": ["Luna", "Max"],
    "41_faults_as_names.csv": ["nan", "<NA>", "(null)", "[null]", "\\N"],
    "42_cp1250.csv": ["Łatka", "Żaba"], "42_cp1251.csv": ["Барсик", "Мурка"],
    "42_gbk.csv": ["小白", "旺财"], "42_mac_roman.csv": ["Zoë", "Jürgen"],
    "42_shift_jis.csv": ["さくら", "タロウ"], "43_escaped_quotes.csv": ['Rex \\"the dog\\"'],
    "44_total_in_any_cell.csv": ["Rex"],
    "44_totals_as_names.csv": ["Count Dracula", "101 Dalmatians"],
    "45_invisible.csv": ["Rex"], "46_rows_in_quotes.csv": ["Rex"], "47_comma_in_header.csv": _TWO,
    "48_comments.csv": ["Rex"], "49_list.jsonl": _TWO, "49_list.parquet": ["Rex"],
    "51_keys.csv": [*"ABCDEF"], "52_dates_and_numbers.csv": [*"AB"],
    "52_dates_two_ways.csv": [*"AB"], "52_two_digit_years.csv": [*"AB"],
    "53_rows_in_quotes_below_header.csv": ["Luna", "Max"],
    "53_some_rows_in_quotes.csv": ["Rex", "Luna", "Max, the dog"],
    "54_single_quotes.csv": ["Luna, the cat", "Max", "Bo"],
    "54_single_quotes_in_all_cells.csv": ["Luna", "Max"],
    "54_single_quotes_in_header.csv": ["Luna, the cat", "Max"],
    "55_digits_with_spaces.csv": ["Luna", "Max", "Bo", "Rex"], "56_footers.csv": ["Rex"],
    "57_repeated_header.csv": _TWO, "58_errors_in_all_columns.csv": [*_TWO, "Max"],
    "59_decimal_commas.csv": [*_TWO, "Max", "Luna"], "60_formula_categories.csv": ["Rex"],
    "60_formulas_in_all_columns.csv": ["007", "Luna"], "61_fixed_width.txt": ["Luna"],
    "61_markdown.md": ["Rex"], "61_script.sql": ["Luna"], "62_one_column.csv": _TWO,
    "63_long_lines.csv": ["Rex", "Möhre"], "64_name_twice.jsonl": ["Rex"],
    "65_dogs_named_count.csv": ["Rex", "Count", "Sum", "Total"],
    "66_lines_of_other_programs.csv": ["Rex", "Unnamed T2"],
    "67_lines_without_a_category.csv": _TWO,
}  # fmt: skip
# A row whose name was not given yet, as its default would name it, is in no cell.
_UNNAMED = "Unnamed "
# Options that a user gave, because only they know them.
STATED: dict[str, list[dict[str, Any]]] = {
    "16_no_header.csv": [{"columns": ["name", "category_id", "status"]}],
    "44_total_in_any_cell.csv": [{"key": "Nr"}],
    "51_keys.csv": [{"key": "tag"}],
    "62_one_column.csv": [{"defaults": {"category_id": 3}}],
    "65_dogs_named_count.csv": [{"key": "animal_id"}],
    "66_lines_of_other_programs.csv": [
        {"key": "tag"},
        {"key": "tag", "defaults": {"category_id": 3}},
    ],
    "67_lines_without_a_category.csv": [{"defaults": {"category_id": 3}, "key": "tag"}],
}
# What a person answers to a question mark, if it is not what the error calls likely.
ANSWERS: dict[str, dict[str, Any]] = {
    "10_stray_quote.csv": {"quoting": "none"},
    "15_two_columns_one_field.csv": {"mapping": {"category_id": "Category ID"}},
    "36_colon.csv": {"delimiter": ":"},
    "36_fullwidth_comma.csv": {"delimiter": "\uff0c"},
    "37_statuses_without_a_name.csv": {"mapping": {"status": "Observação"}},
    "42_cp1250.csv": {"encoding": "cp1250"},
    "42_cp1251.csv": {"encoding": "cp1251"},
    "42_gbk.csv": {"encoding": "gbk"},
    "42_mac_roman.csv": {"encoding": "mac_roman"},
    "53_rows_in_quotes_below_header.csv": {"quoting": "unwrap", "mapping": {"category_id": "id"}},
}


@dataclass
class Tally:
    """What pasting made of the files."""

    files: int = 0
    loads: int = 0
    steps: int = 0
    lost: list[str] = field(default_factory=list)
    junk: list[str] = field(default_factory=list)


class Paster:
    """A folder and a store for one file, in which steps are pasted one after the other."""

    def __init__(self, path: Path, options: Mapping[str, Any]) -> None:
        self.path, self.options = path, dict(options)
        self.store: FakeStore = fake_store()
        self.client = self.store.client()
        self.error: pf.PetstoreError | None = None
        self.result: pf.LoadResult | None = None

    def load(self) -> str:
        """Run the call with all options so far; return what is printed."""
        self.error, self.result = None, None
        try:
            self.result = pf.load(
                self.path, self.client, journal="journal", progress=False, **self.options
            )
        except pf.PetstoreError as error:
            self.error, self.result = error, getattr(error, "result", None)
            return str(error) if self.result is None else f"{error}\n{self.result}"
        return str(self.result)

    def add(self, options: Mapping[str, Any]) -> None:
        """Add options to the call, as a user does: tables grow."""
        for option, value in options.items():
            before = self.options.get(option)
            if isinstance(before, dict) and isinstance(value, dict):
                value = {**before, **value}
            self.options[option] = value

    def paste(self, step: str) -> None:
        """Add an option as it was printed, or run a call as it was printed."""
        if step.startswith(("pf.", "result.")):
            with suppress(pf.PetstoreError):
                eval(step, {"pf": pf, "client": self.client, "result": self.result})
        else:
            self.add(eval(f"dict({step})"))

    def lost(self, animals: list[str]) -> list[str]:
        """Return the animals for which no row is left."""
        if self.result is None:
            return []
        frame = self.result.frame
        rest = frame[frame["state"].astype(str) != "excluded"]
        of_file = rest.iloc[:, : [*frame.columns].index("state")]  # then come ours
        rows = [",".join(map(str, cells)) for cells in of_file.to_numpy()]
        cells = unescape("\n".join(rows))  # a person reads &amp; as one sign
        created = {pet.name for pet in self.store.pets}
        return [
            name
            for name in animals
            if name not in created and name not in cells and not name.startswith(_UNNAMED)
        ]

    def junk(self, animals: list[str]) -> list[str]:
        """Return the pets of the store that are no animals."""
        return [pet.name for pet in self.store.pets if pet.name not in animals]


def steps_in(text: str) -> list[str]:
    """Return what can be pasted, as it was printed."""
    steps = [*_ADD.findall(text), *_CALL.findall(text)]
    return [step for step in dict.fromkeys(map(str.strip, steps)) if "?" not in step]


def answers_to(error: pf.PetstoreError | None, path: Path) -> dict[str, Any]:
    """Return the answer to what an error prints with a question mark."""
    if error is None or error.add is None or "?" not in str(error.add):
        return {}
    option, _ = error.add
    stated = ANSWERS.get(path.name, {})
    if option in stated:
        return stated
    questions = getattr(error, "questions", ())
    if not questions or any(question.likely is None for question in questions):
        return {}
    recipe = pf.Recipe()
    for question in questions:
        recipe = recipe.with_options(**question.stating(question.likely))
    return recipe.to_dict()


def paste_steps(path: Path, options: Mapping[str, Any], tally: Tally, depth: int) -> None:
    """Paste each step of a file, and the steps that it prints then."""
    waiting: list[list[str]] = [[]]
    tried = set[frozenset[str]]()
    while waiting:
        pasted = waiting.pop()
        if frozenset(pasted) in tried:
            continue
        tried.add(frozenset(pasted))
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            steps = _replay(path, options, pasted, tally)
        if len(pasted) < depth:
            waiting += [[*pasted, step] for step in steps if step not in pasted]


def _replay(path: Path, options: Mapping[str, Any], pasted: list[str], tally: Tally) -> list[str]:
    """Load a file and paste steps in their order; return the steps that are printed then."""
    animals = ANIMALS.get(path.name, [])
    paster = Paster(path, options)
    text = paster.load()
    answers = answers_to(paster.error, path)
    while answers and not answers.keys() <= paster.options.keys():
        paster.add(answers)
        text = paster.load()
        answers = answers_to(paster.error, path)
    for step in pasted:
        paster.paste(step)
        text = paster.load()
    tally.loads += 1
    tally.steps += bool(pasted)
    where = f"{path.name} {dict(options)} {pasted}"
    tally.lost += [f"{where}: {name}" for name in paster.lost(animals)]
    tally.junk += [f"{where}: {name}" for name in paster.junk(animals)]
    return steps_in(text)


def drafted(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the options of a drafted recipe, if it leaves nothing open."""
    with suppress(pf.PetstoreError):
        text = pf.Recipe.draft(path)
        options = tomllib.loads(text)
        if "?" not in str(options):
            yield options


def run(paths: list[Path], depth: int) -> Tally:
    """Paste the steps of files."""
    tally = Tally()
    for path in paths:
        tally.files += 1
        for options in [{}, *drafted(path), *STATED.get(path.name, [])]:
            paste_steps(path, options, tally, depth)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--depth", type=int, default=3)
    arguments = parser.parse_args()
    tally = run(arguments.files or sorted(INPUTS.iterdir()), arguments.depth)
    for kind in ("lost", "junk"):
        print(*(f"{kind}: {line}" for line in getattr(tally, kind)), sep=os.linesep)
    print(
        f"{tally.files} files, {tally.loads} loads, {tally.steps} steps pasted, "
        f"{len(tally.lost)} animals lost, {len(tally.junk)} junk created"
    )


if __name__ == "__main__":
    main()
