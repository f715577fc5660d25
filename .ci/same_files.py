"""Compare two builds of the package, file by file: ``python .ci/same_files.py WHEEL OTHER``.

The exit code is 0 when the package has the same files with the same bytes in both, and types and
license are there; else it says what differs. The second may be a folder where one was installed.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

PACKAGE = "petstore_frame/"
NEEDED = {
    "petstore_frame/py.typed",
    "petstore_frame/notebooks/01_first_look.ipynb",
}


def files_of(build: Path) -> dict[str, str]:
    """Return the digest of each file of the package, by its name."""
    if build.is_dir():
        found = {
            str(path.relative_to(build)): path.read_bytes()
            for path in (build / PACKAGE).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
    else:
        with ZipFile(build) as archive:
            found = {
                name: archive.read(name)
                for name in archive.namelist()
                if name.startswith(PACKAGE) and not name.endswith("/")
            }
    return {name: sha256(content).hexdigest() for name, content in found.items()}


def has_license(wheel: Path) -> bool:
    with ZipFile(wheel) as archive:
        return any(name.endswith(".dist-info/licenses/LICENSE") for name in archive.namelist())


def main() -> None:
    """Compare the two builds that the command line names."""
    wheel, other = (Path(argument) for argument in sys.argv[1:])
    ours, theirs = files_of(wheel), files_of(other)
    problems = [f"differs: {name}" for name, _ in sorted(ours.items() ^ theirs.items())]
    problems += [f"missing: {name}" for name in sorted(NEEDED - ours.keys())]
    if not has_license(wheel):
        problems.append(f"missing: LICENSE in {wheel.name}")
    if problems:
        raise SystemExit("\n".join(problems))
    print(f"{len(ours)} files, equal in both")


if __name__ == "__main__":
    main()
