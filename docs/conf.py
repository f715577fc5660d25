"""How Sphinx builds these pages: ``sphinx-build -W docs docs/_build``."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import petstore_frame

HERE = Path(__file__).parent
HOUSE = Path(petstore_frame.__file__).parent
sys.path.insert(0, str(HERE))
import house  # noqa: E402 # beside this file

project = "petstore_frame"
author = "The petstore_frame authors"
release = version = petstore_frame.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# What the cells load goes into journals of their own, not among the user's.
_STATE = TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = _STATE.name
os.environ["TQDM_DISABLE"] = "1"  # a bar that ended shows nothing on a page

# Notebooks and the cells of pages run at each build, each in an empty folder.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
nb_output_stderr = "remove"  # progress bars
# A page has no kernel: markup, such as the static copy of a dashboard, stands for a widget, and no
# script of Jupyter's is asked for.
nb_ipywidgets_js: dict[str, Any] = {}
nb_mime_priority_overrides = [("html", "text/html", 1)]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
maximum_signature_line_length = 88

html_theme = "pydata_sphinx_theme"
html_title = f"petstore_frame {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_sidebars: dict[str, list[str]] = {
    page: [] for page in ("get_started", "interface", "service", "inputs", "benchmarks")
}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
copyright = f"{author}, MIT licence"

_NOTEBOOKS = """# Notebooks

Each was run from top to bottom, on a store of its own, when these pages were built. They are in
`notebooks/` of the repository, and `petstore-frame demo` leaves a copy in `petstore-demo/`.

```{toctree}
:glob:

0*
```
"""


def _bring_notebooks(app: Any) -> None:
    """Copy the notebooks, which the wheel packs from the root, to where Sphinx finds them."""
    place = HERE / "notebooks"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(HERE.parent / "notebooks", place, ignore=shutil.ignore_patterns(".*"))
    (place / "index.md").write_text(_NOTEBOOKS, encoding="utf-8")


def _draw_house(app: Any) -> None:
    """Draw the parts and their imports as they are now."""
    picture = house.drawing(house.parts_of(HOUSE), "Now")
    (HERE / "explanations" / "house.svg").write_text(picture, encoding="utf-8")


def _link_interface(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Set apart the line of a docstring that names the section of the interface it rests on."""
    for at, line in enumerate(lines):
        lines[at] = re.sub(r"^Interface: ", "**Interface:** ", line)


def setup(app: Any) -> None:
    app.connect("builder-inited", _bring_notebooks)
    app.connect("builder-inited", _draw_house)
    app.connect("autodoc-process-docstring", _link_interface)
