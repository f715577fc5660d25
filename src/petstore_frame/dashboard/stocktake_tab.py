"""The part of the dashboard that compares a list of ours with the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from petstore_frame.charts.svg import element
from petstore_frame.dashboard.import_choices import recipe_of
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_view import LABELS
from petstore_frame.dashboard.kit import Kit, Used, draw, problems_shown
from petstore_frame.dashboard.worker import Worker
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.inventory import Inventory
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.markup import PAGE, Markup
from petstore_frame.markup.palette import shorten
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import minute_text
from petstore_frame.stocktake import Comparison, Kind, compare
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
    ) -> None:
        self._job, self._inventory, self._open_pet = job, inventory, open_pet
        self._lock, self._worker = kit.lock, Worker("petstore-stocktake")
        self.wait = self._worker.wait
        self._path: Path | None = None
        self._recipe, self._keys = Recipe(), list[tuple[str, ...]]()
        self._kind = ""
        self.found: Comparison | None = None
        self.top, self.view = kit.live(self._used), kit.live(self._used)
        self.message, self.top.taken = kit.html(), self._taken
        self.widget = kit.column("pf-tab", self.top, self.message, self.view)
        self._draw()

    def _say(self, markup: str) -> None:
        self.message.value = self._job.as_known(markup)

    def _taken(self, used: Used, content: bytes | None) -> None:
        with self._problems_shown():
            self._open(self._job.given(used, content))

    def _used(self, used: Used) -> None:
        with self._problems_shown():
            if "path" in used and used["value"].strip():
                self._open(self._job.given(used))
            elif "by" in used:
                self._recipe = self._recipe.replace(key=self._keys[int(used["value"])])
                self._compare()
            elif "kind" in used:
                self._kind = used["kind"]
                self._draw()
            elif "pet" in used:
                self._open_pet(used["pet"])
            elif "way" in used and self.found is not None:
                self.view.download_file(self._job.workbook(self.found))

    def _open(self, path: Path) -> None:
        """Take a list, read as the last one with its header, or a recipe for it."""
        if self._job.is_recipe(path):
            if self._path is None:
                self._say(PAGE.success(path.name, ["The next list is read with it."]))
                return
            path = self._path
        self.found, self._path, self.message.value = None, None, ""
        self._draw()
        choices, _ = self._job.begin(path)
        seen = self._job.look(path, choices.reading)
        self._path, self._recipe = path, recipe_of(seen)
        columns = [(each,) for each in seen.columns if each not in seen.mapping.values()]
        self._keys = [*dict.fromkeys([(), self._recipe.key or (), *columns])]
        self._compare()

    def _compare(self) -> None:
        path, inventory, recipe = self._path, self._inventory(), self._recipe
        self.found, self._kind = None, ""
        self._draw()
        if path is None or inventory is None:
            self._say(PAGE.warning("The store was not read yet; refresh, then try again"))
            return
        on = () if recipe.key else ("name", "category_id")

        def job() -> None:
            with self._problems_shown():
                folder = self._job.journal
                found = compare(path, inventory, on=on, recipe=recipe, journal=folder)
                with self._lock:
                    self.found, self.message.value = found, ""
                    self._draw()
            self._worker.done()

        self._say(PAGE.progress("Comparing …"))
        self._worker.start(job)

    @contextmanager
    def _problems_shown(self) -> Iterator[None]:
        with problems_shown(self._say):
            try:
                yield
            except ArgumentError:
                words = f"Import the list by this key first, or compare by {BY_FIELDS}."
                self._say(PAGE.warning("The store's pets are not known by this key", [words]))
            except InputError as problem:
                words = "Open it under Import, say there how it is read, and save these choices."
                why = [problem.sentence, words]
                self._say(PAGE.warning("The list cannot be read yet", why))

    def _draw(self) -> None:
        names: dict[str, str] = {}
        if self._path is not None:
            words = (f"key {', '.join(key)}" if key else BY_FIELDS for key in self._keys)
            names = {str(at): text for at, text in enumerate(words)}
        chosen = self._keys.index(self._recipe.key or ()) if names else ""
        self.top.markup = draw("stocktake_top", names=names, chosen=chosen)
        self.view.markup = "" if self.found is None else self._drawn(self.found)

    def _drawn(self, found: Comparison) -> Markup:
        kinds = found.frame["kind"].value_counts()
        counts = {"": len(found.frame) - int(kinds.get(Kind.SAME, 0))}
        counts |= {str(each): int(kinds[each]) for each in Kind if kinds.get(each, 0)}
        headline = found.headline.replace("category_id", "category")
        return draw(
            "stocktake",
            found=found,
            read=f"{headline}, read {minute_text(found.inventory.fetched_at)}",
            counts=counts,
            kind=self._kind,
            table=_table(found, self._kind, self._job.labels),
        )


def _table(found: Comparison, kind: str, labels: Mapping[int, str]) -> Markup:
    frame = found.frame
    rows = frame[frame["kind"].eq(kind)] if kind else frame[frame["kind"].ne(str(Kind.SAME))]
    if not len(rows):
        return PAGE.success("The list and the store agree in all that was compared")
    drawn = []
    for row in rows.head(ROWS).to_dict("records"):
        pet, differs = _text(row["id"]), _text(row["difference"]).split(", ")
        button = element("span", pet, class_="pf-mark pf-way", data_pet=pet) if pet else ""
        drawn.append([row["kind"], _text(row["line"]), _text(row["key"]), button])
        for field in SENT_FIELDS:
            for column in (field.name, field.name + IN_STORE):
                value = row[column]
                if field.name == "category_id":
                    value = labels.get(value, value)
                text = shorten(_text(value), LONGEST)
                drawn[-1].append(element("strong", text) if field.name in differs else text)
    fields = (f"{LABELS[field.name]}, {side}" for field in SENT_FIELDS
              for side in ("list", "store"))  # fmt: skip
    head = ("Kind", "Line", "Key", "Pet", *fields)
    more = f"the first {ROWS} of {len(rows):,}" if len(rows) > ROWS else f"{len(rows):,}"
    return PAGE.table(drawn, head, caption=f"{kind or 'All that differs'}: {more}", is_named=True)


def _text(value: Any) -> str:
    import pandas as pd

    return "" if pd.isna(value) else str(value)
