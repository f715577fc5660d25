"""The part of the dashboard that compares a list of ours with the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

import ipywidgets as widgets

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.export import media_of
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_preview import label_of
from petstore_frame.dashboard.kit import ButtonGroup, Kit, Live, Meant
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
        self._kit, self._job, self._inventory, self._open_pet = kit, job, inventory, open_pet
        self._lock, self._worker = lock, Worker("petstore-stocktake")
        self._path: Path | None = None
        self._recipe = Recipe()
        self._kind: str | None = None
        self._is_presetting = False
        self.found: Comparison | None = None
        self.upload = kit.make(widgets.FileUpload, accept=".csv,.tsv,.txt,.gz,.xlsx,.xlsm,.toml")
        tip = "a list, or a recipe (.toml) for it"
        self.path = kit.make(
            widgets.Text, description="or its path", placeholder=tip, continuous_update=False
        ).add_class("pf-path")
        self.by = kit.make(
            widgets.Dropdown, options=[BY_FIELDS], description="Same animal by", is_hidden=True
        )
        self.book = kit.button(
            "Workbook", "all differences, a sheet per kind", self._download, is_hidden=True
        )
        self.message, self.view = kit.html(), kit.make(Live)
        self.view.meant = self._meant
        self.kinds = ButtonGroup(kit, self._picked, "pf-chips")
        self.upload.observe(self._uploaded, "value")
        self.path.observe(self._path_given, "value")
        self.by.observe(self._by_chosen, "value")
        self.widget = kit.column(
            kit.html("<h3 class='pf-section'>Compare our list with the store</h3>"),
            kit.row(self.upload, self.path, self.by, self.book),
            self.message,
            self.kinds.widget,
            self.view,
        )

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the comparison under way."""
        return self._worker.wait(timeout_s)

    def _uploaded(self, change: Any) -> None:
        if change.new:
            file = change.new[0]
            self._try(lambda: self._open(self._job.keep(file["name"], bytes(file["content"]))))
            self.upload.value = ()

    def _path_given(self, change: Any) -> None:
        if change.new.strip():
            self._try(lambda: self._open(Path(change.new.strip()).expanduser()))

    def _open(self, path: Path) -> None:
        """Take a list, read as the last one with its header, or a recipe for it."""
        if path.suffix == ".toml":
            self._job.recipe = Recipe.read(path)
            if self._path is None:
                self.message.value = parts.success(path.name, ["The next list is read with it."])
                return
            path = self._path
        self._clear()
        choices, _ = self._job.begin(path)
        seen = self._job.look(path, choices.reading)
        words = seen.reading.given() | {"mapping": dict(seen.mapping)}
        self._path, self._recipe = path, Recipe(**words)
        columns = [column for column in seen.columns if column not in seen.mapping.values()]
        keys = {", ".join(key): key for key in [self._recipe.key, *((c,) for c in columns)] if key}
        self._is_presetting = True
        self.by.options = [(BY_FIELDS, ()), *((f"key {name}", key) for name, key in keys.items())]
        self.by.value = self._recipe.key
        self._is_presetting = False
        self._kit.show(self.by, True)
        self._compare()

    def _clear(self) -> None:
        self.found, self._kind, self._path = None, None, None
        self.view.markup, self.message.value = Markup(""), ""
        self.kinds.show([])
        for part in (self.by, self.book):
            self._kit.show(part, False)

    def _by_chosen(self, _: Any) -> None:
        if not self._is_presetting and self._path is not None:
            self._compare()

    def _compare(self) -> None:
        """Compare in a thread, with what was read of the store last."""
        path, inventory, key = self._path, self._inventory(), tuple(self.by.value)
        if path is None or inventory is None:
            self.message.value = parts.warning(
                "The store was not read yet; refresh, then try again"
            )
            return
        on = () if key else ("name", "category_id")
        recipe = replace(self._recipe, key=key)

        def job() -> None:
            self._try(lambda: self._take(self._job.compare(path, inventory, recipe, on)))
            self._worker.done()

        self.message.value = parts.progress("Comparing …")
        self._worker.start(job)

    def _take(self, found: Comparison) -> None:
        with self._lock:
            self.found, self._kind, self.message.value = found, None, ""
            self._kit.show(self.book, True)
            self._draw()

    def _draw(self) -> None:
        if self.found is None:
            return
        counts = self._counts(self.found)
        self.kinds.show([f"{kind} {count:,}" for kind, count in counts.items()])
        headline = self.found.headline.replace("category_id", "category")
        read = f"{headline}, read {minute_text(self.found.inventory.fetched_at)}"
        notes = [element("p", text) for text in (read, str(self.found.completeness))]
        if not self.found.completeness.covers_all:
            words = "The store was not read whole: what was not seen may be in it."
            notes.append(element("p", words))
        table = _table(self.found, self._kind)
        self.view.markup = element("div", *notes, table, class_="pf-grid pf-preview")

    def _counts(self, found: Comparison) -> dict[str, int]:
        kinds = found.frame["kind"].value_counts()
        differing = len(found.frame) - int(kinds.get(Kind.SAME, 0))
        return {
            "all that differs": differing,
            **{str(kind): int(kinds[kind]) for kind in Kind if kinds.get(kind, 0)},
        }

    def _picked(self, at: int) -> None:
        """Show one kind, or all that differs."""
        with self._lock:
            if self.found is not None:
                self._kind = [None, *self._counts(self.found)][at + 1] if at else None
                self._draw()

    def _meant(self, meant: Meant) -> None:
        if "pet" in meant:
            self._open_pet(meant["pet"])

    def _download(self) -> None:
        def write() -> None:
            if self.found is not None:
                path = self._job.workbook(self.found)
                self.view.download(path.read_bytes(), path.name, media_of(path.name))

        self._try(write)

    def _try(self, work: Callable[[], None]) -> None:
        """Show an error where the user looks."""
        try:
            work()
        except ArgumentError:
            words = [f"Import the list by this key first, or compare by {BY_FIELDS}."]
            self.message.value = parts.warning("The store's pets are not known by this key", words)
        except InputError as problem:
            words = ["Open it under Import, say there how it is read, and save these choices."]
            shown = parts.warning("The list cannot be read yet", [problem.phrased_by(FORM), *words])
            self.message.value = Markup(self._job.as_known(shown))
        except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
            self.message.value = parts.failure("This did not work", problem)


def _table(found: Comparison, kind: str | None) -> Markup:
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
