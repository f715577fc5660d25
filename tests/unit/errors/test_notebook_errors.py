"""An error in a notebook is one sentence and the caller's own line, not the calls inside."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from petstore_frame import errors

CELL = """import petstore_frame as pf
def stock(address):
    client = pf.Client(address, "k", max_retries=0, timeout=0.5)
    return pf.fetch_inventory(client)
stock("http://127.0.0.1:9/v1")
"""


def test_a_notebook_shows_the_sentence_and_the_callers_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What happened, then the user's own lines alone; who debugs the package gets every call."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)  # IPython warns of one that is not its own
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    assert not shell.run_cell(CELL).success
    shell.history_manager.end_session()
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[0].startswith(("APIConnectionError: ", "IncompleteInventoryError: "))
    assert [line.split(": ", 1)[1] for line in lines if line.startswith("  ")] == [
        'stock("http://127.0.0.1:9/v1")',
        "return pf.fetch_inventory(client)",
    ]
    assert len(lines) <= 6
    errors.print_traceback()
    assert capsys.readouterr().err.count("petstore_frame") > 3
    with pytest.raises(pf.ArgumentError) as caught:
        pf.NewPet(name=3)  # type: ignore[call-arg, arg-type]
    errors.print_traceback(caught.value)
    assert "not a valid pet" in capsys.readouterr().err
