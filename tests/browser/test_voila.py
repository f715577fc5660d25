"""The dashboard as a page of its own: ``petstore-frame dashboard``."""

from __future__ import annotations

from typing import Any

import httpx

GIVE = """() => {
  const given = new DataTransfer();
  given.items.add(new File(["name,Art\\nDropped,Hund\\n,Katze\\n"], "dropped.csv"));
  return given;
}"""
PASTE = """(place, text) => {
  const pasted = new DataTransfer();
  pasted.setData("text/plain", text);
  place.dispatchEvent(new ClipboardEvent("paste",
    {clipboardData: pasted, bubbles: true, cancelable: true}));
}"""


def test_dark_is_followed(voila: Any, axe: Any) -> None:
    """Only a browser has the system's preference: the page follows it, and axe finds nothing."""
    shades = {}
    for scheme in ("dark", "light"):
        voila.emulate_media(color_scheme=scheme)
        shades[scheme] = voila.locator(".pf-card").first.evaluate(
            "card => getComputedStyle(card).backgroundColor"
        )
        assert axe(voila.locator(".pf-dash")) == []
    assert shades["light"] == "rgb(255, 255, 255)" and shades["dark"] != shades["light"]


def test_without_the_token_there_is_no_page(address: str) -> None:
    """Another user of the machine who finds the port is asked for the token."""
    answer = httpx.get(address.partition("?")[0], follow_redirects=True, timeout=30)
    assert "/login" in str(answer.url) or answer.status_code in (401, 403)
    assert b"pf-dash" not in answer.content


def test_a_file_is_dropped_and_a_table_is_pasted(voila: Any, axe: Any) -> None:
    """Only a browser has a clipboard and a hand that drops; keys alone send what came so."""
    voila.get_by_role("tab", name="Import", exact=True).click()
    tab, dash = voila.locator(".pf-tab:visible"), voila.locator(".pf-dash")
    given = voila.evaluate_handle(GIVE)
    tab.locator("textarea").wait_for()
    for kind in ("dragover", "drop"):
        tab.dispatch_event(kind, {"dataTransfer": given})
    voila.locator("caption", has_text="dropped.csv").wait_for()
    tab.get_by_label("Category is", exact=True).select_option(label="Art")
    voila.get_by_label("Category: Hund · 1").wait_for()
    assert axe(dash) == []
    place = tab.locator("textarea")
    place.focus()
    place.evaluate(PASTE, "name\tcategory_id\r\nPasted\t2\r\n")
    voila.locator("caption", has_text="pasted ").wait_for()
    voila.get_by_role("button", name="Send 1 pet").wait_for()
    place.focus()
    for _ in range(20):  # with keys alone: on from the place where it was pasted
        voila.keyboard.press("Tab")
        if voila.evaluate("() => document.activeElement.innerText") == "Send 1 pet":
            break
    voila.keyboard.press("Enter")
    voila.get_by_role("button", name="Download results.csv").first.wait_for()
    assert axe(dash) == []
