"""Finds out which notebook cell is running, so that its next run can clean up."""

from __future__ import annotations

import sys


def current_cell() -> tuple[str, str] | None:
    """Return the id of the running notebook cell and of this run; None outside of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    message = shell.kernel.get_parent("shell")
    cell_id = message.get("metadata", {}).get("cellId")
    run_id = message.get("header", {}).get("msg_id")
    if not cell_id or not run_id:
        return None
    return cell_id, run_id
