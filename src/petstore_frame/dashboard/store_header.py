"""Shows which store was read, what the reading covers, and a reading under way."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import ipywidgets as widgets

from petstore_frame.client import Client
from petstore_frame.dashboard.background import READING, Work, failure
from petstore_frame.dashboard.widgets import Kit, show
from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader import Recipe, place_of
from petstore_frame.rendering import PAGE, minute_text, palette
from petstore_frame.schema import Categories, Labels
from petstore_frame.storage import replacing


class Memory:
    """What was answered for files of one store, kept beside its journal where a person reads it.

        memory/HOST-…/categories.csv        the name of each category
        memory/HOST-…/animal-id-name-….toml one recipe for each header

    ``pf.load`` never uses it unasked: a script gives one of these files as ``recipe=``.

    Args:
        folder: Where its files are, or will be.
        given: Names of categories that the user gave, which count before those remembered.
    """

    def __init__(self, folder: Path, given: Mapping[int, str]) -> None:
        self._folder, self._path = folder, folder / "categories.csv"
        self.categories = {**given}
        with suppress(PetstoreError):  # none as yet, or one that a person broke
            self.categories = dict(Labels.words(self._path)) | self.categories

    def name_categories(self, labels: Mapping[int, str]) -> None:
        """Keep the names of categories."""
        self.categories |= labels
        self._folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._path) as temporary, temporary.open("w", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([("category_id", "label"), *sorted(self.categories.items())])

    def place_of(self, columns: Sequence[str]) -> Path:
        """Return where the recipe of a header is, whatever the order of its columns."""
        names = "\n".join(sorted(name.strip().casefold() for name in columns))
        digest = hashlib.sha256(names.encode(errors="surrogatepass")).hexdigest()[:8]
        words = re.sub(r"[^a-z0-9]+", "-", names)[:40].strip("-")
        return self._folder / f"{words}-{digest}.toml"

    def recall(self, columns: Sequence[str]) -> Recipe | None:
        """Return how the last file of this header was read; None for a new one."""
        with suppress(PetstoreError):  # there is none, or a person wrote something else into it
            return Recipe.read(self.place_of(columns))
        return None

    def keep(self, columns: Sequence[str], recipe: Recipe) -> None:
        """Remember how a file of this header is read."""
        kept = recipe.replace(categories=None)
        if kept.given():
            with suppress(PetstoreError, OSError):  # no file can hold it, or the disk is full
                self._folder.mkdir(parents=True, exist_ok=True)
                kept.write(self.place_of(columns))

    def forget(self, columns: Sequence[str]) -> None:
        """Forget how files of this header are read."""
        self.place_of(columns).unlink(missing_ok=True)


class Top:
    """A store, its folders, and what was read of it; the tabs of a dashboard share it."""

    def __init__(
        self, client: Client, categories: Categories, journal: Path | None, folder: Path
    ) -> None:
        self.client, self.journal, self.folder = client, journal, folder
        self.pets: Inventory | None = None
        place, labels = place_of(journal, client.base_url), dict(Labels.words(categories))
        self.memory = Memory(place.parent / "memory" / place.stem, labels)
        self._made = list[Client]()
        self._old = ""  # why what is shown is old
        self.kit = kit = Kit(self._show_failure, self._ask_for_key)
        self.work = Work(kit, self._draw_top)
        self.notice, self.stop = self.work.notice, self.work.stop
        self.refresh = kit.button("Refresh", self._start, "read the store again", icon="refresh")
        self.api_key = kit.make(widgets.Password, description="API key", placeholder="new key")
        self.use_key = kit.button("Use this key", self._use_key, "for this page alone; not kept")
        self._title, self._key_row = kit.html(), kit.row(self.api_key, self.use_key)
        show(self._key_row, False)
        head = kit.row(self._title, kit.row(self.refresh, self.stop), css="pf-ends")
        self.top = kit.column(head, self._key_row, self.notice)
        self._draw_top()

    def _draw_tabs(self) -> None:
        """Show the Inventory that was read now; a dashboard has the tabs."""

    def close(self) -> None:
        """End the thread, take the widgets off the screen, and close the clients of new keys."""
        self.work.close()
        for client in self._made:
            client.close()
        self.kit.close()

    def _start(self) -> None:
        self.work.start("Reading the store …", self._read, stopping=READING)

    def _read(self) -> None:
        """Read, in a thread; the old reading stays where there is no new one."""
        still = "There is nothing to show yet."
        if self.pets is not None:
            still = f"What is shown is from {minute_text(self.pets.fetched_at)}."

        def report(pets: int) -> None:
            self.work.report(f"Reading the store: {pets:,} pets so far")

        try:
            self._take(fetch_inventory(self.client, progress=report))
        except KeyboardInterrupt:
            self.work.say(PAGE.warning("Reading was stopped", [still]))
        except PetstoreError as problem:
            cause = getattr(problem, "cause", None) or problem
            self._old = "Old: the last reading failed"
            if isinstance(cause, AuthenticationError):
                problem = cause
                self._ask_for_key()
            self.work.say(failure(problem, "The store could not be read", still))

    def _take(self, inventory: Inventory) -> None:
        """Show an Inventory in place of the old one."""
        self.pets, self._old = inventory, ""
        self.work.say("")
        self._draw_tabs()
        show(self._key_row, False)
        self._draw_top()

    def _ask_for_key(self) -> None:
        self._old = "Old: the store refuses the key"
        show(self._key_row, True)
        self._draw_top()

    def _use_key(self) -> None:
        key, self.api_key.value = self.api_key.value.strip(), ""
        if key:
            self.client = self.client.with_key(key)
            self._made.append(self.client)  # the one before may be at work as yet
            self._start()

    def _show_failure(self, problem: Exception) -> None:
        self.work.say(failure(problem))

    def _draw_top(self) -> None:
        """Show what is known of the store."""
        pets = self.pets
        known = None if pets is None else pets.completeness
        markup = PAGE.render(
            "dashboard/store_header.html.j2",
            base_url=self.client.base_url,
            known=known,
            badge=palette.verdict_badge(None if known is None else known.verdict),
            as_of="" if pets is None else minute_text(pets.fetched_at),
            old=self._old,
            stale=palette.FAILED_BADGE,
        )
        if self._title.value != markup:  # else it would close what the user opened
            self._title.value = markup
        self.refresh.disabled = self.work.is_busy
