"""The names of ``petstore_frame.errors`` for type checkers, each with its home."""

# ruff: noqa: F403

from petstore_frame.errors.classes import *
from petstore_frame.errors.frames import callers_level as callers_level
from petstore_frame.errors.names import HERE as HERE
from petstore_frame.errors.names import answering as answering
from petstore_frame.errors.names import like as like
from petstore_frame.errors.names import nearest as nearest
from petstore_frame.inventory.result import FetchInterrupted as FetchInterrupted
from petstore_frame.inventory.result import IncompleteInventoryError as IncompleteInventoryError
from petstore_frame.loader.question import DuplicatesError as DuplicatesError
from petstore_frame.loader.results.results import LoadFailedError as LoadFailedError
from petstore_frame.loader.results.results import LoadInterrupted as LoadInterrupted
from petstore_frame.loader.results.results import LoadStopped as LoadStopped
