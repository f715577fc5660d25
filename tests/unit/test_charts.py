"""Charts and tables as strings: right, escaped, and honest about minimums."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import petstore_frame as pf
from petstore_frame.charts.bars import status_figure
from petstore_frame.charts.pet_list import pets_table
from petstore_frame.counts.tally import CodedPets
from petstore_frame.inventory import Verdict
from unit.dashboard_store import inventory, pets

HOSTILE = "<script>alert(1)</script>\"'&\u202e"


def test_hostile_names_are_text() -> None:
    """A name or label that is markup reaches the page escaped."""
    store = inventory([(1, HOSTILE, 7, HOSTILE)])
    for drawing in (
        pf.charts.inventory_table(store, categories={7: HOSTILE}),
        pf.charts.status_chart(store, categories={7: HOSTILE}),
    ):
        assert "<script>" not in drawing.html and "&lt;script&gt;" in drawing.html
    assert "<bdi>" in pf.charts.inventory_table(store).html


def test_the_picture_is_well_formed() -> None:
    """A chart on its own is an XML document with one bar a category and status held."""
    counts = CodedPets.of(inventory(pets(40))).everything
    picture = ElementTree.fromstring(status_figure(counts).file())
    drawn = [box for box in picture.iter() if box.tag.endswith("rect") and box.get("class")]
    assert len(drawn) == int((counts.cells > 0).sum())


def test_bars_are_as_long_as_their_counts() -> None:
    """Widths are proportional to counts within and between bars."""
    counts = CodedPets.of(inventory([(1, "a", 1, "sold"), (2, "b", 1, "sold"), (3, "c", 2, None)]))
    picture = status_figure(counts.everything).picture
    found = re.findall(r'<rect class="pf-mark"[^>]* width="([\d.]+)%', picture)
    widths = [float(wide) for wide in found]
    assert widths == [pytest.approx(2 * widths[1], rel=0.01), widths[1]]


def test_minimums_look_different() -> None:
    """A count that may be short of the store's is hatched and has a sign."""
    whole = pf.charts.status_chart(inventory(pets(40)))
    part = pf.charts.status_chart(inventory(pets(40), Verdict.UNKNOWN))
    assert "≥" in part.html and "url(#pf-at-least" in part.html
    assert "≥" not in whole.html and "url(#pf-at-least" not in whole.html
    assert "at least 40 pets" in repr(part)


def test_a_frame_is_drawn_as_its_inventory_is() -> None:
    """The frame of an Inventory is drawn with what it covers, rows taken out of it as minimums."""
    whole = inventory(pets(40))
    assert pf.charts.status_chart(whole.frame).html == pf.charts.status_chart(whole).html
    assert "≥" in pf.charts.status_chart(whole.frame.head(7)).html
    assert "≥" in pf.charts.status_chart(inventory(pets(40), Verdict.UNKNOWN).frame).html


def test_a_table_has_pages() -> None:
    """A table says which rows of how many it shows, and refuses a page that is not there."""
    drawing = pf.charts.inventory_table(inventory(pets(120)), page=3)
    assert "101–120 of 120" in drawing.html and drawing.html.count("<tr ") == 21
    with pytest.raises(ValueError, match="page is 1 to 3, got 4"):
        pf.charts.inventory_table(inventory(pets(120)), page=4)


def test_a_notebook_that_is_not_trusted_shows_the_facts() -> None:
    """Where the picture is dropped, its texts take no room, and one sentence has the facts."""
    drawing = pf.charts.status_chart(inventory(pets(40)))
    held = re.search(r'<div style="font-size:0px">(.*)</div></div>', drawing.html, re.S)[1]
    assert f'<div style="font-size:13px">{drawing.words}</div>' in held
    assert "<svg" not in drawing.html.replace(held, "")


def test_an_empty_store_is_drawn() -> None:
    """No pets make an empty chart and an empty table, not an error."""
    empty = inventory([])
    assert "0 pets in 0 categories" in repr(pf.charts.status_chart(empty))
    assert "0 pets" in pf.charts.inventory_table(empty).html


def test_table_headers_are_headers() -> None:
    """Columns and rows of a table are named for a screen reader."""
    markup = pets_table([("1", "Luna", "Cat", "sold")], {"sold": "#767676"}, caption="Pets")
    assert markup.count('scope="col"') == 4 and markup.count('scope="row"') == 1


def test_a_call_that_sends_nothing_does_not_speak_of_sending() -> None:
    """Where nothing would be sent, a refusal ends with what is allowed."""
    with pytest.raises(pf.ArgumentError, match=r"^top is 1 or more, got 0$"):
        pf.charts.status_chart(inventory(pets(3)), top=0)
    with pytest.raises(pf.ArgumentError, match=r"^rows is a whole number, got 2\.5$"):
        pf.charts.inventory_table(inventory(pets(3)), rows=2.5)  # type: ignore[arg-type]
