"""How Sphinx builds these pages: ``sphinx-build -W docs docs/_build``."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import create_component

import petstore_frame

HERE = Path(__file__).parent

project = "petstore_frame"
author = "The petstore_frame authors"
release = version = petstore_frame.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_design"]
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
    page: [] for page in ("install", "get_started", "interface", "service", "inputs", "benchmarks")
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
copyright = f"{author}, MIT license"

_NOTEBOOKS = """# Notebooks

The first is for pandas users; the others are a month in a shelter, from the first day to the weekly
report. Each was run from top to bottom when these pages were built. They are in `notebooks/` of
the repository, and `petstore-frame demo` leaves a copy in `petstore-demo/`.

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


def _link_interface(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Set apart the line of a docstring that names the section of the interface it rests on."""
    for at, line in enumerate(lines):
        lines[at] = re.sub(r"^Interface: ", "**Interface:** ", line)


class TabsOfSections(SphinxTransform):
    """Show the sections under "One story, three ways" of *Get started* as tabs.

    A cell runs only at the top level of a page, never within the directive of a tab.
    """

    default_priority = 400

    def apply(self, **_: Any) -> None:
        if self.env.current_document.docname != "get_started":
            return
        story = next(s for s in self.document.findall(nodes.section) if "three" in s[0].astext())
        ways = [child for child in story.children if isinstance(child, nodes.section)]
        tabs = create_component("tab-set", classes=["sd-tab-set"])
        for way in ways:
            title, *content = way.children
            tab = create_component("tab-item", classes=["sd-tab-item"], selected=False)
            tab += nodes.rubric("", "", *title.children, classes=["sd-tab-label"])
            tab += create_component("tab-content", classes=["sd-tab-content"], children=content)
            tabs += tab
            story.remove(way)
        story += tabs


class FitOutputs(SphinxPostTransform):
    """Leave out the outputs of cells that show nothing, such as a progress bar that ended.

    A file that a cell wrote is not on the site, so its name is no link here.
    """

    default_priority = 10  # myst-nb chooses among the kinds of an output at 4

    def run(self, **_: Any) -> None:
        for block in [*self.document.findall(nodes.literal_block)]:
            if not block.astext().strip() and "output" in block["classes"]:
                output = block.parent
                output.remove(block)
                if not output.children:
                    output.parent.remove(output)
        for raw in self.document.findall(nodes.raw):
            markup = re.sub(r"<a href='[^':]+' target='_blank'>(.*?)</a>", r"\1", raw.astext())
            if markup != raw.astext():
                raw.children = [nodes.Text(markup)]


def _write_llms_txt(app: Any, problem: Exception | None) -> None:
    """List the pages for a program that reads them: llms.txt, and all their text behind it."""
    if problem or app.builder.name != "html":
        return
    sources = {page: Path(app.env.doc2path(page)) for page in sorted(app.env.found_docs)}
    lines = ["# petstore_frame", "", f"> {petstore_frame.__doc__.splitlines()[0]}", "", "## Pages"]
    lines += [
        f"- [{app.env.titles[page].astext()}]({page}.html)"
        for page in sources
        if page in app.env.titles
    ]
    texts = [path.read_text(encoding="utf-8") for path in sources.values() if path.suffix == ".md"]
    (Path(app.outdir) / "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (Path(app.outdir) / "llms-full.txt").write_text("\n\n".join(texts), encoding="utf-8")


def _take_pictures(app: Any, problem: Exception | None) -> None:
    """Make the site's pictures anew, where the programs for it are there."""
    programs = (os.environ.get("CHROMIUM", "/usr/bin/chromium"), "soffice", "pdftoppm")
    can = all(map(shutil.which, programs)) and importlib.util.find_spec("playwright")
    if not problem and app.builder.name == "html" and can:
        command = [sys.executable, str(HERE / "pictures.py"), str(Path(app.outdir) / "_images")]
        subprocess.run(command, check=True)


def setup(app: Any) -> None:
    app.connect("builder-inited", _bring_notebooks)
    app.connect("autodoc-process-docstring", _link_interface)
    app.connect("build-finished", _write_llms_txt)
    app.connect("build-finished", _take_pictures)
    app.add_transform(TabsOfSections)
    app.add_post_transform(FitOutputs)
