"""The names of the fields of a pet on the page."""

from __future__ import annotations

from petstore_frame.schema import FIELDS

LABELS = {field.name: field.label for field in FIELDS} | {"category_id": "Category"}
