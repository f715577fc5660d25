"""Check that a wheel is ready for a package index: ``python .ci/check_release.py WHEEL``.

The exit code is 0 if its metadata has all links, its README needs no repository next to it, and its
version is that of the changelog, of the conda recipe and of CITATION.cff.
"""

from __future__ import annotations

import re
import sys
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
LINKS = {"Source", "Issues", "Documentation"}


def read_metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def find_problems(metadata: Message) -> list[str]:
    """Return what is missing for a release, as one line each."""
    problems = []
    links = dict(text.split(", ", 1) for text in metadata.get_all("Project-URL", []))
    for name in sorted(LINKS - links.keys()):
        problems.append(f"no link {name}: set PETSTORE_REPOSITORY and PETSTORE_DOCUMENTATION")
    for name, address in links.items():
        if not address.startswith("https://"):
            problems.append(f"link {name} must begin with https://, got {address!r}")
    readme = str(metadata.get_payload())
    for address in re.findall(r"\]\((?!https?:|#)([^)]+)\)", readme):
        problems.append(f"the README links to {address}, which an index does not have")
    version = metadata["Version"]
    if f"## [{version}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        problems.append(f"CHANGELOG.md has no section for {version}")
    if f'version = "{version}"' not in (ROOT / "conda/meta.yaml").read_text(encoding="utf-8"):
        problems.append(f"conda/meta.yaml has another version than {version}")
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        problems.append(f"CITATION.cff has another version than {version}")
    return problems


def main() -> None:
    metadata = read_metadata(Path(sys.argv[1]))
    if problems := find_problems(metadata):
        raise SystemExit("\n".join(problems))
    print(f"{metadata['Name']} {metadata['Version']}: all links are there")


if __name__ == "__main__":
    main()
