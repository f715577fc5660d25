"""Defines a pet: its fields, models and columns."""

from petstore_frame.schema.columns import AnyFrame, PetColumns, PetRows, as_type
from petstore_frame.schema.models import (
    FIELDS,
    PET_COLUMNS,
    PET_STATUSES,
    NewPet,
    Pet,
    PetField,
    PetStatus,
)
from petstore_frame.schema.text import (
    NO_STATUS,
    count_text,
    folded_name,
    line_ranges,
    line_text,
    minute_text,
    status_label,
)

__all__ = [
    "FIELDS",
    "NO_STATUS",
    "PET_COLUMNS",
    "PET_STATUSES",
    "AnyFrame",
    "NewPet",
    "Pet",
    "PetColumns",
    "PetField",
    "PetRows",
    "PetStatus",
    "as_type",
    "count_text",
    "folded_name",
    "line_ranges",
    "line_text",
    "minute_text",
    "status_label",
]
