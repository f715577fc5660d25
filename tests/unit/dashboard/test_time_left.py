"""The remaining time of a long task, on a clock of its own."""

from __future__ import annotations

import re

from petstore_frame.dashboard.import_steps.send_step import send_progress
from petstore_frame.dashboard.page.time_left import TimeLeft
from petstore_frame.loader import State


class Reports:
    """Notes what a job reports, in the place of its area on the page."""

    def __init__(self) -> None:
        self.text = ""

    def report(self, text: str, _: float) -> None:
        self.text = text


def test_the_remaining_time_is_right_within_a_factor_of_a_half() -> None:
    """After a slow start, the remaining time is at most 1.5 times too long or too short."""
    total, now, reports = 6_000, 0.0, Reports()
    report = send_progress(reports, total, clock=lambda: now)
    sent_at = [second * 0.5 for second in range(20)]  # 2 per second at first
    sent_at += [10 + n / 100 for n in range(total - 20)]  # 100 per second from then on
    ratios = []
    for now in range(0, 65, 2):
        sent = sum(at <= now for at in sent_at)
        report({State.PENDING: total - sent, State.CREATED: sent})
        shown = re.search(r"about ([\d,]+) s left", reports.text)
        if now >= 20 and shown:
            ratios.append(int(shown[1].replace(",", "")) / (sent_at[-1] - now))
    assert len(ratios) > 20 and all(1 / 1.5 < ratio < 1.5 for ratio in ratios)


def test_the_time_before_the_first_report_does_not_count() -> None:
    """Sending starts after the store was read, which may take long; an unknown total has no end."""
    now = 0.0
    sending, reading = (TimeLeft(total, lambda: now) for total in (1_000, 0))
    now = 60.0
    assert sending.text(0) == ""
    now = 62.0
    assert sending.text(100) == " · 50 per second · about 18 s left"
    assert reading.text(0) == reading.text(100) == ""
