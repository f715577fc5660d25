"""The values that the rules compare, and the plan that they produce."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from petstore_frame.loader.matching.folding import category_in, name_in
from petstore_frame.loader.row_state import RowProblem

Answer = Literal["skip", "create"]
SKIP: Answer = "skip"
CREATE: Answer = "create"


class Row(NamedTuple):
    """A row of the file that a line of the table may apply to."""

    number: int
    line: int
    # Folded name and category; without a category that cannot be read, None without a name.
    content: str | None = None
    payload: bytes | None = None
    key: str | None = None  # in its stored form: a JSON list of texts
    core: str | None = None
    own: int | None = None  # the animal that was sent for this row
    is_gone: bool = False  # that animal is gone from the store
    is_not_found: bool = False  # it was sent, and its pet was not found
    is_excluded: bool = False
    is_unranked: bool = False  # it is excluded whatever the other rows of its key are
    has_default_name: bool = False
    order_value: str | None = None
    unsent_hash: bytes | None = None
    pet_id: int | None = None  # the id in a file with the columns of an export
    decision: Decision | None = None  # the latest answer for this row
    was_shown: bool = False  # an earlier call listed it as a possible duplicate
    is_named_new: bool = False  # this call says that its line is a new animal

    @property
    def sends(self) -> bytes | None:
        """The request body, or for an invalid row a digest of what it would send."""
        return self.payload or self.unsent_hash

    @property
    def can_be_sent(self) -> bool:
        return self.payload is not None and not self.is_excluded


class Animal(NamedTuple):
    """An animal of the journal: it was sent and is not proven absent, or was matched with a pet."""

    id: int
    content: str | None
    payload: bytes | None = None
    has_default_name: bool = False
    keys: tuple[str, ...] = ()
    is_gone: bool = False


class Pet(NamedTuple):
    """A pet of the store that is no animal of the journal."""

    id: int
    name: str  # its name in the store
    payload: bytes  # the request body that would create it
    content: str


class Decision(NamedTuple):
    """An answer that was given for a row: the animal that it is, or None for a new animal."""

    answer: Answer
    animal: int | None
    at: float


class Match(NamedTuple):
    """What a row may be: an animal, a pet, or the same as another row; and why."""

    row: int
    table_line: int  # the line of the table that found it
    animal: int | None = None
    pet: Pet | None = None
    same_as: int | None = None


@dataclass(frozen=True)
class Candidates:
    """The rows that a line of the table may apply to, and what they may be.

    Attributes:
        rows: Rows that are not settled yet, and rows with a key that another row has.
        by_key: The animals of each exact key.
        by_core: The animals of each core, by the core.
        by_content: Animals with the content of a row, if no row of the file is one of them and the
            file has none of their keys.
        by_name: The same for the names of rows without a key.
        open_rows: Number of rows of a file without a key that may be new animals.
        pets: The pets that are no animal, by id.
        animals_of_pets: The animals of pets that are named by an id in the file.
        settled_keys: Number of rows with an existing key and unchanged content.
        has_key: Whether the file has a key.
        earlier_create: Whether an earlier file of this header was answered with ``create``.
    """

    rows: tuple[Row, ...] = ()
    by_key: Mapping[str, list[Animal]] = field(default_factory=dict)
    by_core: Mapping[str, list[Animal]] = field(default_factory=dict)
    by_content: Mapping[str, list[Animal]] = field(default_factory=dict)
    by_name: Mapping[str, list[Animal]] = field(default_factory=dict)
    open_rows: int = 0
    pets: Mapping[int, Pet] = field(default_factory=dict)
    animals_of_pets: Mapping[int, Animal] = field(default_factory=dict)
    settled_keys: int = 0
    has_key: bool = False
    earlier_create: bool = False


@dataclass
class Plan:
    """What each row is; a row that is not mentioned is a new animal.

    Attributes:
        animals: The existing animal of a row.
        pets: The pet of the store that a row was matched with.
        same_as: The row that was selected for the key of a row.
        conflicts: Rows that need fixing because of other rows of their key.
        possible: Rows that are not sent until somebody answers.
        answered: The answer of this call for each row that it decided.
        created: Rows that are new animals by an answer.
        listed: Rows that are sent although they equal an animal or pet, after an earlier answer.
        skipped: Rows that are not sent because of an earlier answer.
        refused: Lines that this call names as new animals, although nothing suggests another one.
    """

    animals: dict[int, int] = field(default_factory=dict)
    pets: dict[int, Pet] = field(default_factory=dict)
    same_as: dict[int, int] = field(default_factory=dict)
    conflicts: dict[int, RowProblem] = field(default_factory=dict)
    possible: dict[int, Match] = field(default_factory=dict)
    answered: dict[int, Decision] = field(default_factory=dict)
    created: dict[int, Match | None] = field(default_factory=dict)
    listed: dict[int, Match] = field(default_factory=dict)
    skipped: dict[int, Decision] = field(default_factory=dict)
    refused: list[int] = field(default_factory=list)


def has_name_of(row: Row, animal: Animal) -> bool:
    """Return whether the names agree; a name from ``defaults`` or an unreadable one always does."""
    if row.content is None or animal.content is None:
        return True
    if row.has_default_name or animal.has_default_name:
        return True
    return name_in(row.content) == name_in(animal.content)


def has_category_of(row: Row, animal: Animal) -> bool:
    """Return whether the categories agree."""
    return category_in(row.content or "") == category_in(animal.content or "")
