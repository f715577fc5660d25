"""The values that the matching rules compare, and the plan that they produce."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from petstore_frame.loader.matching.folding import category_in, name_in
from petstore_frame.loader.row_state import RowProblem, State

# The states of animals that were not sent, or whose requests created no pet.
UNSENT_STATES = frozenset({None, State.PENDING, State.REJECTED, State.NOT_FOUND})


class By(StrEnum):
    """How the animal of a row was found; the values are stored in the journal."""

    REPEAT = "repeat"  # another row of the file with the same key was selected
    SIMILAR_ROW = "similar_row"  # so was a row with another spelling of the key
    FIX = "fix"  # it names the row that it corrects
    KEY = "key"
    MOVED = "moved"  # an animal of an earlier file, which did not send it
    USER = "user"  # the user said that it is a new animal
    SIMILAR_KEY = "similar_key"
    REUSED_KEY = "reused_key"
    SAME_CONTENT = "same_content"
    IN_STORE = "in_store"
    GONE = "gone"


class Row(NamedTuple):
    """A row of the file that a rule may apply to."""

    number: int
    line: int
    content: str | None = None  # folded name and category; None if it cannot be sent
    payload: bytes | None = None
    key: str | None = None  # in its stored form: a JSON list of texts
    core: str | None = None
    animal: int | None = None  # number of an existing or a new animal
    state: State | None = None  # of that animal
    by: By | None = None
    is_to_send: bool = False  # it would be sent if no rule applied
    is_excluded: bool = False
    has_default_name: bool = False
    has_problem: bool = False
    has_key_problem: bool = False  # its key is what needs fixing
    order_value: str | None = None
    unsent_hash: bytes | None = None
    has_earlier_animal: bool = False  # its animal existed before this reading of the file

    @property
    def sends(self) -> bytes | None:
        """The request body, or for an invalid row a digest of what it would send."""
        return self.payload or self.unsent_hash

    @property
    def is_free(self) -> bool:
        """Whether no rule or answer has linked the row to an animal that was sent."""
        return self.state in UNSENT_STATES and self.by not in (
            By.REPEAT,
            By.SIMILAR_ROW,
            By.USER,
        )


class Animal(NamedTuple):
    """An animal of the journal."""

    id: int
    content: str | None
    payload: bytes | None = None
    state: State | None = State.CREATED
    has_default_name: bool = False
    keys: tuple[str, ...] = ()  # only keys of the same columns as in the file
    cores: tuple[str, ...] = ()
    pet_id: int | None = None
    should_be_listed: bool = False  # a complete listing must have its pet, unless that is gone
    reason: str | None = None  # why it is in its state

    @property
    def is_sent(self) -> bool:
        """Whether it was sent, or may have been."""
        return self.state not in UNSENT_STATES


class Pet(NamedTuple):
    """A pet of the store, with what the journal has about it."""

    id: int
    name: str  # its name in the store
    payload: bytes  # the request body that would create it
    content: str
    animal: int | None = None  # its animal, or the unconfirmed animal that it may be
    is_new: bool = True  # no earlier load has seen it and had all its questions answered
    is_decided: bool = False  # the user said that it is none of the rows of files with this header


class Match(NamedTuple):
    """A row with its possible match: an animal, a pet of others, or another row of the file."""

    row: int
    animal: int | None = None
    pet: Pet | None = None
    same_as: int | None = None


@dataclass(frozen=True)
class OpenCase:
    """A case without an answer, with its matches; ``of`` is the number of rows compared."""

    name: By
    matches: Sequence[Match]
    of: int


@dataclass
class Plan:
    """The result of the matching rules; rows that it does not mention are new animals.

    Attributes:
        animals: The existing animal of each matched row, and how it was found.
        pets: The pet of others that a row was matched with.
        same_as: The row that was selected in place of a row with the same key.
        similar: Rows in ``same_as`` whose keys are other spellings.
        problems: Rows that need fixing.
        created: Rows that are new animals by an answer, with the case.
        cases: The cases that the user has not answered.
        few: Matches that are sent with a warning, by case.
        moved: Rows that take over an animal that was not sent.
        lives: How much to increase the ``life`` of rows: the number of equal pets.
        gone: Animals that are no longer in the store.
        created_again: Animals that are gone and will be sent again.
        few_gone: Rows whose animals are gone, too few to ask about.
        unproven_gone: Rows whose animals are gone if the store fills its pages.
        renamed: Rows whose pets have another name in the store.
        has_store_matches: Whether some rows may be pets of others.
        creates_in_store: Whether the user said that such rows are new animals.
    """

    animals: dict[int, tuple[int, By]] = field(default_factory=dict)
    pets: dict[int, Pet] = field(default_factory=dict)
    same_as: dict[int, int] = field(default_factory=dict)
    similar: set[int] = field(default_factory=set)
    problems: dict[int, RowProblem] = field(default_factory=dict)
    created: dict[int, By] = field(default_factory=dict)
    cases: list[OpenCase] = field(default_factory=list)
    few: dict[By, list[Match]] = field(default_factory=dict)
    moved: list[int] = field(default_factory=list)
    lives: dict[int, int] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    created_again: set[int] = field(default_factory=set)
    few_gone: list[Match] = field(default_factory=list)
    unproven_gone: list[Match] = field(default_factory=list)
    renamed: list[Match] = field(default_factory=list)
    has_store_matches: bool = False
    creates_in_store: bool = False

    def is_decided(self, row: Row) -> bool:
        """Return whether an earlier rule has decided about a row."""
        number = row.number
        return (
            number in self.animals
            or number in self.pets
            or number in self.same_as
            or number in self.problems
            or number in self.created
        )


Answers = Mapping[str, str]
SKIP, CREATE = "skip", "create"


def differs_in_name(row: Row, animal: Animal) -> bool:
    """Return whether the names differ, if both are known and neither is from ``defaults``."""
    if row.content is None or animal.content is None:
        return False
    if row.has_default_name or animal.has_default_name:
        return False
    return name_in(row.content) != name_in(animal.content)


def differs_in_category(row: Row, animal: Animal) -> bool:
    """Return whether the categories differ, if both are known."""
    if row.content is None or animal.content is None:
        return False
    return category_in(row.content) != category_in(animal.content)
