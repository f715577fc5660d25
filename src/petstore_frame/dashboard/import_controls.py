"""The boxes and lists of the Import tab: which file, how it is read, which column is which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from petstore_frame.dashboard.import_preview import label_of
from petstore_frame.dashboard.import_view import fields_of
from petstore_frame.dashboard.kit import Kit
from petstore_frame.loader.reading.look import Look
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS

NOT_IN_FILE, NO_KEY = "(not in the file)", "(none)"
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ENCODINGS = ("utf-8", "cp1252", "cp1250", "mac_roman", "utf-16")
SHOWN_LINES = 40  # a header further below the top is given in Python
LAYOUT = {
    "encoding": "Encoding",
    "delimiter": "Delimiter",
    "sheet": "Sheet",
    "header_row": "Header in line",
}


class Controls:
    """What a person chooses of a file, preset with what is recognised.

    ``chosen`` is called with the options of ``Recipe`` that were chosen otherwise.
    """

    def __init__(
        self,
        kit: Kit,
        uploaded: Callable[[Any], None],
        path_given: Callable[[Any], None],
        labels_given: Callable[[Any], None],
    ) -> None:
        self.chosen: Callable[..., None] = lambda **_: None
        self._kit, self._is_presetting = kit, False
        self._make_sources()
        self._make_choices()
        self.upload.observe(uploaded, "value")
        self.path.observe(path_given, "value")
        self.labels.observe(labels_given, "value")

    def _make_sources(self) -> None:
        kit = self._kit
        self.upload = kit.make(widgets.FileUpload, accept=".csv,.tsv,.txt,.gz,.xlsx,.xlsm,.toml")
        tip = "on the machine that runs this, if above 8 MiB"
        self.path = kit.make(
            widgets.Text, description="or its path", placeholder=tip, continuous_update=False
        ).add_class("pf-path")
        self.template = kit.button(
            "Template", "a file with the columns that an import may have", lambda: None
        )
        self.labels = kit.make(widgets.FileUpload, accept=".csv").add_class("pf-labels")
        self.sources = kit.row(self.upload, self.path, self.template, self.labels)

    def _make_choices(self) -> None:
        kit = self._kit
        self.layout = {
            name: kit.make(widgets.Dropdown, options=[""], description=word)
            for name, word in LAYOUT.items()
        }
        fields = [field.name for field in SENT_FIELDS]
        self.columns = {
            name: kit.make(
                widgets.Dropdown, options=[NOT_IN_FILE], description=f"{label_of(name)} is"
            )
            for name in fields
        }
        tip = "the column that identifies an animal: a known one is never sent again"
        self.key = kit.make(widgets.Dropdown, options=[NO_KEY], description="Key", tooltip=tip)
        columns = [*self.columns.values(), self.key]
        rows = kit.row(*self.layout.values()), kit.row(*columns)
        tip = "a recipe: give it with a file of the same kind, here or in Python"
        self.save = kit.button("Save these choices", tip, lambda: None)
        self.choices = kit.column(*rows, kit.row(self.save), is_hidden=True)
        for name, control in self.layout.items():
            control.observe(lambda change, name=name: self._laid_out(name, change.new), "value")
        for control in columns:
            control.observe(lambda _: self._mapped(), "value")

    def preset(self, look: Look) -> None:
        """Set each choice to what holds now."""
        self._is_presetting, facts = True, look.facts
        encoding, sign = facts.get("encoding", ""), facts.get("delimiter", "")
        likely = [decoded.encoding for decoded in look.encodings]
        encodings = dict.fromkeys([encoding, *likely, *ENCODINGS])
        signs = {**DELIMITERS, **({sign: repr(sign)} if sign and sign not in DELIMITERS else {})}
        lines = range(1, max(SHOWN_LINES, look.header_row or 1) + 1)
        _offer(self.layout["encoding"], {name: name for name in encodings if name}, encoding)
        _offer(self.layout["delimiter"], {word: each for each, word in signs.items()}, sign)
        _offer(self.layout["sheet"], {name: name for name in look.sheets}, facts.get("sheet"))
        _offer(self.layout["header_row"], {str(line): line for line in lines}, look.header_row)
        names = [column for column in look.columns if column.strip()]
        for field, column in fields_of(look).items():
            _offer(self.columns[field], {n: n for n in (NOT_IN_FILE, *names)}, column)
        keys = (NO_KEY, *look.key_columns, *look.reading.key, *names)
        _offer(self.key, {name: name for name in keys}, *look.reading.key[:1])
        for name in ("encoding", "delimiter"):
            self._kit.show(self.layout[name], look.kind == "csv")
        self._kit.show(self.layout["sheet"], len(look.sheets) > 1)
        self._is_presetting = False

    def _laid_out(self, name: str, value: Any) -> None:
        """Read the file otherwise; which column is which is found anew."""
        if not self._is_presetting:
            self.chosen(**{name: value or None}, mapping=None, columns=None, key=())

    def _mapped(self) -> None:
        if self._is_presetting:
            return
        picked = {
            field: None if control.value == NOT_IN_FILE else control.value
            for field, control in self.columns.items()
        }
        # A required field that is left open is asked for; another one is left out on purpose.
        mapping = {
            field: column
            for field, column in picked.items()
            if column is not None or not FIELD_BY_NAME[field].is_required
        }
        key = () if self.key.value == NO_KEY else (self.key.value,)
        self.chosen(mapping=mapping, key=key)


def _offer(control: widgets.Dropdown, options: dict[str, Any], value: Any = None) -> None:
    """Offer options by what they are called, one of them chosen, else the first."""
    control.options = [*options.items()] or [("", None)]
    values = [*options.values()]
    control.value = value if value in values else next(iter(values), None)
