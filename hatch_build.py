"""The README in the package's metadata, whose links and pictures lead to the repository.

An index shows the README away from its repository, so PETSTORE_REPOSITORY names its address at a
release: ``PETSTORE_REPOSITORY=https://host/owner/name python -m build``.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if home := os.environ.get("PETSTORE_REPOSITORY"):
            text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\1{home}/raw/main/", text)
            text = re.sub(r"((?<!!)\[[^\]]*\]\()(?!https?:)", rf"\1{home}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
