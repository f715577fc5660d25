"""Arguments of load: a wrong one stages nothing, and a wrong word is answered by the right one."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.loader.options import GRACE_S
from unit.conftest import inventory
from unit.loader.opened import written

WRONG = [
    ({"max_errors": -1}, "max_errors is 0 or more, got -1"),
    ({"workers": 0}, "workers is 1 to 32, got 0"),
    ({"dry_run": "no"}, "dry_run is True or False, got 'no'"),
    ({"progress": 3}, "progress is a function, True, False or None, got 3"),
    ({"send_lines": "3"}, "a line is a whole number, got the text '3'"),
    ({"duplicates": {"similar": "skip"}}, "a case of duplicates is one of "),
    ({"kye": "tag"}, "load has no word 'kye'; did you mean 'key'?"),
    ({"dryrun": True}, "load has no word 'dryrun'; did you mean 'dry_run'?"),
    ({"sep": ";"}, "load has no word 'sep'; it has key, keep, mapping, "),
    ({"recipe": {"kepe": "first"}}, "did you mean 'keep'?"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), WRONG, ids=str)
def test_a_wrong_argument_stages_nothing(
    client: pf.Client, tmp_path: Path, options, words: str
) -> None:
    """Each is refused with what it can be, before a journal is made."""
    file = written(tmp_path, "name,category_id\nRex,3\n")
    with pytest.raises(pf.ArgumentError) as refused:
        pf.load(file, client, **{"journal": tmp_path / "journal"} | options)
    assert words in str(refused.value) and "nothing was sent" in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["pets.csv"]


@pytest.mark.parametrize("source", [inventory(), {"name": ["Rex"]}, 3, None])
def test_what_is_no_file_and_no_frame_is_refused(client, tmp_path: Path, source) -> None:
    """A caller who passes the wrong kind of thing is told what would be right."""
    with pytest.raises(pf.ArgumentError, match=r"DataFrame|\.frame"):
        pf.load(source, client, journal=tmp_path)


def test_what_is_not_a_client_is_refused(tmp_path: Path) -> None:
    """A missing client is named before the file is opened."""
    with pytest.raises(pf.ArgumentError, match=r"[Cc]lient"):
        pf.load("pets.csv", None, journal=tmp_path / "j")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_the_grace_is_at_least_two_timeouts() -> None:
    """A request that a client gives up is not thought to be under way any more."""
    assert 2 * inspect.signature(pf.Client).parameters["timeout"].default <= GRACE_S
