"""A word that is not there is answered with the nearest right one, or with how it is done here."""

from __future__ import annotations

from typing import Any

import pytest

import petstore_frame as pf
from unit.conftest import inventory

CLIENT: Any = pf.testing.fake_store([{"name": "Luna", "category_id": 3}]).client()
ASKED = {
    "pf.AsyncClient()": "shared between threads",
    "pf.fetch(client)": "pf.fetch_inventory(client)",
    "pf.read_csv('a.csv')": "pf.load(",
    "pf.sumarize(stock)": "'summarize'",
    "pf.HistoryError": "petstore_frame.errors.HistoryError",
    "pf.Client('http://127.0.0.1/v1', 'key', retries=3)": "max_retries= of pf.Client",
    "pf.Client('http://127.0.0.1/v1', 'key', proxy='http://p')": "HTTPS_PROXY",
    "client.list_pets(timeout=3)": "pf.Client",
    "client.update_pet(3)": "no call that changes or deletes a pet",
    "client.add_pet(3)": "'find_pet'",
    "pf.fetch_inventory(client, timeout=3)": "pf.Client",
    "pf.fetch_inventory(client, max_pet=3)": "'max_pets'",
    "stock.where(state='sold')": "'status'",
    "stock.completness": "'completeness'",
    "pf.load(frame, client, kye='tag')": "'key'",
    "pf.load(frame, client, timeout=3)": "pf.Client",
    "result.failed": ".fix has the rows to correct",
    "result.retry()": "the same load again",
    "pf.compare(frame, stock, kye='tag')": "'key'",
    "pf.History('h', timezne='UTC')": "'timezone'",
    "pf.History('h').trend(every_day=7)": "'every_days'",
    "pf.write_report(stock, 'a.xlsx', catgories={})": "'categories'",
    "pf.serve(samples=3)": "'sample'",
}


@pytest.mark.parametrize(("typed", "said"), ASKED.items())
def test_a_wrong_word_is_answered(typed: str, said: str, tmp_path) -> None:
    """What is typed by habit or by a slip raises an error that says what to type."""
    stock = inventory()
    names = {"pf": pf, "client": CLIENT, "stock": stock, "frame": stock.frame}
    if typed.startswith("result"):
        pets = stock.frame[["name", "category_id"]]
        names["result"] = pf.load(pets, CLIENT, dry_run=True, duplicates="create", journal=tmp_path)
    with pytest.raises((AttributeError, ValueError, TypeError)) as refused:
        eval(typed, names)
    assert said in str(refused.value)


def test_a_mistake_within_is_left_as_it_is() -> None:
    """A TypeError of the work itself, or of a missing argument, is Python's own."""
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        pf.fetch_inventory()  # type: ignore[call-arg]
