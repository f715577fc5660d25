"""The part of the dashboard that compares a list of ours with the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.import_job import ImportJob, recipe_of
from petstore_frame.dashboard.import_preview import label_of
from petstore_frame.dashboard.kit import Kit, Used
from petstore_frame.dashboard.worker import Worker
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.html import PAGE, Markup
from petstore_frame.html.palette import shorten
from petstore_frame.inventory import Inventory
from petstore_frame.loader.call import FORM
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import minute_text
from petstore_frame.stocktake import Comparison, Kind
from petstore_frame.stocktake.matching import IN_STORE

ROWS, LONGEST = 50, 60
BY_FIELDS = "name and category"


class StocktakeTab:
    """A list, what differs from the store, and the workbook of it.

    ``inventory`` returns what was read of the store, and ``open_pet`` shows one pet of it.
    """

    def __init__(
        self,
        kit: Kit,
        job: ImportJob,
        inventory: Callable[[], Inventory | None],
        open_pet: Callable[[str], None],
        lock: RLock,
    ) -> None:
        self._job, self._inventory, self._open_pet = job, inventory, open_pet
        self._lock, self._worker = lock, Worker("petstore-stocktake")
        self._path: Path | None = None
        self._recipe, self._keys = Recipe(), list[tuple[str, ...]]()
        self._kind = ""
        self.found: Comparison | None = None
        self.top, self.view = kit.live(self._used), kit.live(self._used)
        self.message, self.top.taken = kit.html(), self._taken
        self.widget = kit.column("pf-tab", self.top, self.message, self.view)
        self._draw()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the comparison under way."""
        return self._worker.wait(timeout_s)

    def _taken(self, used: Used, content: bytes | None) -> None:
        with self._problems_shown():
            self._open(self._job.given(used, content))

    def _used(self, used: Used) -> None:
        with self._problems_shown():
            if "path" in used and used["value"].strip():
                self._open(self._job.given(used))
            elif "by" in used:
                self._recipe = replace(self._recipe, key=self._keys[int(used["value"])])
                self._compare()
            elif "kind" in used:
                self._kind = used["kind"]
                self._draw()
            elif "pet" in used:
                self._open_pet(used["pet"])
            elif "way" in used and self.found is not None:
                parts.download(self.view, self._job.workbook(self.found))

    def _open(self, path: Path) -> None:
        """Take a list, read as the last one with its header, or a recipe for it."""
        if self._job.is_recipe(path):
            if self._path is None:
                words = ["The next list is read with it."]
                self.message.value = parts.success(path.name, words)
                return
            path = self._path
        self.found, self._path, self.message.value = None, None, ""
        self._draw()
        choices, _ = self._job.begin(path)
        seen = self._job.look(path, choices.reading)
        self._path, self._recipe = path, recipe_of(seen)
        columns = [(each,) for each in seen.columns if each not in seen.mapping.values()]
        self._keys = [*dict.fromkeys([(), tuple(self._recipe.key), *columns])]
        self._compare()

    def _compare(self) -> None:
        """Compare in a thread, with what was read of the store last."""
        path, inventory, recipe = self._path, self._inventory(), self._recipe
        self.found, self._kind = None, ""
        self._draw()
        if path is None or inventory is None:
            words = "The store was not read yet; refresh, then try again"
            self.message.value = parts.warning(words)
            return
        on = () if recipe.key else ("name", "category_id")

        def job() -> None:
            with self._problems_shown():
                found = self._job.compare(path, inventory, recipe, on)
                with self._lock:
                    self.found, self.message.value = found, ""
                    self._draw()
            self._worker.done()

        self.message.value = parts.progress("Comparing …")
        self._worker.start(job)

    def _draw(self) -> None:
        title = "Compare our list with the store"
        above = parts.titled(title, parts.sources("a list"))
        if self._path is not None:
            names = {str(at): f"key {', '.join(key)}" if key else BY_FIELDS
                     for at, key in enumerate(self._keys)}  # fmt: skip
            chosen = self._keys.index(tuple(self._recipe.key))
            above += parts.choice("Same animal by", names, chosen, data_by="")
        self.top.markup = above
        self.view.markup = Markup("") if self.found is None else _drawn(self.found, self._kind)

    @contextmanager
    def _problems_shown(self) -> Iterator[None]:
        """Show an error where the user looks."""
        try:
            yield
        except ArgumentError:
            words = [f"Import the list by this key first, or compare by {BY_FIELDS}."]
            self.message.value = parts.warning("The store's pets are not known by this key", words)
        except InputError as problem:
            words = ["Open it under Import, say there how it is read, and save these choices."]
            shown = parts.warning("The list cannot be read yet", [problem.phrased_by(FORM), *words])
            self.message.value = Markup(self._job.as_known(shown))
        except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
            self.message.value = parts.failure("This did not work", problem)


def _drawn(found: Comparison, kind: str) -> Markup:
    """Draw what was compared, the kinds to choose from, and the differences of one or all."""
    kinds = found.frame["kind"].value_counts()
    counts = {"": len(found.frame) - int(kinds.get(Kind.SAME, 0))}
    counts |= {str(each): int(kinds[each]) for each in Kind if kinds.get(each, 0)}
    buttons = (
        element(
            "button", f"{each or 'all that differs'} {count:,}", class_="jupyter-button",
            data_kind=each, aria_pressed="true" if each == kind else "false",
        )
        for each, count in counts.items()
    )  # fmt: skip
    tip = "all differences, a sheet per kind"
    steps = parts.row(*buttons, parts.step("book", "Workbook", tip))
    headline = found.headline.replace("category_id", "category")
    read = f"{headline}, read {minute_text(found.inventory.fetched_at)}"
    notes = [element("p", text) for text in (read, str(found.completeness))]
    if not found.completeness.covers_all:
        words = "The store was not read whole: what was not seen may be in it."
        notes.append(element("p", words))
    table = element("div", _table(found, kind), class_="pf-grid pf-preview")
    return element("div", *notes) + steps + table


def _table(found: Comparison, kind: str) -> Markup:
    """Draw differences, what the list has beside what the store has."""
    frame = found.frame
    rows = frame[frame["kind"].eq(kind)] if kind else frame[frame["kind"].ne(str(Kind.SAME))]
    if not len(rows):
        return parts.success("The list and the store agree in all that was compared")
    drawn = [_row(row) for row in rows.head(ROWS).to_dict("records")]
    fields = [
        f"{label_of(field.name)}, {side}" for field in SENT_FIELDS for side in ("list", "store")
    ]
    head = ("Kind", "Line", "Key", "Pet", *fields)
    more = f"the first {ROWS} of {len(rows):,}" if len(rows) > ROWS else f"{len(rows):,}"
    return PAGE.table(drawn, head, caption=f"{kind or 'All that differs'}: {more}", is_named=True)


def _row(row: dict[Any, Any]) -> list[Any]:
    pet, differs = _text(row["id"]), _text(row["difference"])
    button = element("span", pet, class_="pf-mark pf-way", data_pet=pet) if pet else ""
    cells: list[Any] = [row["kind"], _text(row["line"]), _text(row["key"]), button]
    for field in SENT_FIELDS:
        is_different = field.name in differs.split(", ")
        for column in (field.name, field.name + IN_STORE):
            text = shorten(_text(row[column]), LONGEST)
            cells.append(element("strong", text) if is_different else text)
    return cells


def _text(value: Any) -> str:
    import pandas as pd

    return "" if pd.isna(value) else str(value)
