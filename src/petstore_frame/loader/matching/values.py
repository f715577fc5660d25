"""The values that the rules compare, and what they conclude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from petstore_frame.loader.row_state import RowProblem, State
from petstore_frame.schema import category_in, name_in

# An animal in one of these was surely not sent, or not as it is.
UNSENT_STATES = frozenset({None, State.PENDING, State.REJECTED, State.NOT_FOUND})


class By(StrEnum):
    """How the animal of a row was found, as the journal has it."""

    REPEAT = "repeat"  # another row of the file has its key, and stands for both
    SIMILAR_ROW = "similar_row"  # another row has its key in another spelling, the user says
    FIX = "fix"  # it names the row that it corrects
    KEY = "key"
    MOVED = "moved"  # an animal that an earlier file did not send
    USER = "user"  # it is an animal of its own, the user says
    SIMILAR_KEY = "similar_key"
    REUSED_KEY = "reused_key"
    SAME_CONTENT = "same_content"
    IN_STORE = "in_store"
    GONE = "gone"


class Row(NamedTuple):
    """A row of the file that a rule may be about."""

    number: int
    line: int
    content: str | None = None  # folded name and category; None if it cannot be sent
    payload: bytes | None = None
    key: str | None = None  # as it is stored: a JSON list of texts
    core: str | None = None
    animal: int | None = None  # one of the journal, or the number that it gets as a new one
    state: State | None = None  # of that animal
    by: By | None = None
    is_to_send: bool = False  # as things stand
    is_excluded: bool = False
    has_default_name: bool = False
    has_problem: bool = False
    has_key_problem: bool = False  # its key is what needs fixing
    order_value: str | None = None
    unsent_hash: bytes | None = None
    is_known: bool = False  # its animal is one of an earlier reading of this file, or another file

    @property
    def sends(self) -> bytes | None:
        """What it sends, or would send if it could: rows that send the same are no tie."""
        return self.payload or self.unsent_hash

    @property
    def is_free(self) -> bool:
        """Whether no animal that was sent is its own yet."""
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
    keys: tuple[str, ...] = ()  # in the columns of the file's key
    cores: tuple[str, ...] = ()
    pet_id: int | None = None
    was_listed: bool = False  # a reading of the store has shown its pet, or should by now
    reason: str | None = None  # of its state

    @property
    def is_sent(self) -> bool:
        """Whether it was sent, or may have been."""
        return self.state not in UNSENT_STATES


class Pet(NamedTuple):
    """A pet of the store, and what the journal knows of it."""

    id: int
    name: str  # as the store has it
    payload: bytes  # the request body that would make it
    content: str
    animal: int | None = None  # the animal that it is, or that it is left to while that is in doubt
    is_new: bool = True  # no load that got past its questions has seen it
    is_decided: bool = False  # the user said that no row of such files is this pet


class Match(NamedTuple):
    """A row, and what it may be: an animal, a pet of somebody else, or another row of the file."""

    row: int
    animal: int | None = None
    pet: Pet | None = None
    same_as: int | None = None


@dataclass(frozen=True)
class OpenCase:
    """A case of the question that has no answer: its matches, of how many rows it could concern."""

    name: By
    matches: Sequence[Match]
    of: int


@dataclass
class Plan:
    """What becomes of the rows that the rules were about; every other row is an animal of its own.

    Attributes:
        animals: The animal of each row that is one of the journal, and by what it is known.
        pets: The pet of somebody else that each of these rows is.
        same_as: Rows that another row of the file stands for.
        similar: Those of them that have its key in another spelling.
        problems: Rows that need fixing.
        created: Rows that an answer made animals of their own, by the case that asked.
        cases: The cases that the user has not answered.
        few: Rows that are sent with a warning, by case.
        moved: Rows that take over an animal that was not sent.
        lives: How many equal pets these rows are other animals than.
        gone: Animals that are not in the store any more.
        created_again: Animals that are not there, and are sent again.
        few_gone: Rows of few animals that are not there, and that are only listed.
        renamed: Rows whose pets have another name in the store.
        has_store_matches: Whether rows may be pets of others.
        creates_in_store: Whether the user called such rows other animals.
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
    renamed: list[Match] = field(default_factory=list)
    has_store_matches: bool = False
    creates_in_store: bool = False

    def is_decided(self, row: Row) -> bool:
        """Return whether an earlier rule has said what a row is."""
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
    """Return whether the names differ; a name from ``defaults`` is no name."""
    if row.content is None or animal.content is None:
        return False
    if row.has_default_name or animal.has_default_name:
        return False
    return name_in(row.content) != name_in(animal.content)


def differs_in_category(row: Row, animal: Animal) -> bool:
    """Return whether the categories differ."""
    if row.content is None or animal.content is None:
        return False
    return category_in(row.content) != category_in(animal.content)
