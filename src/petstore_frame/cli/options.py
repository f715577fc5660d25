"""The options that several commands share, in one wording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

BaseUrl = Annotated[str | None, typer.Option(help="The store's address; else PETSTORE_BASE_URL.")]
ApiKey = Annotated[
    str | None, typer.Option(help="The key; better in PETSTORE_API_KEY, unseen by ps.")
]
CategoriesFile = Annotated[
    Path | None, typer.Option(help="CSV of category_id,label.", exists=True, dir_okay=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]
RequireComplete = Annotated[
    bool, typer.Option("--require-complete", help="Write nothing unless all pets were read.")
]
