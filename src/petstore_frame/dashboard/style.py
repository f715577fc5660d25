"""How the dashboard looks, in one sheet.

In: nothing. Out: one style element. Colours come from the theme of the page around it, so that
light and dark need no switch; the few of our own are those of the palette.
"""

from __future__ import annotations

from petstore_frame.charts.drawing import FONT, INK, RULE, SHADE, STYLE

_MUTED = "var(--jp-ui-font-color2,var(--vscode-descriptionForeground,#5F6B7A))"
_PAPER = "var(--jp-layout-color1,var(--vscode-editor-background,#FFFFFF))"
_FOCUS = "var(--jp-brand-color1,var(--vscode-focusBorder,#0072B2))"

SHEET = f"""{STYLE}<style>
.pf-dash{{color:{INK};font:13px/1.45 {FONT};container-type:inline-size;padding:2px 4px 8px}}
.pf-dash>*{{margin:0 0 10px!important}}
.pf-dash .pf-part{{overflow:visible}}
.pf-dash .pf-part>*{{margin:0 0 12px!important}}
.pf-dash .pf-tight>*{{margin:0!important}}
.pf-dash a{{color:var(--jp-content-link-color,var(--vscode-textLink-foreground,#00588A));
 text-decoration:underline}}
.pf-dash .widget-html,.pf-dash .widget-html-content,.pf-dash .jupyter-widgets
 {{font-size:13px;line-height:1.45;overflow:visible;height:auto}}
.pf-dash .widget-html{{margin:0;width:100%}}
.pf-dash .widget-html-content{{width:100%}}
.pf-dash h2,.pf-dash h3,.pf-dash p{{margin:0;color:{INK}}}
.pf-dash h2{{font-size:20px;font-weight:650;line-height:1.2}}
.pf-dash h3{{font-size:14px;font-weight:650;padding:4px 0 6px}}
.pf-hidden{{position:absolute!important;width:1px;height:1px;overflow:hidden;white-space:nowrap;
 clip-path:inset(50%)}}
.pf-muted{{color:{_MUTED}}}
.pf-head{{display:flex;flex-wrap:wrap;gap:2px 14px;align-items:baseline}}
.pf-badge{{display:inline-block;border:1px solid;border-radius:10px;padding:0 9px;font-weight:600}}
.pf-head details{{flex:1 1 100%;margin-top:4px}}
.pf-head summary{{cursor:pointer;list-style:none;width:fit-content}}
.pf-head summary::after{{content:" ▾"}}
.pf-head details[open] summary::after{{content:" ▴"}}
.pf-head ul{{margin:8px 0 0;padding-left:20px}}
.pf-cards{{display:grid;grid-template-columns:repeat(var(--pf-across),minmax(min-content,1fr));
 gap:8px}}
.pf-card{{border:1px solid {RULE};border-top:4px solid;border-radius:4px;padding:7px 12px 8px;
 background:{_PAPER}}}
.pf-card.pf-least{{border-top-style:dashed}}
.pf-card b{{display:block;font-size:clamp(17px,3cqi,23px);line-height:1.25;font-weight:650;
 font-variant-numeric:tabular-nums;white-space:nowrap}}
.pf-card span{{color:{_MUTED}}}
.pf-dash .pf-row{{display:flex;flex-flow:row wrap!important;gap:6px 8px;
 align-items:center;
 overflow:visible}}
.pf-dash .pf-row>*{{margin:0}}
.pf-dash .pf-row>.widget-html,.pf-dash .pf-row>.widget-toggle-buttons{{width:auto}}
.pf-dash .widget-label{{width:auto;color:{INK};font-size:13px;margin-right:6px}}
.pf-dash .widget-dropdown,.pf-dash .widget-text,.pf-dash .widget-combobox{{width:auto}}
.pf-dash .widget-dropdown select{{width:10.5em;flex:none;height:28px}}
.pf-dash .widget-text input,.pf-dash .widget-combobox input{{width:13em;flex:none}}
.pf-dash .widget-upload{{font-size:0!important}}
.pf-dash .widget-upload::after{{content:"Choose a file";font-size:13px}}
.pf-dash .pf-path input{{width:26em;max-width:100%}}
.pf-dash .pf-page input{{width:5em}}
.pf-dash select,.pf-dash input{{color:{INK};font-size:13px}}
.pf-dash input::placeholder{{color:{_MUTED};opacity:1}}
.pf-dash button.jupyter-button{{width:auto;padding:0 12px;font-size:13px;border-radius:3px;
 color:{INK};background:{SHADE}}}
.pf-dash button.jupyter-button:disabled{{opacity:.55}}
.pf-dash button.jupyter-button.pf-main{{background:#0072B2;color:#FFFFFF}}
.pf-dash :focus-visible{{outline:2px solid {_FOCUS}!important;outline-offset:1px}}
.pf-dash .pf-top{{display:flex;flex-flow:row wrap!important;gap:4px 16px;
 justify-content:space-between;align-items:start;overflow:visible}}
.pf-dash .pf-top>.widget-html{{flex:1 1 400px;width:auto}}
.pf-dash .pf-two{{align-items:start;gap:4px 28px}}
.pf-dash .pf-two>*{{flex:1 1 26em;min-width:0;max-width:100%}}
.pf-dash .pf-two>:last-child{{flex-basis:min-content}}
.pf-dash .widget-toggle-buttons{{margin:0;width:100%;height:auto;overflow:visible}}
.pf-dash .widget-toggle-buttons>.widget-label{{display:none}}
.pf-dash .pf-tabs>div{{display:flex;flex-wrap:wrap;border-bottom:1px solid {RULE};width:100%}}
.pf-dash .pf-tabs button.jupyter-button{{background:transparent;box-shadow:none;border-radius:0;
 margin:0;padding:0 16px;border-bottom:3px solid transparent;height:32px}}
.pf-dash .pf-tabs button.mod-active{{border-bottom-color:{_FOCUS};font-weight:650}}
.pf-dash .pf-chips>div{{display:flex;flex-wrap:wrap;gap:6px}}
.pf-dash .pf-chips button.jupyter-button{{margin:0;border-radius:13px;height:26px;line-height:26px;
 border:1px solid {_FOCUS};background:transparent;box-shadow:none;max-width:min(32em,100%)}}
.pf-dash .pf-matrix>div{{display:grid;gap:1px;width:100%;overflow-x:auto;--pf-name:7em}}
.pf-dash .pf-matrix button.jupyter-button{{margin:0;padding:0 6px;height:25px;line-height:25px;
 text-align:right;font-variant-numeric:tabular-nums;border-radius:0;box-shadow:none;
 background:transparent;min-width:0;width:auto;border-bottom:1px solid {RULE}}}
.pf-dash .pf-matrix button.jupyter-button:hover{{text-decoration:underline}}
.pf-dash .pf-sort>div{{display:grid;grid-template-columns:22% 38% 24% 16%;width:100%}}
.pf-dash .pf-sort button.jupyter-button{{margin:0;border-radius:0;box-shadow:none;text-align:left;
 padding:0 10px;font-weight:600;width:100%;background:{SHADE}}}
.pf-dash .pf-pets{{table-layout:fixed}}
.pf-dash .pf-pets col:nth-child(1){{width:22%}}
.pf-dash .pf-pets col:nth-child(2){{width:38%}}
.pf-dash .pf-pets col:nth-child(3){{width:24%}}
.pf-dash .pf-pets col:nth-child(4){{width:16%}}
@container (max-width:560px){{
 .pf-cards{{grid-template-columns:1fr 1fr}}
 .pf-card:first-child:nth-last-child(odd){{grid-column:1/-1}}
}}
@container (max-width:620px){{
 .pf-dash .pf-sort>div{{grid-template-columns:22% 29% 23% 26%}}
 .pf-dash .pf-pets col:nth-child(1){{width:22%}}
 .pf-dash .pf-pets col:nth-child(2){{width:29%}}
 .pf-dash .pf-pets col:nth-child(3){{width:23%}}
 .pf-dash .pf-pets col:nth-child(4){{width:26%}}
 .pf-dash .pf-pets :is(th,td){{padding:4px}}
 .pf-dash .pf-pets tbody th{{white-space:normal}}
 .pf-dash :is(.pf-sort,.pf-matrix) button.jupyter-button{{padding:0 3px;font-size:12px}}
 .pf-dash .pf-matrix>div{{--pf-name:5.6em}}
}}
.pf-dash .pf-pets{{margin-bottom:10px}}
.pf-dash .pf-pets td{{overflow:hidden}}
.pf-dash .pf-pets bdi{{display:-webkit-inline-box;-webkit-box-orient:vertical;
 -webkit-line-clamp:3;overflow:hidden;vertical-align:bottom}}
.pf-dash .pf-narrow{{max-width:560px}}
.pf-panel{{border:1px solid;border-left-width:4px;border-radius:4px;padding:7px 12px;
 overflow-wrap:anywhere}}
.pf-meter{{height:8px;border-radius:4px;background:{SHADE};overflow:hidden;margin-top:5px;
 max-width:420px}}
.pf-meter i{{display:block;height:100%;background:#0072B2}}
.pf-empty{{border:1px dashed {RULE};border-radius:4px;padding:18px;text-align:center;
 margin:0 0 10px!important}}
</style>"""
