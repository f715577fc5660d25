"""What a release needs, and that CI, pre-commit and CONTRIBUTING run the same commands."""

from __future__ import annotations

import re
import runpy
from email.message import Message

import pytest

from package_files import ROOT
from petstore_frame import __version__

find_problems = runpy.run_path(str(ROOT / ".ci/check_release.py"))["find_problems"]
LINKS = {
    "Source": "https://host.example/owner/name",
    "Issues": "https://host.example/owner/name/issues",
    "Documentation": "https://docs.example/",
}


def metadata(links: dict[str, str], readme: str = "", version: str = __version__) -> Message:
    message = Message()
    message["Version"] = version
    for name, address in links.items():
        message["Project-URL"] = f"{name}, {address}"
    message.set_payload(readme)
    return message


def test_a_release_with_all_links_has_no_problem() -> None:
    """Absolute links are what an index can show."""
    assert find_problems(metadata(LINKS, "[a page](https://host.example/a.md)")) == []


@pytest.mark.parametrize("name", LINKS)
def test_a_release_without_a_link_is_found(name: str) -> None:
    """The problem names the link and the settings of the build."""
    links = {key: address for key, address in LINKS.items() if key != name}
    (problem,) = find_problems(metadata(links))
    assert name in problem and "PETSTORE_REPOSITORY" in problem


def test_a_readme_or_version_of_another_place_is_found() -> None:
    """A picture in the repository, and a version that the other files lack."""
    assert len(find_problems(metadata(LINKS, "![a picture](docs/first_look.png)"))) == 1
    assert len(find_problems(metadata(LINKS, version="99.0"))) == 3


def test_everybody_runs_the_same_commands() -> None:
    """Style is ``.ci/style`` and everything is ``.ci/run``; no list of commands is repeated."""
    texts = {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in (".ci/run", ".pre-commit-config.yaml", "CONTRIBUTING.md")
    }
    assert all(".ci/style" in text for text in texts.values())
    assert not [name for name, text in texts.items() if re.search(r"\bmypy\b(?! )", text)]
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert re.findall(r"\.ci/\w+", workflow)[-1] == ".ci/run"


def test_numpy_is_one_that_the_newest_pyarrow_accepts() -> None:
    """pyarrow does not declare numpy, so an installer would keep an old one, and imports fail."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lowest = re.search(r'"numpy>=(\d+)', project)
    assert lowest is not None and int(lowest[1]) >= 2
