"""An error in a notebook is one sentence and the caller's own line, not the calls inside."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from petstore_frame import errors

CELL = """import petstore_frame as pf
def stock(address):
    client = pf.Client(address, "k", max_retries=0, timeout_s=0.5)
    return pf.fetch_inventory(client)
stock("http://127.0.0.1:9/v1")
"""


@pytest.fixture(autouse=True)
def no_activated_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython warns where VIRTUAL_ENV names an environment that is not its own."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


def run_the_cell() -> None:
    """Run the cell in IPython, which shows its error on standard output."""
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    try:
        assert not shell.run_cell(CELL).success
    finally:
        shell.history_manager.end_session()


def test_a_notebook_shows_the_sentence_and_the_callers_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What happened comes first, then the lines that the user wrote, and none of ours."""
    run_the_cell()
    shown = capsys.readouterr().out
    lines = shown.strip().splitlines()
    assert lines[0].startswith(("APIConnectionError: ", "IncompleteInventoryError: "))
    assert [line.split(": ", 1)[1] for line in lines if line.startswith("  ")] == [
        'stock("http://127.0.0.1:9/v1")',
        "return pf.fetch_inventory(client)",
    ]
    assert len(lines) <= 6
    assert "site-packages" not in shown


def test_the_whole_traceback_is_one_call_away(capsys: pytest.CaptureFixture[str]) -> None:
    """Who debugs the package gets every call, of the last error or of one at hand."""
    run_the_cell()
    errors.print_traceback()
    whole = capsys.readouterr().err
    assert whole.count("petstore_frame") > 3
    with pytest.raises(pf.ArgumentError) as caught:
        pf.NewPet(name=3)  # type: ignore[call-arg, arg-type]
    errors.print_traceback(caught.value)
    assert "not a valid pet" in capsys.readouterr().err
