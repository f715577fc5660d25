"""The sizes, spacing and colors of all markup.

Text and lines use the colors of the page around them, such as a notebook's theme, so that light and
dark themes need no switch. The colors of statuses and verdicts are in ``palette``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from petstore_frame.rendering.palette import ACCENT

_FAINT = "color-mix(in srgb,currentColor {}%,transparent)"
INK = "var(--jp-ui-font-color1,var(--vscode-foreground,currentColor))"
MUTED = f"var(--jp-ui-font-color2,var(--vscode-descriptionForeground,{_FAINT.format(66)}))"
RULE = f"var(--jp-border-color2,var(--vscode-panel-border,{_FAINT.format(22)}))"
SHADE = f"var(--jp-layout-color2,var(--vscode-editorWidget-background,{_FAINT.format(8)}))"
PAPER = "var(--jp-layout-color1,var(--vscode-editor-background,transparent))"
FONT = "var(--jp-ui-font-family,system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif)"
CODE_FONT = "var(--jp-code-font-family,Menlo,'DejaVu Sans Mono',monospace)"

# Pixels: body text, key figures, headings of sections, and the title.
TEXT, FIGURE, SECTION, TITLE = 13, 23, 15, 20
# The same for HTML pages, which people read from a greater distance.
PAGE_TEXT, PAGE_SECTION, PAGE_TITLE = 15, 19, 30
PAGE_FONT = "system-ui,'Segoe UI',Roboto,Carlito,'DejaVu Sans',sans-serif"
RADIUS = 4

_CELL = f"padding:4px 12px 4px 0;vertical-align:top;background:none;border-bottom:1px solid {RULE}"

ELEMENT_STYLES: Mapping[str, str] = MappingProxyType(
    {
        "body": f"color:{INK};font:{TEXT}px/1.5 {FONT};max-width:72em",
        "title": f"font-size:{TITLE}px;font-weight:650;line-height:1.2;margin:0 0 4px",
        "section": f"font-size:{SECTION}px;font-weight:650;margin:14px 0 4px",
        "badge": f"display:inline-block;border:1px solid;border-radius:{RADIUS}px;padding:0 8px;"
        "font-weight:600;white-space:nowrap",
        "after": "margin-left:4px",
        "quiet": f"color:{MUTED};margin:2px 0 8px;overflow-wrap:anywhere",
        "faint": f"color:{MUTED}",
        "items": "margin:2px 0 6px 1.2em;padding:0",
        "fold": "margin:0 0 4px",
        "fold-name": f"cursor:pointer;color:{MUTED};width:fit-content",
        "table": f"border-collapse:collapse;border:none;margin:0 0 8px;color:{INK};"
        f"font-size:{TEXT}px",
        "caption": "text-align:left;caption-side:top;padding:0 0 4px;color:inherit",
        "head": f"{_CELL};text-align:left;font-weight:600",
        "name": f"{_CELL};text-align:left;font-weight:400",
        "cell": f"{_CELL};text-align:left;overflow-wrap:break-word;max-width:34em",
        "foot": f"{_CELL};text-align:left;font-weight:700;border-top:2px solid {RULE}",
        "number": "text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap",
        "row": "background:none",
        "cards": "display:flex;flex-wrap:wrap;gap:8px;margin:6px 0 10px",
        "card": f"flex:1 1 6.5em;border:1px solid {RULE};border-top:4px solid;"
        f"border-radius:{RADIUS}px;padding:6px 12px 8px;background:{PAPER}",
        "least": "border-top-style:dashed",
        "figure": f"display:block;font-size:{FIGURE}px;font-weight:650;line-height:1.25;"
        "font-variant-numeric:tabular-nums;white-space:nowrap",
        "panel": f"border:1px solid;border-left-width:4px;border-radius:{RADIUS}px;"
        "padding:7px 12px;overflow-wrap:anywhere",
        "meter": f"height:8px;border-radius:{RADIUS}px;background:{SHADE};overflow:hidden;"
        "margin-top:5px;max-width:420px",
        "done": f"display:block;height:100%;background:{ACCENT}",
        "empty": f"border:1px dashed {RULE};border-radius:{RADIUS}px;padding:18px;"
        "text-align:center",
    }
)


def stylesheet() -> str:
    """Return the styles for a ``style`` element, with one class ``pf-…`` per kind of element."""
    # The doubled class overrides Jupyter's rule, which aligns every cell to the right.
    return "\n".join(f".pf-{name}.pf-{name}{{{css}}}" for name, css in ELEMENT_STYLES.items())
