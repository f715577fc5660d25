"""Breaks one rule of identity after another, and names those that no test notices.

    python tests/campaigns/mutations.py [PART OF A NAME]

Each edit is made in a copy of the package, which is then tested with the tests that must fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LOADER = "petstore_frame/loader"
RULES = "tests/unit/loader/matching"
STORIES = "tests/faults/test_stories_look_alikes.py"


class Edit(NamedTuple):
    """One rule that is broken: a text of a file, what replaces it, and the tests that must fail."""

    name: str
    file: str
    old: str
    new: str
    tests: str


EDITS = [
    Edit("half of what is left is asked about", f"{LOADER}/matching/match.py",
         "if not (first.plan.few and", "if True or not (first.plan.few and", RULES),
    Edit("many is a quarter", f"{LOADER}/matching/thresholds.py",
         "of <= _QUARTER * count", "of <= 100 * count", RULES),
    Edit("many is at least three", f"{LOADER}/matching/thresholds.py",
         "LEAST = 3", "LEAST = 1", RULES),
    Edit("equal content of the same status is paired first", f"{LOADER}/matching/by_content.py",
         "(row.number, row.payload)", "(row.number, None)", RULES),
    Edit("an animal of a key reads like the row", f"{LOADER}/matching/by_key.py",
         "return min(sent, key=difference)", "return sent[0]", RULES),
    Edit("a sent animal of a key comes first", f"{LOADER}/matching/by_key.py",
         "(animal.is_sent, animal.content == row.content, animal.id)", "animal.id", RULES),
    Edit("answered before", f"{LOADER}/matching/by_key.py",
         "(chosen.id, row.content) in earlier", "False", RULES),
    Edit("a name from defaults is no name", f"{LOADER}/matching/values.py",
         "if row.has_default_name or animal.has_default_name:", "if False:", RULES),
    Edit("a word is no key", f"{LOADER}/matching/not_keys.py",
         "return bool(key) and all(", "return False and all(", RULES),
    Edit("two lists in one file", f"{LOADER}/matching/repeated_keys.py",
         "is_many(len(renamed), repeated) and", "False and", RULES),
    Edit("name and category make another animal", f"{LOADER}/matching/repeated_keys.py",
         "if len(_names(rows)) > 1 and len(_categories(rows)) > 1:", "if False:", RULES),
    Edit("rows are ranked before they are excluded", f"{LOADER}/matching/repeated_keys.py",
         "if all(row.is_excluded for row in rows):", "if False:", RULES),
    Edit("a longer key needs equal content", f"{LOADER}/matching/by_key.py",
         "animals_of_content.get(row.content, ())",
         "[a for each in animals_of_content.values() for a in each]", RULES),
    Edit("a longer key is not in this file", f"{LOADER}/matching/by_key.py",
         "if not is_in_file and any(", "if any(", RULES),
    Edit("rounded numbers", f"{LOADER}/matching/by_key.py",
         '"" in is_rounded', "False", RULES),
    Edit("new pets of others only", f"{LOADER}/matching/by_store.py",
         "pairs.items() if pet.is_new and", "pairs.items() if", RULES),
    Edit("nine in ten", f"{LOADER}/matching/by_store.py",
         "if is_nearly_all:", "if False:", RULES),
    Edit("five different contents", f"{LOADER}/matching/by_store.py",
         "_LEAST_CONTENTS, _NEARLY_ALL = 5, 0.9", "_LEAST_CONTENTS, _NEARLY_ALL = 1, 0.9", RULES),
    Edit("before the first load any pet is asked about", f"{LOADER}/matching/by_store.py",
         "or (is_first and found)", "", RULES),
    Edit("renamed pets are there", f"{LOADER}/matching/gone.py",
         "(replaced if is_other else renamed).append(match)", "replaced.append(match)", RULES),
    Edit("many renamed pets are absent", f"{LOADER}/matching/gone.py",
         "are_replaced = is_many(len(renamed), len(shown))", "are_replaced = False", RULES),
    Edit("unsent animals move", f"{LOADER}/matching/match.py",
         "self._assign(match_, By.MOVED)", "pass", RULES),
    Edit("a life for each equal pet", f"{LOADER}/matching/match.py",
         "equal[match_.pet.content] for", "0 for", RULES),
    Edit("dragged fix rows", f"{LOADER}/matching/fix_rows.py",
         "if row.content in contents:", "if True:", RULES),
    Edit("a fix row keeps its key", f"{LOADER}/matching/fix_rows.py",
         "not has_its_key and not original.has_key_problem", "False", RULES),
    Edit("pets of others are remembered", f"{LOADER}/journal/store_check.py",
         "if header is not None:", "if False:", STORIES),
    Edit("skip is taken back", f"{LOADER}/journal/release.py",
         "if answer == CREATE:", "if False:", STORIES),
    Edit("a key that skip gave is released", f"{LOADER}/journal/release.py",
         "if not has_own_keys:", "if False:", STORIES),
    Edit("a plain word reverses nothing", f"{LOADER}/load_options.py",
         "dict(self.answers) if isinstance(self.duplicates, Mapping) else {}",
         "dict(self.answers)", STORIES),
    Edit("the key is read from earlier files", f"{LOADER}/journal/header_keys.py",
         "_read_keys(sql, number, run, columns)", "pass", STORIES),
    Edit("a key is remembered for its header", f"{LOADER}/loading.py",
         "if key is not None:\n        recipe", "if False:\n        recipe", STORIES),
    Edit("a gone pet that was answered is not asked about", f"{LOADER}/journal/store_check.py",
         'if reason != ANSWERED or named_answers.get("gone") == CREATE:', "if True:", STORIES),
    Edit("an invisible character", "petstore_frame/schema/folding.py",
         '_INVISIBLE.sub("", text)', "text", "tests/unit/schema/test_folding.py"),
    Edit("dates made of keys", f"{LOADER}/journal/situation.py",
         "if not has_other_keys_before and", "if True or", STORIES),
    Edit("the grace of a request", f"{LOADER}/load_options.py",
         "GRACE_S = 240.0", "GRACE_S = 24.0", "tests/faults/test_load_settling.py"),
]  # fmt: skip


def survives(edit: Edit) -> bool:
    """Return whether the tests that must fail pass although the rule is broken."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "src")
        shutil.copytree(ROOT / "src", copy)
        path = copy / edit.file
        text = path.read_text(encoding="utf-8")
        if edit.old not in text:
            raise SystemExit(f"{edit.name}: {edit.file} has no {edit.old!r}; correct this list")
        path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", edit.tests]
        environment = os.environ | {"PYTHONPATH": str(copy)}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
        return done.returncode == 0


def main() -> None:
    """Try each edit, and print a table; the exit code is the number of edits that survive."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    survivors = 0
    print("| rule | tests | noticed |\n|---|---|---|")
    for edit in EDITS:
        if part in edit.name:
            is_survivor = survives(edit)
            survivors += is_survivor
            print(f"| {edit.name} | {edit.tests} | {'NO' if is_survivor else 'yes'} |", flush=True)
    sys.exit(survivors)


if __name__ == "__main__":
    main()
