"""The animal that agrees most with a row, found without a comparison with all of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.loader.matching.similar_animals import SimilarAnimals, most_similar
from unit.loader.matching.rows import animal, row

names, categories, flags = st.sampled_from("AB"), st.sampled_from([1, 2]), st.booleans()
animals = st.lists(st.tuples(names, categories, flags, flags, flags), min_size=1, max_size=6)


@given(animals, st.tuples(names, categories, flags))
def test_it_is_the_animal_of_a_comparison_with_all(others: list, compared: tuple) -> None:
    """Names that agree with any name, animals without content and those that are gone included."""
    compared_row = row(1, *compared[:2], has_default_name=compared[2])
    found = [
        animal(id, name, category, has_default_name=is_default, is_gone=is_gone)._replace(
            **({"content": None} if is_unread else {})
        )
        for id, (name, category, is_default, is_gone, is_unread) in enumerate(others, 1)
    ]
    assert SimilarAnimals(found).most_similar(compared_row) == most_similar(compared_row, found)
