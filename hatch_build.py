"""Sets the links of the package's metadata from the environment of the build.

``PETSTORE_REPOSITORY`` is the address of the repository, ``PETSTORE_DOCUMENTATION`` that of the
pages and ``PETSTORE_ISSUES`` that of the issues, by default ``/issues`` of the repository::

    PETSTORE_REPOSITORY=https://host/owner/name PETSTORE_DOCUMENTATION=https://… python -m build

A package index shows the README away from its repository, so its links and pictures get the address
of the repository. ``.ci/check_release.py`` checks that a release has all links.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class LinksHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        urls = {}
        if repository := os.environ.get("PETSTORE_REPOSITORY"):
            text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\1{repository}/raw/main/", text)
            text = re.sub(r"((?<!!)\[[^\]]*\]\()(?!https?:)", rf"\1{repository}/blob/main/", text)
            urls["Source"] = repository
            urls["Issues"] = os.environ.get("PETSTORE_ISSUES", f"{repository}/issues")
        if documentation := os.environ.get("PETSTORE_DOCUMENTATION"):
            urls["Documentation"] = documentation
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = urls
