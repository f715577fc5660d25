"""How the dashboard looks: the shared looks, and what only its controls need."""

from __future__ import annotations

from petstore_frame.charts.svg import CSS
from petstore_frame.html.palette import ACCENT, FAILED_BADGE
from petstore_frame.html.style import CODE_FONT, FONT, INK, MUTED, PAPER, RADIUS, RULE, SHADE, TEXT

_FOCUS = f"var(--jp-brand-color1,var(--vscode-focusBorder,{ACCENT}))"
_LINK = "var(--jp-content-link-color,var(--vscode-textLink-foreground,#00588A))"
_SMALL = TEXT - 1
_CONTROL = 28  # pixels high: buttons, boxes and lists

SHEET = f"""{CSS}
.pf-dash{{color:{INK};font:{TEXT}px/1.45 {FONT};container-type:inline-size;padding:4px 4px 8px}}
.pf-dash>*{{margin:0 0 12px!important}}
.pf-gone>*{{filter:grayscale(1);opacity:.5}}
.pf-lost{{position:fixed;z-index:999;bottom:32px;left:8px;right:8px;padding:8px 12px;color:{INK};
 background:{PAPER};border:1px solid {RULE};border-left:4px solid {FAILED_BADGE.edge};
 font:{TEXT}px/1.45 {FONT};box-shadow:0 2px 8px rgba(0,0,0,.3)}}
.pf-steps{{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center;margin:0 0 8px}}
.pf-steps:empty{{display:none}}
.pf-file{{cursor:pointer;position:relative}}
.pf-file input{{position:absolute;inset:0;opacity:0;width:100%;cursor:pointer}}
.pf-file:focus-within{{outline:2px solid {_FOCUS};outline-offset:1px}}
.pf-dash .pf-drop{{box-sizing:border-box;width:100%;min-height:44px;padding:6px 12px;margin:0 0 8px;
 resize:none;border:1px dashed {MUTED};border-radius:{RADIUS}px;background:transparent;color:{INK};
 font:inherit}}
.pf-dash .pf-drop.pf-over{{background:{SHADE};border-style:solid}}
.pf-decide{{display:block}}
.pf-dash :is(.widget-vbox,.lm-Widget){{overflow:visible}}
.pf-dash .widget-vbox>*{{margin:0 0 12px!important}}
.pf-dash .widget-vbox>:last-child{{margin:0!important}}
.pf-dash a{{color:{_LINK};text-decoration:underline}}
.pf-dash .widget-html,.pf-dash .widget-html-content,.pf-dash .jupyter-widgets
 {{font-size:{TEXT}px;line-height:1.45;overflow:visible;height:auto}}
.pf-dash .widget-html{{margin:0;width:100%}}
.pf-dash .widget-html-content{{width:100%}}
.pf-dash h2,.pf-dash h3,.pf-dash p{{margin:0;color:{INK}}}
.pf-dash h3.pf-section{{margin:0 0 8px}}
.pf-dash p+p{{margin-top:4px}}
.pf-header{{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:baseline}}
.pf-header details{{flex:1 1 100%}}
.pf-header summary{{cursor:pointer;list-style:none;width:fit-content}}
.pf-header summary::after{{content:" ▾"}}
.pf-header details[open] summary::after{{content:" ▴"}}
.pf-live .pf-path.pf-path{{width:24em}}
.pf-dash input[type=number]{{width:5em}}
.pf-dash select,.pf-dash input{{color:{INK};font-size:{TEXT}px}}
.pf-dash :is(input,textarea)::placeholder{{color:{MUTED};opacity:1}}
.pf-dash .jupyter-button{{width:auto;height:{_CONTROL}px;line-height:{_CONTROL}px;
 padding:0 12px;font-size:{TEXT}px;border-radius:{RADIUS}px;color:{INK};background:{SHADE}}}
.pf-dash button.jupyter-button:disabled{{opacity:.55}}
.pf-dash .jupyter-button:is([data-way=send],[aria-pressed=true])
 {{background:{ACCENT};color:#FFFFFF}}
.pf-dash :focus-visible{{outline:2px solid {_FOCUS}!important;outline-offset:1px}}
.pf-dash .pf-top.pf-top{{display:flex;flex-flow:row wrap;gap:8px 16px;align-items:start}}
.pf-dash .pf-top>*{{margin:0!important}}
.pf-dash .pf-top>:first-child{{flex:1 1 400px}}
.pf-top .pf-live{{display:flex;flex-wrap:wrap;gap:8px 16px;justify-content:space-between}}
.pf-top .pf-header{{flex:1 1 300px}}
.pf-top .pf-steps{{margin:0;align-self:start}}
.pf-tabs{{display:flex;flex-wrap:wrap;border-bottom:1px solid {RULE};width:100%}}
.pf-dash .pf-tabs .jupyter-button{{background:transparent;color:{INK};box-shadow:none;
 border-radius:0;margin:0;padding:0 16px;border-bottom:3px solid transparent;height:32px}}
.pf-dash .pf-tabs .jupyter-button[aria-pressed=true]{{border-bottom-color:{_FOCUS};font-weight:650}}
.pf-dash .jupyter-button:is([data-way^=drop],[data-way=clear]){{border-radius:14px;
 border:1px solid {_FOCUS};background:transparent;box-shadow:none;max-width:min(32em,100%);
 overflow:hidden;text-overflow:ellipsis;line-height:{_CONTROL - 2}px}}
.pf-two{{display:flex;flex-wrap:wrap;gap:16px 32px;align-items:flex-start;margin:0 0 16px}}
.pf-two>section{{flex:1 1 max(36em,40%);min-width:0;max-width:100%}}
.pf-live section{{margin:0 0 16px}}
.pf-live .pf-table{{width:100%;margin:0}}
.pf-live .pf-grid{{overflow-x:auto}}
.pf-live :is(.pf-head,.pf-name,.pf-cell,.pf-foot){{padding:4px 8px}}
.pf-live .pf-can{{cursor:pointer}}
.pf-live.pf-over svg{{cursor:pointer}}
.pf-live .pf-grid .pf-can{{display:block;margin:-4px -8px;padding:4px 8px}}
.pf-live :is(.pf-grid,.pf-entries) .pf-can:hover{{text-decoration:underline}}
.pf-live svg .pf-can:hover{{filter:brightness(1.12)}}
.pf-live svg .pf-mark:focus-visible{{stroke:{INK};stroke-width:2}}
.pf-live svg text.pf-mark:focus-visible{{stroke:none}}
.pf-off{{opacity:.55}}
.pf-off .pf-word{{text-decoration:line-through}}
.pf-save{{position:absolute;top:-27px;right:0;display:flex;gap:4px}}
.pf-save button{{border:1px solid {RULE};border-radius:{RADIUS}px;background:transparent;
 color:{MUTED};font:{_SMALL}px/1.4 {FONT};padding:1px 6px;cursor:pointer}}
.pf-save button:hover{{color:{INK};background:{SHADE}}}
.pf-tip{{position:absolute;z-index:5;pointer-events:none;max-width:30em;padding:4px 8px;
 border-radius:{RADIUS}px;background:#1F2933;color:#FFFFFF;font:{TEXT}px/1.4 {FONT};
 width:max-content;box-shadow:0 1px 4px rgba(0,0,0,.3)}}
.pf-tip[hidden]{{display:none}}
.pf-gap{{margin:0 0 12px}}
.pf-live .pf-way.pf-way{{display:inline-block;margin:0 0 4px;padding:3px 12px;
 border-radius:{RADIUS}px;background:{SHADE}}}
.pf-live :is(input,select){{font:inherit;color:{INK};background:{PAPER};border:1px solid {RULE};
 border-radius:2px;height:24px;padding:0 4px;max-width:100%}}
.pf-live input[type=checkbox]{{height:auto;vertical-align:-2px}}
.pf-live .pf-edit{{width:11em}}
.pf-live .pf-edit[aria-invalid]{{border:2px solid {FAILED_BADGE.edge}}}
.pf-wrong,.pf-right{{display:block;max-width:22em;white-space:normal}}
.pf-wrong{{color:{FAILED_BADGE.edge}}}
body[data-jp-theme-light=false] .pf-wrong{{color:#FF9C8F}}
.pf-preview .pf-table{{width:auto;min-width:100%}}
.pf-pets .pf-table{{table-layout:fixed}}
.pf-pets .pf-head:nth-child(1){{width:22%}}
.pf-pets .pf-head:nth-child(2){{width:34%}}
.pf-pets tbody .pf-name{{font-family:{CODE_FONT};white-space:nowrap}}
.pf-pets td{{overflow:hidden}}
.pf-pets td bdi{{display:-webkit-inline-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;
 overflow:hidden;vertical-align:bottom}}
@container (max-width:620px){{
 .pf-live :is(.pf-head,.pf-name,.pf-cell,.pf-foot){{padding:4px}}
 .pf-live .pf-grid .pf-can{{margin:-4px;padding:4px}}
 .pf-live .pf-grid .pf-table{{font-size:{_SMALL}px}}
 .pf-pets tbody .pf-name{{white-space:normal}}
}}"""
