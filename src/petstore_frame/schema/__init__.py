"""Defines a pet: its fields, models, columns and text comparison."""

from petstore_frame.schema.arrow_tables import damaged_parquet, pandas_from_arrow
from petstore_frame.schema.categories import Categories, Labels
from petstore_frame.schema.columns import AnyFrame, PetColumns, PetRows, as_type
from petstore_frame.schema.folding import (
    category_in,
    content_of,
    core,
    core_of_key,
    fold,
    fold_name,
    name_in,
)
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
    "Categories",
    "Labels",
    "NewPet",
    "Pet",
    "PetColumns",
    "PetField",
    "PetRows",
    "PetStatus",
    "as_type",
    "category_in",
    "content_of",
    "core",
    "core_of_key",
    "count_text",
    "damaged_parquet",
    "fold",
    "fold_name",
    "folded_name",
    "line_ranges",
    "line_text",
    "minute_text",
    "name_in",
    "pandas_from_arrow",
    "status_label",
]
