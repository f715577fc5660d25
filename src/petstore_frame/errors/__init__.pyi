"""The names of ``petstore_frame.errors`` for type checkers, each with its home."""

# ruff: noqa: F403

from petstore_frame.errors import carriers
from petstore_frame.errors.arguments import INT64 as INT64
from petstore_frame.errors.arguments import before_sending as before_sending
from petstore_frame.errors.arguments import checked_client as checked_client
from petstore_frame.errors.arguments import one_of as one_of
from petstore_frame.errors.arguments import some_of as some_of
from petstore_frame.errors.arguments import time_zone as time_zone
from petstore_frame.errors.arguments import whole_number as whole_number
from petstore_frame.errors.classes import *
from petstore_frame.errors.frames import callers_level as callers_level
from petstore_frame.errors.names import answering as answering
from petstore_frame.errors.names import folded_name as folded_name
from petstore_frame.errors.names import like as like
from petstore_frame.errors.names import nearest as nearest
from petstore_frame.inventory.result import Inventory
from petstore_frame.loader.question import Question
from petstore_frame.loader.record import Ending
from petstore_frame.loader.results.results import LoadResult

class IncompleteInventoryError(carriers.IncompleteInventoryError):
    partial: Inventory

class FetchInterrupted(carriers.FetchInterrupted):
    partial: Inventory

class DuplicatesError(carriers.DuplicatesError):
    question: Question

class LoadFailedError(carriers.LoadFailedError):
    result: LoadResult

class LoadStopped(carriers.LoadStopped):
    result: LoadResult
    ending: Ending

class LoadInterrupted(carriers.LoadInterrupted):
    result: LoadResult
