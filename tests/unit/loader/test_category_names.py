"""The names of categories are facts about a store, which a list must not contradict."""

import pandas as pd
import pytest

import petstore_frame as pf
from end_to_end.shell import typed
from petstore_frame.loader.category_names import (
    category_question,
    known_category_names,
    names_by_number,
)
from unit.loader.opened import written

BIRD = {3: "Cat", 4: "Bird"}
CAVY = {3: "Cat", 4: "Meerschweinchen"}


@pytest.fixture
def birds(memory_shop):
    """A store with two birds, whose categories a load named."""
    memory_shop.load("a.csv", "name,categoryId", "Tweety,Bird", "Coco,Bird", categories=BIRD)
    return memory_shop


def load_cavy(memory_shop, **options) -> pf.LoadResult:
    return memory_shop.load(
        "b.csv", "name,categoryId", "Nibbles,Meerschweinchen", categories=CAVY, **options
    )


def test_another_name_for_a_number_is_a_question(birds) -> None:
    """A list that calls a known number otherwise sends nothing, and shows pets of that number."""
    with pytest.raises(pf.QuestionError) as asked:
        load_cavy(birds)
    assert "calls 4 Meerschweinchen" in str(asked.value)
    assert "4 was Bird (pets with 4: Tweety, Coco)" in str(asked.value)
    assert len(birds.pets) == 2


def test_another_number_for_a_name_is_a_question(birds) -> None:
    """A list that gives a known name another number sends nothing."""
    with pytest.raises(pf.QuestionError, match="Bird was 4"):
        birds.load("b.csv", "name,categoryId", "Kiwi,Bird", categories={9: "Bird"})


def test_the_answer_is_remembered(birds) -> None:
    """After ``rename_categories``, neither name of the number is asked about."""
    assert load_cavy(birds, rename_categories=[4]).counts["created"] == 1
    assert load_cavy(birds).counts["created"] == 1
    birds.load("c.csv", "name,categoryId", "Kiwi,Bird", categories=BIRD)
    assert pf.fetch_inventory(birds.client).frame["category_id"].tolist() == [4, 4, 4, 4]


def test_a_name_that_moves_leaves_its_number(birds) -> None:
    """A confirmed list moves a name to its new number, so the old number no longer has it."""
    birds.load(
        "b.csv", "name,categoryId", "Kiwi,Bird", categories={9: "Bird"}, rename_categories=[9]
    )
    with pytest.raises(pf.QuestionError, match="Bird was 9"):
        birds.load("c.csv", "name,categoryId", "Polly,Bird", categories=BIRD)


def test_a_dry_run_remembers_nothing(memory_shop) -> None:
    """A dry run asks like a load, but a list that it saw is not a fact."""
    pets = pd.DataFrame({"name": ["Rex"], "category_id": ["Dog"]})
    options = {"journal": memory_shop.journal, "categories": {1: "Dog"}}
    pf.load(pets, memory_shop.client, dry_run=True, **options)
    assert known_category_names(memory_shop.client.base_url, journal=memory_shop.journal) == {}


def test_a_dry_run_shows_pets_next_to_new_names(memory_shop) -> None:
    """Where nothing is known yet, a dry run shows two pets of the store for each number in use."""
    memory_shop.load("a.csv", "name,categoryId", "Tweety,4", "Coco,4", "Kiwi,4")
    result = load_cavy(memory_shop, dry_run=True)
    assert "4: Meerschweinchen; the store has Tweety, Coco with 4" in str(result)
    assert "3: Cat" not in str(result)


def test_spelling_is_no_other_name() -> None:
    """Names that look the same to a person are the same name."""
    assert category_question({4: "BIRD "}, {4: ["Bird"]}) is None
    assert names_by_number({"Vo\u0308gel": 4, "Katze": "?"}) == {4: ["Vo\u0308gel"]}
    assert category_question({"Vo\u0308gel": 4}, {4: ["V\u00f6gel"]}) is None


def test_many_renamed_numbers_are_one_question() -> None:
    """A list in another language is one question with an example for each number."""
    question = category_question({1: "Hund", 2: "Katze", 3: "Bird"}, {1: ["Dog"], 2: ["Cat"]})
    assert question is not None
    assert [example.text for example in question.examples] == ["1: Hund", "2: Katze"]
    assert question.answers[0].add == {"rename_categories": [1, 2]}


def test_a_report_asks_before_it_writes(birds, tmp_path) -> None:
    """A report with a list that contradicts the journal is not written until somebody confirms."""
    inventory, path = pf.fetch_inventory(birds.client), tmp_path / "stock.csv"
    options = {"categories": CAVY, "journal": birds.journal}
    with pytest.raises(pf.QuestionError, match="4 was Bird"):
        pf.write_report(inventory, path, **options)
    assert not path.exists()
    pf.write_report(inventory, path, rename_categories=[4], **options)
    assert set(pd.read_csv(path)["category"]) == {"Meerschweinchen"}


def test_a_frame_without_a_store_has_no_known_names(birds, tmp_path) -> None:
    """Pets of a frame that does not say which store it shows are named by the list alone."""
    pets = pd.DataFrame({"id": [1], "name": ["Nibbles"], "category_id": [4], "status": ["sold"]})
    path = pf.write_report(pets, tmp_path / "stock.csv", categories=CAVY, journal=birds.journal)
    assert "Meerschweinchen" in path.read_text()


@pytest.mark.usefixtures("server_here")
def test_the_shell_asks_with_exit_code_9(tmp_path) -> None:
    """A command prints the question with the option that answers it, and exits with 9."""
    for name, label in (("birds", "Bird"), ("cavies", "Cavy")):
        written(tmp_path, f"name,categoryId\nOne of the {name},{label}\n", f"{name}.csv")
        written(tmp_path, f"id,name\n4,{label}\n", f"{name}_list.csv")
    assert typed("petstore-frame load birds.csv --categories birds_list.csv").exit_code == 0
    commands = (
        "petstore-frame report -o stock.csv --categories cavies_list.csv",
        "petstore-frame load cavies.csv --categories cavies_list.csv",
    )
    for command in commands:
        asked = typed(command)
        assert (asked.exit_code, "add --rename-categories 4" in asked.stderr) == (9, True)
        assert typed(f"{command} --rename-categories 4").exit_code == 0
