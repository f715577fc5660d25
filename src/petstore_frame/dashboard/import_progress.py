"""What the Import tab says while it is at work, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from petstore_frame.client import Client
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.worker import Worker
from petstore_frame.loader.options import Limits
from petstore_frame.loader.reading.opening import is_workbook
from petstore_frame.loader.record import State
from petstore_frame.schema.text import rows_text

QUIET_S = 4.0  # after such a silence the bar says so


class ImportProgress:
    """Says how far a file is read and sent, or why nothing moves; ``say`` shows the words.

    Attributes:
        about: About how many records are read, or None.
        at_start: How many records were to be sent.
        is_waiting: Whether we wait for the store.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.worker = Worker("petstore-import", tick=self._tick)
        self.about: int | None = None
        self.at_start, self._settled = 0, 0
        self.is_waiting = False

    def pause(self, seconds: float) -> None:
        """Let the time pass in which a late request may still be applied."""
        self.is_waiting = False  # this wait is on purpose, and its text says until when
        if seconds > 0:
            end = datetime.now().astimezone() + timedelta(seconds=seconds)
            words = f"Waiting until {end:%H:%M:%S}, for the store may still act on what is in doubt"
            self._say(parts.progress(words))
        self.worker.pause(seconds)

    def read(self, records: int) -> None:
        """Show how far a file is read."""
        self.worker.check()
        self.worker.moves()
        if self.worker.may_report():
            about, done = "", None
            if self.about:
                about, done = f" of about {self.about:,}", min(1.0, records / self.about)
            self._say(parts.progress(f"Checking: {rows_text(records)}{about}", done))

    def asked(self, is_waiting: bool) -> None:
        """Note that we wait for a page of the store, or that it has come."""
        self.is_waiting = is_waiting
        self.worker.moves()
        if not is_waiting:
            return
        self.worker.check()
        if self.worker.may_report():
            self._say(parts.progress("Comparing with the pets in the store …"))

    def sent(self, counts: Mapping[State, int]) -> None:
        """Show how far the records are sent."""
        self.is_waiting = True
        created, rejected = counts.get(State.CREATED, 0), counts.get(State.REJECTED, 0)
        if created + rejected != self._settled:
            self._settled = created + rejected
            self.worker.moves()
        self.worker.check()
        if self.worker.quiet_s >= QUIET_S or not self.worker.may_report():
            return
        left = counts.get(State.PENDING, 0) + counts.get(State.IN_FLIGHT, 0)
        done = min(1.0, max(0.0, 1 - left / self.at_start)) if self.at_start else 1.0
        self._say(parts.progress(f"Sending: {created:,} created, {rejected:,} rejected", done))

    def stop(self) -> None:
        self.worker.cancel()
        words = "Stopping after what is on its way; Stop again leaves that in doubt …"
        self._say(parts.progress(words))

    def _tick(self, quiet_s: float) -> None:
        """Say why nothing moves, if nothing does."""
        if quiet_s < QUIET_S or self.worker.is_stopping or not self.is_waiting:
            return
        since = datetime.now().astimezone() - timedelta(seconds=quiet_s)
        patience = f"{Limits().patience_s / 60:.0f} minutes"
        words = (
            f"No answer from the store since {since:%H:%M:%S} ({quiet_s:,.0f} s). It is asked "
            f"again for up to {patience}, then this stops in order. Nothing is lost; Stop ends it "
            "now."
        )
        self._say(parts.progress(words))


class WatchedClient:
    """A client that tells when it begins to wait for a page, and when it has it."""

    def __init__(self, client: Client, asked: Callable[[bool], None]) -> None:
        self._client, self._asked = client, asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def ask_page(self, *args: Any, **options: Any) -> Any:
        """Ask for a page."""
        self._asked(True)
        try:
            return self._client.ask_page(*args, **options)
        finally:
            self._asked(False)


def about_records(path: Path) -> int | None:
    """Return about how many records a text file has; None where counting needs reading it."""
    if path.suffix.lower() in (".gz", ".zip") or is_workbook(path):
        return None
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
