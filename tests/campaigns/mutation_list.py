"""Edits that break one rule of the loader each, with the tests that must notice them.

``tests/unit/loader/test_mutations.py`` holds that each text is in the sources.
"""
# ruff: noqa: E501 # a table: one edit is one line

from __future__ import annotations

from typing import NamedTuple

MATCHING = "petstore_frame/loader/matching"
JOURNAL = "petstore_frame/loader/journal"
LOADER = "petstore_frame/loader"

RULES = "tests/unit/loader/matching"
KEY_RULES = f"{RULES}/test_by_key.py"
REPEATS = f"{RULES}/test_repeated_keys.py"
LOOK_ALIKES = "tests/faults/test_stories_look_alikes.py"
KEYS = "tests/faults/test_stories_keys.py"
KEY_COLUMNS = "tests/unit/loader/test_key_columns.py"
EQUAL = "tests/faults/test_stories_equal.py"
AGAIN = "tests/faults/test_stories_again.py"
STORE = "tests/faults/test_stories_store.py"
BACKUP = "tests/faults/test_stories_backup.py"
EXPORTS = "tests/faults/test_stories_exports.py"
SINGLE = "tests/faults/test_stories_rules.py"
REVERSED = "tests/faults/test_stories_reversed.py"
SETTLING = "tests/faults/test_load_settling.py"
STOPS = "tests/faults/test_load_stops.py"
ROW_KEYS = "tests/unit/loader/test_row_keys.py"
ROW_GROUPS = "tests/unit/loader/test_row_groups.py"
EXIT_CODES = "tests/unit/loader/test_exit_codes.py"


class Edit(NamedTuple):
    """One rule that is broken: a text of a file, what replaces it, and the tests that must fail."""

    name: str
    file: str
    old: str
    new: str
    tests: str


# fmt: off
EDITS = [
    # Thresholds.
    Edit("many is a quarter", f"{MATCHING}/thresholds.py", "of <= _QUARTER * count", "of <= 100 * count", RULES),
    Edit("many is at least three", f"{MATCHING}/thresholds.py", "LEAST = 3", "LEAST = 1", RULES),
    Edit("or all, if there are fewer", f"{MATCHING}/thresholds.py", "min(LEAST, of) <=", "LEAST <=", RULES),
    Edit("half of what is left", f"{MATCHING}/thresholds.py", "of <= 2 * count", "of <= count", RULES),
    Edit("half of what is left is asked about", f"{MATCHING}/match.py",
         "if not (first.plan.few and", "if True or not (first.plan.few and", RULES),
    Edit("the cases are added up", f"{MATCHING}/match.py",
         "            self.matched_rows |= {match_.row for match_ in matches}\n\n    def _ask(", "\n    def _ask(", RULES),
    Edit("also with those of an open case", f"{MATCHING}/match.py",
         "        self._note_case(case, matches, of)\n        self.matched_rows |= {match_.row for match_ in matches}\n", "        self._note_case(case, matches, of)\n", RULES),

    # Rule 1: the same rows are the same import.
    Edit("the same cells are the same import", f"{JOURNAL}/staging.py", 'sql, "id = ?"', 'sql, "id = ? AND FALSE"', f"{REVERSED}::test_the_same_rows_of_a_frame_are_the_same_import"),
    Edit("the same bytes are the same import", f"{JOURNAL}/staging.py", '"bytes_id = ?', '"FALSE AND bytes_id = ?', f"{REVERSED}::test_the_same_bytes_are_the_same_import"),
    Edit("a copy is not compared", f"{MATCHING}/match.py", "        if inputs.is_compared:\n", "        if True:\n", RULES),
    Edit("rows that move are another import", f"{JOURNAL}/staging.py", "if not sql.execute(_MOVED", "if sql or sql.execute(_MOVED", AGAIN),
    Edit("a copy on purpose is an import of its own", f"{JOURNAL}/staging.py", 'f":{copy}"', '":0"', f"{REVERSED}::test_a_copy_on_purpose_is_made_once"),
    Edit("a row that reads the same keeps its answer", f"{JOURNAL}/staging.py", "earlier.content IS rows.content", "FALSE", f"{LOOK_ALIKES}::test_skip_is_taken_back_by_name"),
    Edit("the bytes of a copy are not those of the original", f"{JOURNAL}/staging.py", '"bytes_id = ? AND copy = ?"', '"bytes_id = ? AND ? >= 0"', f"{REVERSED}::test_a_copy_on_purpose_is_made_once"),
    Edit("another sheet of the same bytes is another import", f"{LOADER}/source/source_rows.py", '        sheet = self.table.facts.get("sheet") or ""\n', '        sheet = ""\n', f"{SINGLE}::test_each_sheet_of_a_workbook_is_an_import_of_its_own"),
    Edit("a row that a fix file corrected keeps its animal", f"{JOURNAL}/staging.py", "OR earlier.known_by = 'fix'\n", "\n", f"{SINGLE}::test_a_file_whose_rows_were_fixed_has_nothing_to_fix"),

    # Rule 2: a row of a fix file is its original row.
    Edit("a row that was fixed with other values", f"{MATCHING}/fix_rows.py", "if original.fixed_by is not None:", "if False:", f"{REVERSED}::test_a_row_that_was_fixed_with_other_values_says_by_which_file"),
    Edit("dragged fix rows", f"{MATCHING}/fix_rows.py", "if row.content in contents:", "if True:", RULES),
    Edit("a row that was fixed already counts as loaded", f"{MATCHING}/fix_rows.py",
         "if row.content in contents:", "if False:", RULES),
    Edit("a fix row keeps its key", f"{MATCHING}/fix_rows.py",
         "not has_its_key and not original.has_key_problem", "False", RULES),
    Edit("a key that needed fixing may change", f"{MATCHING}/fix_rows.py",
         "and not original.has_key_problem", "", RULES),
    Edit("a sent row is not given the key of another", f"{MATCHING}/fix_rows.py",
         "owner.id != animal.id and animal.is_sent", "False", RULES),
    Edit("an unsent row may be the animal of its corrected key", f"{MATCHING}/fix_rows.py",
         "owner.id != animal.id and animal.is_sent", "owner.id != animal.id", RULES),
    Edit("a row under its own key is its original", f"{MATCHING}/fix_rows.py",
         "original.is_to_fix or has_its_key", "original.is_to_fix", RULES),
    Edit("the key of the original is its correction's", f"{JOURNAL}/plan_writer.py",
         "    reader.sql.executemany(_CLAIM_CORRECTED, [origin[1:] for origin in origins])\n", "",
         f"{REVERSED}::test_a_fix_file_without_its_key_column_leaves_the_keys_known"),
    Edit("the original row is its correction's animal", f"{JOURNAL}/plan_writer.py",
         "for origin in origins]", "for origin in ()]", f"{BACKUP}::test_a_fixed_row_is_known_in_the_first_result"),
    Edit("a fix row of another journal is rejected", f"{JOURNAL}/fix_links.py", "if len(originals) != 1:", "if not originals:\n        return 0, Original(1, '', None, None, None, False, True, None)\n    if False:", f"{EQUAL}::test_a_fix_row_of_an_unknown_import_is_refused"),
    Edit("a copied fix row is rejected", f"{JOURNAL}/fix_links.py", "if earlier_line != line:", "if False:", f"{EQUAL}::test_a_copied_line_of_a_fix_file_is_refused"),
    Edit("a corrected row takes part in the choice of its key", f"{MATCHING}/match.py", "and row.by is not By.FIX for row in rows)", "for row in rows)", f"{SINGLE}::test_two_rows_that_are_corrected_to_one_key_need_fixing"),
    Edit("a row that still needs fixing keeps its animal for the next correction", f"{JOURNAL}/fix_links.py", "if original.animal is None and animal is None:", "if False:", f"{SINGLE}::test_a_row_that_still_needs_fixing_is_not_the_next_new_animal"),
    Edit("a row that the store rejected is to fix", f"{JOURNAL}/fix_links.py", "(None, State.REJECTED, State.PENDING)", "(None, State.PENDING)", REVERSED),
    Edit("a row that was not sent yet is to fix", f"{JOURNAL}/fix_links.py", "(None, State.REJECTED, State.PENDING)", "(None, State.REJECTED)", f"{SINGLE}::test_a_corrected_row_that_was_not_sent_may_be_corrected_again"),
    Edit("the message about a fix row names its original", f"{MATCHING}/fix_rows.py", 'which {difference}{_name_label(original)}"', 'which {difference}"', RULES),

    # Rule 3: keys.
    Edit("a known key is its animal", f"{MATCHING}/match.py", "self._assign(match_, By.KEY)\n        similar", "pass\n        similar", RULES),
    Edit("settled without thought only if the content is the same", f"{JOURNAL}/matching_input.py",
         "AND min(animals.content) = min(rows.content)", "", KEYS),
    Edit("settled without thought only if the key has one animal", f"{JOURNAL}/matching_input.py",
         "HAVING count(*) = 1 AND", "HAVING", f"{REVERSED}::test_a_key_of_several_animals_is_the_one_that_reads_the_same"),
    Edit("settled without thought only if the key is in one row", f"{JOURNAL}/matching_input.py",
         "    AND rows.core NOT IN (SELECT core FROM temp.repeated_cores)\n", "", f"{REVERSED}::test_two_rows_of_a_known_key_that_differ_need_fixing"),
    Edit("an animal of a key reads like the row", f"{MATCHING}/by_key.py", "return min(sent, key=difference)", "return sent[0]", RULES),
    Edit("of several animals not one with another name and category", f"{MATCHING}/by_key.py",
         "            has_other_name and has_other_category,\n", "            False,\n", RULES),
    Edit("of several animals one of equal content", f"{MATCHING}/by_key.py",
         "            has_other_name or has_other_category,\n", "            False,\n", RULES),
    Edit("of several animals one of the same name", f"{MATCHING}/by_key.py",
         "            has_other_name,\n", "            False,\n", RULES),
    Edit("of several animals one that was sent", f"{MATCHING}/by_key.py",
         "[animal for animal in animals if animal.is_sent] or list(animals)", "list(animals)", RULES),
    Edit("answered before", f"{MATCHING}/by_key.py", "(chosen.id, row.content) in earlier", "False", RULES),
    Edit("an animal that was not sent takes the row's values", f"{MATCHING}/by_key.py", "or not chosen.is_sent", "", RULES),
    Edit("a name from defaults is no name", f"{MATCHING}/values.py", "if row.has_default_name or animal.has_default_name:", "if False:", RULES),
    Edit("a word for another content needs fixing", f"{MATCHING}/by_key.py", "if is_missing_key(key_texts(row.key)) and (", "if False and (", RULES),
    Edit("a word in two rows needs fixing", f"{MATCHING}/repeated_keys.py", "    if is_missing_key(key):", "    if False:", RULES),
    Edit("a part of a key that names several rows", f"{MATCHING}/repeated_keys.py", 'if "" in key:', "if False:", RULES),
    Edit("an animal under a word counts as keyless", f"{JOURNAL}/matching_input.py", "if not is_missing_key(key_texts(pair[0]))", "if pair", f"{REVERSED}::test_an_animal_under_a_word_counts_as_keyless"),
    Edit("dates made of keys", f"{JOURNAL}/matching_input.py", "if not has_other_keys_before and", "if True or", f"{LOOK_ALIKES}::test_dates_that_a_spreadsheet_made_of_keys_need_fixing"),
    Edit("keys of three numbers are not dates", f"{JOURNAL}/matching_input.py", "or any(map(THREE_NUMBERS.fullmatch, others))", "", f"{LOOK_ALIKES}::test_keys_of_three_numbers_are_not_dates"),
    Edit("dates in a column of dates are keys", f"{JOURNAL}/matching_input.py",
         "if not has_other_keys_before and 2 * len(dates) >= keys:", "if False:", f"{REVERSED}::test_dates_are_keys_if_all_keys_are_dates"),
    Edit("two lists in one file", f"{MATCHING}/repeated_keys.py", "is_many(len(renamed), repeated) and", "False and", RULES),
    Edit("unless the user says that they were renamed", f"{MATCHING}/repeated_keys.py", "and not may_rename", "", RULES),
    Edit("name and category make another animal", f"{MATCHING}/repeated_keys.py",
         "if len(_names(rows)) > 1 and len(_categories(rows)) > 1:", "if False:", RULES),
    Edit("rows that differ need fixing", f"{MATCHING}/repeated_keys.py", "    if keep is None:", "    if False:", RULES),
    Edit("rows that send the same are one", f"{MATCHING}/repeated_keys.py",
         "    if _send_the_same(rows):", "    if False:", RULES),
    Edit("rows are ranked before they are excluded", f"{MATCHING}/repeated_keys.py",
         "if all(row.is_excluded for row in rows):", "if False:", RULES),
    Edit("the first is the least", f"{MATCHING}/repeated_keys.py", 'min(values) if keep == "first" else max(values)', "max(values)", RULES),
    Edit("a row without a value to order by needs fixing", f"{MATCHING}/repeated_keys.py",
         "if not all(row.order_value for row in rows):", "if False:", RULES),
    Edit("a tie that matters needs fixing", f"{MATCHING}/repeated_keys.py", "    if _send_the_same(chosen):", "    if True:", RULES),
    Edit("a word for none is no key", f"{LOADER}/source/not_keys.py", 'word in words_for("none") or', "", ROW_KEYS),
    Edit("zeros are no key", f"{LOADER}/source/not_keys.py", ' or not word.strip("0")', "", ROW_KEYS),
    Edit("dates without an order are asked about", f"{LOADER}/source/order_values.py", "if self._uncertain_dates:", "if False:", "tests/unit/loader/test_order_by.py"),
    Edit("zeros at the end of decimals do not count", f"{MATCHING}/folding.py", 'decimals = number["decimals"].rstrip("0")', 'decimals = number["decimals"]', "tests/unit/loader/matching/test_key_cores.py"),
    Edit("a value that cannot be read is a cause of its own", f"{MATCHING}/repeated_keys.py", "RowProblem(ORDER_UNREADABLE, message", "RowProblem(KEY_REPEATED, message", REPEATS),
    Edit("an excluded row is the animal of its key", f"{MATCHING}/match.py", "            if sent:\n", "            if False:\n", RULES),
    Edit("an excluded row says what the store shows", f"{JOURNAL}/plan_writer.py",
         "reader.execute(_SHOW_EXCLUDED)", "pass", KEYS),
    Edit("a key is asked for if its values repeat", f"{LOADER}/loading.py", "proposed is not None and proposed.repeated:", "False:", f"{LOOK_ALIKES}::test_a_certain_key_is_asked_for_before_sending"),
    Edit("or repeat those of an earlier file", f"{LOADER}/loading.py", "key.is_certain_if_repeated and repeats_earlier(sql, run, key.column)", "False", f"{LOOK_ALIKES}::test_a_key_that_repeats_in_the_next_file_is_asked_for_then"),
    Edit("a code of few kinds is no key", f"{LOADER}/source/key_columns.py", "return self._has_agreeing_rows and not self._is_kind", "return self._has_agreeing_rows", KEY_COLUMNS),
    Edit("rows that agree make a key of a column", f"{LOADER}/source/key_columns.py", "return self._has_agreeing_rows and not self._is_kind", "return False", KEY_COLUMNS),
    Edit("one name for all proves nothing", f"{LOADER}/source/key_columns.py", "is_varied = 2 * self.contents >= self.different", "is_varied = True", KEY_COLUMNS),
    Edit("the key is read from earlier files", f"{JOURNAL}/header_keys.py", "_read_keys(sql, number, run, columns)", "pass", f"{LOOK_ALIKES}::test_a_key_that_is_named_late_is_read_from_the_earlier_files"),
    Edit("a key is remembered for its header", f"{LOADER}/loading.py", "if key is not None:\n        recipe", "if False:\n        recipe", f"{LOOK_ALIKES}::test_a_certain_key_is_asked_for_before_sending"),
    Edit("an empty cell is no key", f"{LOADER}/source/not_keys.py", '    (re.compile(""), "no key"),\n', "", ROW_KEYS),
    Edit("a name in quotes needs fixing", f"{LOADER}/source/cell_parsing.py", "return meaning if inner == name.strip() else", "return meaning if True else", "tests/unit/loader/test_check.py"),
    Edit("an error of a spreadsheet is no key", f"{LOADER}/source/spreadsheet_text.py", "SPREADSHEET_ERROR.fullmatch(text) or ROUNDED_NUMBER.fullmatch(text)", "ROUNDED_NUMBER.fullmatch(text)", ROW_KEYS),
    Edit("a rounded number is no key", f"{LOADER}/source/spreadsheet_text.py", "SPREADSHEET_ERROR.fullmatch(text) or ROUNDED_NUMBER.fullmatch(text)", "SPREADSHEET_ERROR.fullmatch(text)", ROW_KEYS),
    Edit("a date among other keys is no key", f"{LOADER}/source/row_keys.py", "if at in self._other_than_dates and", "if False and", ROW_KEYS),
    Edit("a date cell is no key among others", f"{LOADER}/source/row_keys.py", "        if notes and notes.get(at) == DATE_NOTE:\n", "        if False:\n", ROW_KEYS),
    Edit("dates are no keys if those of earlier files are none", f"{JOURNAL}/matching_input.py", "if not has_other_keys_before and 2", "if 2", f"{LOOK_ALIKES}::test_dates_that_a_spreadsheet_made_of_keys_need_fixing"),
    Edit("no key is an answer as well", f"{LOADER}/loading.py", "if key is not None:\n        recipe", "if key:\n        recipe", f"{LOOK_ALIKES}::test_no_key_is_an_answer_as_well"),
    Edit("values that differ from those of the animal are changed", f"{LOADER}/row_state.py", "Reason.CHANGED if row.has_new_values else Reason.KNOWN", "Reason.KNOWN", "tests/unit/loader/test_row_state.py"),
    Edit("a change names the old value and the new one", f"{LOADER}/results/result_files.py", "if old_value != new_value:", "if False:", f"{EQUAL}::test_what_was_sent_and_reads_otherwise_now_is_told"),

    # similar_key
    Edit("a key with the core of another is asked about", f"{MATCHING}/by_key.py",
         "_likeliest(row, animals_of_core.get(core, ()))", "None", RULES),
    Edit("an empty core equals nothing", f"{MATCHING}/by_key.py", "        if not core:\n            continue", "        if core is None:\n            continue", RULES),
    Edit("two keys of a file with one core", f"{MATCHING}/by_key.py", "elif first is not None and row.is_to_send:", "elif False:", RULES),
    Edit("a sent animal of a core comes first", f"{MATCHING}/by_key.py",
         "(animal.is_sent, animal.content == row.content, animal.id)", "animal.id", RULES),
    Edit("then one of the same content", f"{MATCHING}/by_key.py", "animal.content == row.content, ", "", RULES),
    Edit("a longer key is asked about", f"{MATCHING}/by_key.py", "spellings.animal_of(row)", "None", RULES),
    Edit("a longer key needs equal content", f"{MATCHING}/by_key.py",
         "self._animals_of_content.get(row.content, ())", "[a for group in self._animals_of_content.values() for a in group]", RULES),
    Edit("a longer key is not in this file", f"{MATCHING}/by_key.py", "if any(key in self._keys_of_file for key in animal.keys):", "if False:", RULES),
    Edit("another spelling is asked about", f"{MATCHING}/by_key.py", "if any(is_respelled(", "if False and any(is_respelled(", RULES),
    Edit("digits that continue make another number", f"{MATCHING}/by_key.py", "is_short = len(part) < _MIN_DIGITS", "is_short = False", RULES),
    Edit("a short part is another key", f"{MATCHING}/by_key.py", "if not _MIN_PART <= len(part)", "if not 1 <= len(part)", RULES),
    Edit("a column that was renamed", f"{MATCHING}/match.py", "matches += match_renamed_columns(unmatched, inputs.animals_of_other_columns)\n", "\n", KEYS),
    Edit("the same numbers in another column", f"{MATCHING}/by_key.py", "if not is_many(with_equal_names, len(pairs)):", "if False:", RULES),
    Edit("another animal in a renamed column", f"{MATCHING}/by_key.py", "if not (differs_in_name(row, animal) and differs_in_category(row, animal))", "", RULES),
    Edit("a column that the file has was not renamed", f"{JOURNAL}/matching_input.py", "and not in_file.issuperset(names)", "", KEYS),
    Edit("a longer key of an animal without a name", f"{MATCHING}/by_key.py", "if row.content is None or row.has_default_name:", "if row.content is None:", RULES),
    Edit("in either direction", f"{MATCHING}/by_key.py", " or _extends(other_column, column)", "", RULES),
    Edit("by whole groups at the end", f"{MATCHING}/by_key.py", 'core.endswith(f"-{other}")', "core.endswith(other)", RULES),
    Edit("by whole groups at the beginning", f"{MATCHING}/by_key.py", 'core.startswith(f"{other}-")', "core.startswith(other)", RULES),
    Edit("a prefix is asked about", f"{MATCHING}/by_key.py", 'or core.endswith(f"-{other}")', "", RULES),
    Edit("a suffix is asked about", f"{MATCHING}/by_key.py", 'or core.startswith(f"{other}-")', "", RULES),
    Edit("columns are compared one by one", f"{MATCHING}/by_key.py", "core.split(SEPARATOR), other.split(SEPARATOR)", "[core], [other]", RULES),
    Edit("rounded numbers", f"{MATCHING}/by_key.py", '"" in is_rounded', "False", RULES),
    Edit("a number that was not rounded", f"{MATCHING}/by_key.py", 'and "" in is_rounded', "", RULES),
    Edit("a rounded number of several animals is no key", f"{MATCHING}/repeated_keys.py", "if may_be_rounded(key) and", "if False and", REPEATS),
    Edit("rows of one content are one number", f"{MATCHING}/repeated_keys.py", "if may_be_rounded(key) and", "if may_be_rounded(key) or", REPEATS),
    Edit("another name of a rounded number is asked about", f"{MATCHING}/by_key.py", "has_other_category or may_be_rounded(key_texts(row.key))", "has_other_category", KEY_RULES),
    Edit("a key that was not sent may be one that was", f"{MATCHING}/match.py",
         "return any(animal.is_sent for animal in inputs.animals_of_core", "return any(False for animal in inputs.animals_of_core", RULES),
    Edit("a key that skip gave is known in the next file", f"{JOURNAL}/plan_writer.py", "known_by IS NOT 'key' ORDER", "known_by IS NULL ORDER", f"{SINGLE}::test_a_key_that_skip_gave_is_known_in_the_next_file"),

    # reused_key
    Edit("any key with another name and category", f"{MATCHING}/by_key.py", "matches.reused.append(match)", "matches.same.append(match)", RULES),
    Edit("many keys with another name", f"{MATCHING}/match.py", "if is_many(len(matches.renamed), of):", "if False:", RULES),
    Edit("few keys with another name are changed values", f"{MATCHING}/match.py", "same += matches.renamed", "pass", RULES),

    # same_content
    Edit("without a key any is asked about", f"{MATCHING}/match.py", "asks_about_any = not inputs.has_keys and", "asks_about_any = False and", RULES),
    Edit("until create was answered", f"{MATCHING}/match.py", "and not inputs.has_created_same", "", RULES),
    Edit("create is remembered for the header", f"{LOADER}/identity.py", "if By.SAME_CONTENT in plan.created.values():", "if False:", f"{REVERSED}::test_create_is_remembered_for_files_of_the_same_columns"),
    Edit("with a key many", f"{MATCHING}/match.py", "self.asks_about_few or is_many(len(matches), of):", "self.asks_about_few:", RULES),
    Edit("few are listed", f"{MATCHING}/match.py", "self._list_few(By.SAME_CONTENT, matches)", "pass", RULES),
    Edit("each animal once", f"{MATCHING}/by_content.py", "free[value].popleft()", "free[value][0]", RULES),
    Edit("equal content of the same status is paired first", f"{MATCHING}/by_content.py", "(row.number, row.payload)", "(row.number, None)", RULES),
    Edit("animals of the file itself are not compared", f"{JOURNAL}/matching_input.py", "            elif is_here:\n                continue\n", "", f"{SINGLE}::test_an_animal_of_one_row_is_not_another_row_after_a_stop"),
    Edit("animals of rows that are corrected are not compared", f"{JOURNAL}/matching_input.py",
         "rows.import IN (SELECT value FROM json_each(:siblings))", "FALSE", f"{EQUAL}::test_a_fixed_row_that_equals_an_earlier_one_is_asked_about"),
    Edit("a marked name is folded", "petstore_frame/loader/matching/folding.py", "plain = name.strip(_DECORATION)", "plain = name", f"{LOOK_ALIKES}::test_a_name_that_looks_the_same_is_asked_about"),
    Edit("names in the store are folded", "petstore_frame/loader/matching/folding.py", "{SEPARATOR}{fold_name(name)}", "{SEPARATOR}{name}", f"{SINGLE}::test_a_pet_whose_name_looks_the_same_is_asked_about"),
    Edit("names in a file are folded", f"{LOADER}/source/cell_parsing.py", "notes, fold_name(name))", "notes, name)", f"{SINGLE}::test_a_pet_whose_name_looks_the_same_is_asked_about"),
    Edit("plain names in a file are folded", f"{LOADER}/source/cell_parsing.py", "None, fold_name(text))", "None, text)", f"{SINGLE}::test_a_pet_whose_name_looks_the_same_is_asked_about"),
    Edit("an animal with a key in these columns is not compared by content", f"{JOURNAL}/matching_input.py", "if keys and has_keys:", "if False:", f"{SINGLE}::test_an_animal_with_another_key_is_another_animal"),
    Edit("an animal that a rule by key matched is not compared by content", f"{MATCHING}/match.py", "inputs.sent_animals if animal.id not in self.used_animals]", "inputs.sent_animals]", RULES),

    # in_store
    Edit("new pets of others only", f"{MATCHING}/by_store.py", "pairs.items() if pet.is_new and", "pairs.items() if", RULES),
    Edit("many pets of others", f"{MATCHING}/by_store.py", "    if is_many(len(matches), of):", "    if False:", RULES),
    Edit("before the first load a quarter of the pets", f"{MATCHING}/by_store.py", "    if is_first:\n", "    if False:\n", RULES),
    Edit("few pets are listed by the first load", f"{MATCHING}/by_store.py", "max(len(new), LEAST)", "len(new)", RULES),
    Edit("few pets of others are listed", f"{MATCHING}/by_store.py", "return StoreMatches([], matches)", "return StoreMatches([], [])", RULES),
    Edit("nine in ten", f"{MATCHING}/by_store.py", "if is_nearly_all:", "if False:", RULES),
    Edit("nine in ten and not half", f"{MATCHING}/by_store.py", "_NEARLY_ALL = 5, 0.9", "_NEARLY_ALL = 5, 0.5", RULES),
    Edit("five different contents", f"{MATCHING}/by_store.py", "_NEARLY_ALL = 5, 0.9", "_NEARLY_ALL = 1, 0.9", RULES),
    Edit("names from defaults equal pets by chance", f"{MATCHING}/by_store.py", "[row for row in rows if not row.has_default_name]", "list(rows)", RULES),
    Edit("new pets of others first", f"{MATCHING}/by_store.py", "for pet in (*new, *old)", "for pet in (*old, *new)", RULES),
    Edit("ids need names that agree", f"{MATCHING}/by_store.py", "is_many(len(agreeing), len(all_matches)) and", "", RULES),
    Edit("many ids", f"{MATCHING}/by_store.py", "and is_many(len(all_matches), of):", ":", RULES),
    Edit("each pet once", f"{MATCHING}/by_store.py", "or pet_id in matches", "", RULES),
    Edit("an id that a spreadsheet made a number", f"{JOURNAL}/matching_input.py", '.removesuffix(".0")', "", BACKUP),
    Edit("a life for each equal pet", f"{MATCHING}/match.py", "equal[match_.pet.content] for", "0 for", RULES),
    Edit("pets of others are remembered", f"{JOURNAL}/store_check.py", "if header is not None:", "if False:", f"{LOOK_ALIKES}::test_pets_of_others_are_asked_about_once"),
    Edit("they are decided for this header only", f"{LOADER}/identity.py", "        return header\n", '        return ""\n', f"{REVERSED}::test_pets_are_decided_for_files_of_the_same_columns_only"),
    Edit("a reading that asked leaves them unseen", f"{LOADER}/identity.py", "    if plan.has_store_matches:\n", "    if False:\n", f"{STORE} {REVERSED}"),
    Edit("another name and category under an id is another pet", f"{JOURNAL}/store_check.py", "        if not is_other:", "        if True:", f"{REVERSED}::test_a_pet_that_got_the_id_of_another_is_somebody_elses"),
    Edit("pets are left to unconfirmed rows", f"{JOURNAL}/store_check.py", "unconfirmed_animals.get(pet.id)", "None", STORE),
    Edit("pets that were there first are nobody's twins", f"{JOURNAL}/store_check.py", "    if is_first:\n", "    if False:\n", f"{REVERSED}::test_pets_that_were_there_first_are_nobodys_twins {REVERSED}::test_equal_pets_that_were_there_twice_are_nobodys_twins"),
    Edit("pets added by others are counted", f"{LOADER}/identity.py", 'facts["twins"] = possible_duplicates', "pass", f"{BACKUP}::test_two_people_at_the_same_minute"),
    Edit("a listing that was cut is named", f"{LOADER}/identity.py", 'facts["store_cut"] = len(store.pets)', "pass", f"{REVERSED}::test_a_listing_without_a_known_end_is_named"),
    Edit("the first load asks once", f"{LOADER}/identity.py", 'is_first = not reader.has("FROM animals")', "is_first = True", f"{SINGLE}::test_only_the_first_load_asks_about_a_quarter_of_the_pets"),
    Edit("the first load asks", f"{LOADER}/identity.py", 'is_first = not reader.has("FROM animals")', "is_first = False", f"{SINGLE}::test_only_the_first_load_asks_about_a_quarter_of_the_pets"),
    Edit("at least a thousand pages are read", f"{LOADER}/loading.py", "LEAST_PAGES = 1000", "LEAST_PAGES = 1", f"{SINGLE}::test_a_thousand_pages_are_read_before_a_load_or_one_for_each_row"),
    Edit("or as many as there are rows to send", f"{LOADER}/loading.py", "max(LEAST_PAGES, to_send)", "LEAST_PAGES", f"{SINGLE}::test_a_thousand_pages_are_read_before_a_load_or_one_for_each_row"),
    Edit("the question says how much of the store was listed", f"{LOADER}/duplicate_question.py", "if self.listed_pets is not None and not self.is_listing_complete:", "if False:", f"{SINGLE}::test_a_question_about_a_listing_without_a_known_end_says_so"),
    Edit("a matched pet is no row's a second time", f"{MATCHING}/match.py", "            if pet.id not in matched_ids\n            and ", "            if ", RULES),
    Edit("a pet of a known animal is compared with no other row", f"{MATCHING}/match.py", "or pet.animal in gone or pet.animal not in self.used_animals", "or True", RULES),
    Edit("in_store is answered for each row", f"{JOURNAL}/plan_writer.py", "known_by = 'in_store'\"", "known_by = 'key'\"", f"{LOOK_ALIKES}::test_skip_is_taken_back_by_name"),
    Edit("a pet of others that comes back is new", f"{JOURNAL}/store_check.py", "    if store.is_complete:\n        stored_ids", "    if False:\n        stored_ids", f"{SINGLE}::test_a_pet_of_others_that_comes_back_is_new"),
    Edit("few matches are named by line", f"{LOADER}/identity.py", "        if case in plan.few:\n", "        if False:\n", f"{SINGLE}::test_only_the_first_load_asks_about_a_quarter_of_the_pets"),

    # gone
    Edit("renamed pets are there", f"{MATCHING}/gone.py", "(replaced if is_other else renamed).append(match)", "replaced.append(match)", RULES),
    Edit("another name and category is absent", f"{MATCHING}/gone.py", "(replaced if is_other else renamed).append(match)", "renamed.append(match)", RULES),
    Edit("many renamed pets are absent", f"{MATCHING}/gone.py", "are_replaced = is_many(len(renamed), len(stored_animals))", "are_replaced = False", RULES),
    Edit("many that are gone are asked about", f"{MATCHING}/gone.py", "if is_many(len(candidates), len(stored_animals)):", "if False:", RULES),
    Edit("few that are gone are not", f"{MATCHING}/gone.py", "if is_many(len(candidates), len(stored_animals)):", "if candidates:", RULES),
    Edit("an incomplete listing proves nothing", f"{MATCHING}/gone.py", "            if is_proof:", "            if True:", RULES),
    Edit("pages that were assumed full prove nothing", f"{JOURNAL}/matching_input.py", "and (store.is_whole or", "and (True or", f"{BACKUP}::test_a_listing_that_is_never_complete_is_asked_by_name"),
    Edit("only what was shown, or should be, can be gone", f"{JOURNAL}/store_check.py", "LAG_S = 3600.0", "LAG_S = -3600.0", f"{BACKUP}::test_a_copy_that_lags_behind_and_a_renamed_pet_are_not_asked_about"),
    Edit("what an earlier reading showed", f"{JOURNAL}/store_check.py", '_SHOULD_BE_LISTED = "(animals.shown_at IS NOT NULL OR ', '_SHOULD_BE_LISTED = "(', f"{BACKUP}::test_a_store_that_was_restored"),
    Edit("those of an assumed listing are listed", f"{MATCHING}/gone.py", "            elif is_assumed_proof:", "            elif False:", RULES),
    Edit("a window needs two rows", "petstore_frame/inventory/page_parameter.py", "_LEAST_ROWS = 2", "_LEAST_ROWS = 1", f"{LOOK_ALIKES}::test_a_small_store_that_can_be_paged_asks_about_lost_pets"),
    Edit("few that are gone are listed", f"{LOADER}/identity.py", '(GONE, plan.few_gone)', "(GONE, [])", f"{LOOK_ALIKES}::test_few_lost_pets_are_listed_and_can_be_created_again"),
    Edit("and created again by name", f"{MATCHING}/match.py", "if open_matches or By.GONE in self.answers:", "if open_matches:", f"{LOOK_ALIKES}::test_few_lost_pets_are_listed_and_can_be_created_again"),
    Edit("animals whose ids were given again are listed", f"{JOURNAL}/outcomes.py", "            self._has_freed_ids = True\n", "", f"{BACKUP}::test_animals_whose_ids_were_given_again_are_listed"),
    Edit("an earlier id of an animal is ours", f"{JOURNAL}/store_check.py", "if pet_id in store.pets and store.pets[pet_id].content == content", "if False", f"{BACKUP}::test_pets_that_are_back_after_their_animals_were_created_again_are_ours"),
    Edit("those of other files are listed", f"{JOURNAL}/store_check.py", "        if is_gone or pet_id not in store.pets\n", "        if False\n", f"{LOOK_ALIKES}::test_few_lost_pets_are_listed_and_can_be_created_again"),
    Edit("a pet that is seen again is its animal's", f"{JOURNAL}/store_check.py", "        if pet is not None:\n            named_values", "        if False:\n            named_values", f"{REVERSED}::test_a_pet_that_is_seen_again_is_its_animals"),
    Edit("seen again only if it is the same", f"{JOURNAL}/store_check.py", "AND content = :content", "AND (:content IS NOT NULL)", f"{REVERSED}::test_another_pet_under_the_id_of_a_gone_one_is_not_its_animals"),
    Edit("an id of a restored store", f"{JOURNAL}/outcomes.py", "        if reused_ids:", "        if False:", f"{BACKUP}::test_a_201_with_an_id_that_was_given_again"),
    Edit("a gone pet that was answered is not asked about", f"{JOURNAL}/store_check.py",
         'if reason != DECIDED or named_answers.get("gone") == CREATE:', "if True:", f"{LOOK_ALIKES}::test_an_answer_about_lost_pets_is_taken_back"),
    Edit("a gone pet is free for another row", f"{MATCHING}/match.py", "pet._replace(animal=None) if pet.animal in gone else pet", "pet", RULES),
    Edit("each answer says what it does with lost pets", f"{LOADER}/identity.py", "to_send += len(plan.created_again)", "pass", f"{SINGLE}::test_a_question_about_lost_pets_says_what_each_answer_does"),
    Edit("and how many are called removed", f"{LOADER}/identity.py", "State.GONE: len(plan.gone)", "State.GONE: 0", f"{SINGLE}::test_a_question_about_lost_pets_says_what_each_answer_does"),
    Edit("a resume does not give an answer by name again", f"{LOADER}/loading.py", "for case, answer in earlier if case not in BY_NAME}", "for case, answer in earlier}", f"{SINGLE}::test_an_answer_about_lost_pets_is_not_given_again_by_a_resume"),

    # Unsent animals.
    Edit("unsent animals move", f"{MATCHING}/match.py", "self._assign(match_, By.MOVED)", "pass", RULES),
    Edit("only to rows that are new", f"{MATCHING}/match.py", "*created_rows) if not row.has_earlier_animal]", "*created_rows)]", RULES),
    Edit("moved animals are listed", f"{LOADER}/identity.py", 'facts["moved"] =', "_ =", f"{REVERSED}::test_animals_that_were_not_sent_move_to_the_next_file"),
    Edit("what is left unsent is named", f"{LOADER}/identity.py", 'facts["left_unsent"] = unsent', "pass", f"{REVERSED}::test_animals_that_were_not_sent_move_to_the_next_file"),
    Edit("a resume asks if a later file replaced it", f"{LOADER}/replaced_imports.py", "    if replaced and answer not in", "    if False and answer not in", f"{REVERSED}::test_a_resume_asks_if_a_later_file_took_the_place"),
    Edit("an animal that moves is sent with the row's values", f"{JOURNAL}/plan_writer.py", "payload = new.payload,", "payload = animals.payload,", EQUAL),
    Edit("a row of a copy is left unsent by no other file", f"{LOADER}/replaced_imports.py", "AND NOT copy ORDER", "ORDER", f"{SINGLE}::test_a_copy_does_not_replace_its_original"),
    Edit("rows that are dropped are not sent", f"{LOADER}/replaced_imports.py", "sql.execute(_EXCLUDE_ROWS, _parameters(entry.run))", "pass", f"{REVERSED}::test_a_resume_asks_if_a_later_file_took_the_place"),
    Edit("animals that no row equals are named for this header", f"{LOADER}/identity.py", "AND header = :header AND NOT copy AND ending IS NOT 'done'", "AND NOT copy AND ending IS NOT 'done'", f"{SINGLE}::test_animals_that_were_not_sent_are_named_to_files_of_their_columns"),

    # Answers.
    Edit("a plain word reverses nothing", f"{LOADER}/load_options.py",
         "dict(self.answers) if isinstance(self.duplicates, Mapping) else {}", "dict(self.answers)", f"{LOOK_ALIKES}::test_skip_is_taken_back_by_name"),
    Edit("gone is answered by name only", f"{LOADER}/duplicate_question.py", 'BY_NAME = ("gone", ', "BY_NAME = (", f"{BACKUP}::test_a_store_that_was_restored"),
    Edit("skip is taken back", f"{JOURNAL}/release.py", "if answer == CREATE:", "if False:", f"{LOOK_ALIKES}::test_skip_is_taken_back_by_name"),
    Edit("create is taken back before it was sent", f"{JOURNAL}/release.py", "elif answer == SKIP:", "elif False:", f"{REVERSED}::test_create_is_taken_back_before_the_row_was_sent"),
    Edit("a key that skip gave is released", f"{JOURNAL}/release.py", "if not has_own_keys:", "if False:", f"{LOOK_ALIKES}::test_skip_is_taken_back_by_name"),
    Edit("a pet that skip gave is released", f"{JOURNAL}/release.py", "sql.execute(_RELEASE_PETS, parameters)", "pass", f"{LOOK_ALIKES}::test_skip_is_taken_back_by_name"),
    Edit("rows that were created stay, and are listed", f"{LOADER}/identity.py", 'facts["stays_created"] =', "_ =", f"{REVERSED}::test_rows_that_were_created_stay_and_are_listed"),
    Edit("an answer about reused keys is taken back", f"{JOURNAL}/matching_input.py", "if By.REUSED_KEY in named_answers:", "if False:", f"{REVERSED}::test_an_answer_about_reused_keys_is_taken_back"),
    Edit("gone is taken back", f"{MATCHING}/match.py", "or inputs.asks_again_about_gone", "", RULES),
    Edit("created again is taken back", f"{JOURNAL}/store_check.py", 'if named_answers.get("gone") == SKIP:', "if False:", f"{REVERSED}::test_created_again_is_taken_back_before_it_was_sent"),
    Edit("lines that are new animals", f"{LOADER}/identity.py", "        mark_new_lines(reader)", "        pass", f"{REVERSED}::test_a_line_that_is_called_new_is_sent_and_no_other"),
    Edit("lines that the file does not have", f"{LOADER}/named_lines.py", "        if numbers:\n            rows_of_file", "        if False:\n            rows_of_file", f"{LOOK_ALIKES}::test_a_line_that_the_file_does_not_have_is_refused"),
    Edit("a line that is called new again is the same animal", f"{JOURNAL}/plan_writer.py", "\"  animal, :base + row)\"", "\"  :base + row, :base + row)\"", f"{SINGLE}::test_a_line_that_is_called_new_is_new_once"),
    Edit("an animal that is called new stays the same animal", f"{JOURNAL}/plan_writer.py", "  animal, {} + row)\n\"\"\"", "  {0} + row, {0} + row)\n\"\"\"", f"{SINGLE}::test_an_animal_that_is_called_new_stays_the_same_animal"),
    Edit("all answers about one case at a time", f"{JOURNAL}/release.py", 'FROM rows WHERE import = :mine AND known_by = :by\n', 'FROM rows WHERE import = :mine AND known_by IS NOT NULL\n', f"{SINGLE}::test_an_answer_that_is_taken_back_leaves_the_others"),
    Edit("rows of similar keys in one file are released", f"{JOURNAL}/release.py", 'return [case, "similar_row"] if case == "similar_key" else [case]', "return [case]", f"{SINGLE}::test_two_keys_of_a_file_that_were_one_are_two_by_name"),

    # Folded text; the tables and properties are in tests/unit/schema.
    Edit("an invisible character", "petstore_frame/loader/matching/folding.py", '_NOT_COMPARED.sub("", text)', "text", "tests/unit/loader/matching/test_folding.py"),

    # States of rows.
    Edit("a row of another file shows its unfinished animal", f"{LOADER}/row_state.py",
         "animal.is_of_import or animal.state in", "True or animal.state in", "tests/unit/loader/test_row_state.py"),
    Edit("a row that is left out needs no fix", f"{LOADER}/row_state.py", "if row.has_problem and not row.is_left_out:", "if row.has_problem:", "tests/unit/loader/test_row_state.py"),
    Edit("most rows fail for one reason", f"{LOADER}/common_cause.py", "if was_created or", "if True or", "tests/unit/loader/test_results.py::test_the_reason_for_most_rows_is_not_stored_as_a_sentence"),
    Edit("unless the header was loaded before", f"{LOADER}/common_cause.py", "if was_created or", "if", f"{REVERSED}::test_most_rows_may_fail_if_the_columns_were_loaded_before"),
    Edit("three rows of one reason at least", f"{LOADER}/common_cause.py", "_MIN_ROWS = 3", "_MIN_ROWS = 1", f"{SINGLE}::test_a_file_is_held_back_if_most_of_its_rows_fail_for_one_reason"),
    Edit("more than half of the rows", f"{LOADER}/common_cause.py", "2 * causes[0].rows <= animals", "causes[0].rows < 0", f"{SINGLE}::test_a_file_is_held_back_if_most_of_its_rows_fail_for_one_reason"),
    Edit("rows that the user excluded are no rows of it", f"{LOADER}/common_cause.py", "    animals -= sum(group.rows for group in excluded if group.reason.is_plain)\n", "", f"{SINGLE}::test_a_file_is_held_back_if_most_of_its_rows_fail_for_one_reason"),
    Edit("unless the user states a limit", f"{LOADER}/loading.py", "options.max_errors is None and not opened.is_returned", "not opened.is_returned", f"{SINGLE}::test_a_file_is_not_held_back_if_the_user_states_a_limit_of_errors"),
    Edit("a fix file is not held back", f"{LOADER}/loading.py", "options.max_errors is None and not opened.is_returned", "options.max_errors is None", f"{SINGLE}::test_a_fix_file_is_not_held_back"),
    Edit("a trial leaves the header new", f"{LOADER}/common_cause.py", " AND ending IS NOT 'max_rows'", "", f"{SINGLE}::test_a_trial_leaves_the_header_new"),
    Edit("rows to fix are no success", f"{LOADER}/results/import_facts.py", "if self.to_fix or self", "if self", EXIT_CODES),
    Edit("rows to send are no success", f"{LOADER}/results/import_facts.py", "self.counts[State.PENDING] or self", "self", f"{STOPS}::test_max_rows_is_a_trial"),
    Edit("rows that were not found are no success", f"{LOADER}/results/import_facts.py", "self.counts[State.PENDING] or self.counts[State.NOT_FOUND]:", "self.counts[State.PENDING]:", EXIT_CODES),
    Edit("unconfirmed rows are no success", f"{LOADER}/results/import_facts.py", "if self.count(*UNCONFIRMED):", "if False:", EXIT_CODES),
    Edit("an open question has its exit code", f"{LOADER}/results/import_facts.py", "return ExitCode.QUESTION", "return ExitCode.DONE", EXIT_CODES),
    Edit("a file that was held back has its exit code", f"{LOADER}/results/import_facts.py", "        if self.is_held:\n            return ExitCode.TOO_MANY_ERRORS\n", "", EXIT_CODES),
    Edit("the worst exit code counts", f"{LOADER}/results/import_facts.py", "return ExitCode.worst(codes)", "return min(codes)", EXIT_CODES),
    Edit("rows to send and rows not found count as to send", f"{LOADER}/results/row_groups.py", "State.NOT_FOUND: RowGroup.TO_SEND", "State.NOT_FOUND: RowGroup.UNCONFIRMED", ROW_GROUPS),
    Edit("a row of several animals counts once", f"{LOADER}/results/row_groups.py", "by_line=has_quantity", "by_line=False", ROW_GROUPS),
    Edit("as its least finished one", f"{LOADER}/results/row_groups.py", "min(groups, key", "max(groups, key", ROW_GROUPS),
    Edit("a later file says what was loaded before", f"{LOADER}/results/row_groups.py", "is_sent_now and animal is not None and animal.has_this_row", "is_sent_now", ROW_GROUPS),
    Edit("a rehearsal knows the journal", f"{LOADER}/loading.py", "            copy_journal(path, copy)\n", "            pass\n", f"{SINGLE}::test_a_rehearsal_shows_what_the_load_does_and_leaves_no_trace"),
    Edit("a rehearsal leaves no trace", f"{LOADER}/loading.py", "with Writer(copy, base_url) as writer:", "with Writer(path, base_url) as writer:", f"{SINGLE}::test_a_rehearsal_shows_what_the_load_does_and_leaves_no_trace"),
    Edit("an animal that was sent is not pending again", f"{LOADER}/row_state.py", "State.CREATED: frozenset({State.GONE})", "State.CREATED: frozenset({State.GONE, State.PENDING})", "tests/unit/loader/test_load_writer.py"),
    Edit("the database rejects all other moves", f"{JOURNAL}/schema.py", "NOT IN ({_MOVES})", "IN ('')", "tests/unit/loader/test_load_writer.py"),

    # Reading the store back.
    Edit("the grace of a request", f"{LOADER}/load_options.py", "GRACE_S = 240.0", "GRACE_S = 24.0", SETTLING),
    Edit("only a reading before the request explains its pets", f"{LOADER}/reconcile.py", "max(before.first_reading, last_foreign) <= sent_at", "True", SETTLING),
    Edit("not if another import may have made them", f"{LOADER}/reconcile.py", "is_alone = content not in rival_contents", "is_alone = True", SETTLING),
    Edit("no more pets than rows", f"{LOADER}/reconcile.py", "if len(paired) == len(new_pets):", "if True:", SETTLING),
    Edit("a pet seen before is an older one", f"{LOADER}/reconcile.py", "if before.seen_at(pet) > sent_at]", "]", SETTLING),
    Edit("the same status first", f"{LOADER}/reconcile.py", "(_is_as_sent, _is_as_sent_without_status)", "(_is_as_sent_without_status, _is_as_sent)", f"{SETTLING}::test_rows_of_one_content_get_the_pets_of_their_status"),
    Edit("a listing that hides a pet proves nothing", f"{LOADER}/reconcile.py", "is_proof = store.is_whole and not hidden", "is_proof = store.is_whole", SETTLING),
    Edit("what is not certain is listed as candidates", f"{LOADER}/reconcile.py", "candidates |= {row.row: ids for row in group}", "pass", SETTLING),
    Edit("the first request of a row counts", f"{LOADER}/reconcile.py", "coalesce(first_sent_at, 0)", "coalesce(sent_at, 0)", f"{SETTLING}::test_the_first_request_of_a_row_may_have_created_its_pet"),
    Edit("an id that was given again is another pet", f"{LOADER}/reconcile.py", "before.ours.get(pet_id) != content", "pet_id not in before.ours", f"{SETTLING}::test_a_pet_with_the_id_of_a_lost_one_is_found"),
    Edit("rows of other imports are settled as well", f"{LOADER}/reconcile.py", "        for unsettled in runs:\n", "        for unsettled in [run_ for run_ in runs if run_.id == import_id]:\n", SETTLING),
    Edit("a pet with another status is not the row's for certain", f"{LOADER}/reconcile.py", "return row.payload == pet.payload", "return True", SETTLING),
    Edit("a placeholder is no answer", f"{LOADER}/resolve.py", "if PLACEHOLDER in pet_ids:", "if False:", SETTLING),
    Edit("a pet of another row is rejected", f"{LOADER}/resolve.py", "(*owned, *repeated)", "repeated", SETTLING),
    Edit("a pet that is stated twice is rejected", f"{LOADER}/resolve.py", "(*owned, *repeated)", "owned", f"{SETTLING}::test_one_pet_is_not_two_rows"),
    Edit("a candidate may be taken from the animal that had its id", f"{LOADER}/resolve.py", "outcomes.owners([*counts]) if pet_id not in candidates]", "outcomes.owners([*counts])]", f"{SETTLING}::test_a_pet_with_the_id_of_a_lost_one_is_found"),
    Edit("a row is named by its line", f"{LOADER}/resolve.py", "return self.line == name", "return self.number == name", SETTLING),
    Edit("or by its key", f"{LOADER}/resolve.py", "return self.key is not None and", "return False and", SETTLING),
    Edit("what is settled is not changed", f"{LOADER}/resolve.py", "    if not rows:\n", "    if False:\n", SETTLING),
    Edit("a line of several animals needs a pet for each", f"{LOADER}/resolve.py", "    if len(rows) != len(ids):\n", "    if False:\n", f"{SETTLING}::test_a_line_of_several_animals_needs_a_pet_for_each"),
    Edit("None lets the row be sent", f"{LOADER}/resolve.py", "changes.append(Change(row.number, State.NOT_FOUND, State.PENDING, reason))", "pass", SETTLING),
    Edit("pets that others added explain nothing", f"{LOADER}/reconcile.py", "max(before.first_reading, last_foreign)", "before.first_reading", SETTLING),
    Edit("what was there before the first reading is unknown", f"{LOADER}/reconcile.py", "max(before.first_reading, last_foreign)", "last_foreign", f"{SETTLING}::test_a_pet_from_before_the_first_reading_is_a_candidate"),
    Edit("a pet with another name may be the old one", f"{LOADER}/reconcile.py", "is_alone and not may_be_ours and", "is_alone and", SETTLING),
    Edit("the animal that had an id before is gone", f"{JOURNAL}/outcomes.py", "            if change.pet_id is not None:", "            if False:", SETTLING),
    Edit("a printed resolve has placeholders", f"{LOADER}/next_steps.py", "f'{line}: \"?\"'", "f'{line}: None'", "tests/end_to_end/test_proposals.py"),

    # What protects a file, a journal or a process.
    Edit("a file is on the disk before it is renamed", "petstore_frame/storage/atomic_write.py", "sync(temporary)", "pass", "tests/unit/storage"),
    Edit("a new name is on the disk", "petstore_frame/storage/atomic_write.py", "sync(path.parent)", "pass", "tests/unit/storage"),
    Edit("a journal is its user's alone", f"{JOURNAL}/database.py", "draft.touch(0o600)", "draft.touch(0o644)", "tests/faults/test_load_journal.py"),
    Edit("a lock is held by one writer of a process", "petstore_frame/storage/atomic_write.py", "is_singleton=False", "is_singleton=True", "tests/unit/storage tests/faults/test_load_journal.py"),
    Edit("the server has a session of its own", "petstore_frame/server.py", '{"start_new_session": True}', "{}", "tests/unit/test_server.py::test_ctrl_c_of_a_terminal_does_not_reach_it"),

    # Our own mark.
    Edit("an export of this store is matched", f"{MATCHING}/by_store.py", "    if is_marked:", "    if False:", RULES),
    Edit("many other names under its ids are asked about", f"{MATCHING}/by_store.py",
         "        if is_many(len(others), of):\n            return StoreMatches(others, [], agreeing)", "        if False:\n            return StoreMatches(others, [], agreeing)", RULES),
    Edit("few are listed under our mark", f"{MATCHING}/by_store.py", "return StoreMatches([], others, agreeing)", "return StoreMatches([], [], agreeing)", RULES),
    Edit("matched rows are created by name only", f"{MATCHING}/match.py", "if matches.certain and inputs.creates_marked:", "if matches.certain and self.answers.get(By.IN_STORE) == CREATE:", RULES),
    Edit("an export without a mark asks about any name", f"{MATCHING}/by_store.py", "    if is_export:", "    if False:", RULES),
    Edit("an export of another store is no export of this one", f"{LOADER}/identity.py", "Export.OF_THIS_STORE if is_same else Export.OF_ANOTHER_STORE", "Export.OF_THIS_STORE", f"{EXPORTS}::test_an_export_of_another_store_is_not_taken_for_this_one"),
    Edit("pets that were called others are decided", f"{MATCHING}/by_store.py", "if pets[pet_id].is_decided:", "if False:", RULES),
    Edit("all pets of the reading are decided", f"{JOURNAL}/store_check.py", "[pet for pet in pets if not pet.is_decided]", "[pet for pet in pets if pet.animal is None and pet.is_new]", f"{EXPORTS}::test_rows_of_an_export_that_were_called_others_do_not_ask_again"),
    Edit("a workbook keeps its store", "petstore_frame/inventory/file_coverage.py", 'if file.suffix.lower() == ".xlsx":', "if False:", f"{EXPORTS}::test_a_workbook_that_was_edited_keeps_its_store"),
    Edit("few renamed pets are changed", f"{LOADER}/results/result_files.py", "    if store_name is not None:", "    if False:", f"{EXPORTS}::test_few_pets_with_another_name_in_the_store_are_changed"),
    Edit("an excluded row with a status that cannot be read", f"{JOURNAL}/plan_writer.py", "(rows.payload IS NULL\n", "(FALSE\n", f"{EXPORTS}::test_an_excluded_row_with_an_unreadable_status_is_changed"),
    Edit("an answer to an earlier file is taken back", f"{JOURNAL}/release.py", "sql.execute(_RELEASE_OTHER_CONTENT, parameters)", "pass", f"{REVERSED}::test_an_answer_about_reused_keys_is_taken_back"),
    Edit("created again is taken back after a stop", f"{JOURNAL}/store_check.py", "animals.state = 'pending' AND animals.last_pet_id IS NOT NULL", "animals.state = 'pending' AND animals.reason = 'recreated'", f"{REVERSED}::test_created_again_is_taken_back_before_it_was_sent"),
]
# fmt: on
