"""A form that shows tables of questions in one widget, however many questions there are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from zlib import crc32

import traitlets

from petstore_frame.dashboard.page.live_html import LiveHTML
from petstore_frame.errors import ArgumentError
from petstore_frame.questions import YES, Name, Question
from petstore_frame.rendering import PAGE, Markup, element, shorten

Answers = Mapping[Name, str]
CHOOSE, USE_ALL = "choose …", "Use all suggestions"
LONGEST, MAX_QUESTIONS = 60, 200


class Table(NamedTuple):
    """Questions under a title; a click on the title opens a folded table."""

    title: str
    questions: Sequence[Question]
    is_folded: bool = False


class Control:
    """The control of a question: setting ``value`` does what an answer in the browser does."""

    def __init__(self, form: Form, name: Name) -> None:
        self._form, self._name = form, name

    @property
    def question(self) -> Question:
        return self._form.questions[self._name]

    @property
    def value(self) -> str:
        """The present answer; empty while the question is open."""
        return value_text(self.question)

    @value.setter
    def value(self, text: str) -> None:
        self._form.answer({self._name: text})


class Form(LiveHTML):
    """Tables of questions; ``form["key"].value = "Tag"`` answers one.

    A question with several answers is a menu, one with a single answer a checkbox, and any other a
    text box. Text that somebody is typing stays when the form is drawn again.

    Args:
        on_answer: Called with the texts of the answers by the names of their questions.
        handling: Returns a handler that shows its errors.
    """

    # Number of messages that were handled. Until then, the browser shows the answer it sent.
    handled = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        on_answer: Callable[[Answers], None],
        handling: Callable[[Callable[..., Any]], Callable[..., None]],
        **options: Any,
    ) -> None:
        super().__init__(handling(self._use), **options)
        self._on_answer = on_answer
        self._rejected: dict[Name, tuple[str, str]] = {}
        self._tables: Sequence[Table] = ()
        self.questions: dict[Name, Question] = {}

    def __getitem__(self, name: Name) -> Control:
        if name not in self.questions:
            raise ArgumentError(f"the form does not ask {name!r} now")
        return Control(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self.questions

    @property
    def suggestions(self) -> dict[Name, str]:
        """The suggested answers to the open questions."""
        return {
            name: str(question.likely)
            for name, question in self.questions.items()
            if question.likely is not None and question.value is None
        }

    def ask(self, tables: Iterable[Table]) -> None:
        """Replace the questions."""
        self._tables = [table for table in tables if table.questions]
        self.questions = {
            question.name: question for table in self._tables for question in table.questions
        }
        self._rejected = {
            name: rejected for name, rejected in self._rejected.items() if name in self.questions
        }
        self._draw()

    def answer(self, answers: Answers) -> None:
        """Answer questions; an answer that is not possible is shown with the reason."""
        for name, text in answers.items():
            question = self[name].question
            possible = [YES] if len(question.answers) == 1 else [a.text for a in question.answers]
            if possible and text and text not in possible:
                raise ArgumentError(f"{question.text}: {text!r} is not one of {possible}")
            self._rejected.pop(name, None)
        try:
            self._on_answer(answers)
        except ArgumentError as problem:
            for name, text in answers.items():
                self._rejected[name] = text, str(problem)
            self._draw()
            raise

    def use_suggestions(self) -> None:
        """Accept all suggestions."""
        self.answer(self.suggestions)

    def _use(self, used: Mapping[str, Any]) -> None:
        try:
            if "all" in used:
                self.use_suggestions()
            elif "ask" in used:
                text = used.get("value", "")
                name = json.loads(used["ask"])
                name = tuple(name) if isinstance(name, list) else name
                if name in self.questions:  # otherwise the form has changed meanwhile
                    with suppress(ArgumentError):  # the form shows it
                        self.answer({name: {"on": YES, "off": ""}.get(text, text)})
        finally:
            self.handled += 1

    def _draw(self) -> None:
        tables = [self._table_markup(table) for table in self._tables]
        if len(self.suggestions) > 1:
            css = "jupyter-button mod-primary"
            tables.insert(0, element("button", USE_ALL, class_=css, data_all="yes"))
        self.markup = element("div", *tables, class_="pf-form")

    def _table_markup(self, table: Table) -> Markup:
        rows = [self._row(question, table.title) for question in table.questions[:MAX_QUESTIONS]]
        body = element("table", element("tbody", *rows), aria_label=table.title or "Questions")
        if len(table.questions) > MAX_QUESTIONS:
            more = f"These are the first {MAX_QUESTIONS} of {len(table.questions):,}."
            body += element("p", more, class_="pf-faint")
        if table.is_folded:
            summary = element("summary", table.title)
            return element("details", summary, body, data_fold=table.title)
        return (element("h4", table.title) if table.title else Markup("")) + body

    def _row(self, question: Question, title: str) -> Markup:
        name = json.dumps(question.name)
        rejected = self._rejected.get(question.name)
        label = f"{title}: {question.text}" if title else question.text
        attributes: dict[str, Any] = {"data_ask": name, "aria_label": label}
        if rejected is not None:
            attributes["aria_invalid"] = "true"
        value = value_text(question) if rejected is None else rejected[0]
        if len(question.answers) == 1:
            checked = "checked" if value else None
            control = element("input", type="checkbox", checked=checked, **attributes)
        elif question.answers:
            control = _menu(question, value, attributes)
        else:
            control = _text_box(question, value, attributes)
        return element(
            "tr",
            element("th", element("bdi", shorten(question.text, LONGEST)), scope="row"),
            element("td", control),
            element("td", *_remarks(question, name, "" if rejected is None else rejected[1])),
        )


def value_text(question: Question) -> str:
    """Return the present answer as text; empty while the question is open."""
    return "" if question.value is None else str(question.value)


def _remarks(question: Question, name: str, problem: str) -> Iterable[Markup]:
    """Yield the suggestion, the note, the examples, and why an answer was rejected."""
    if question.likely is not None and question.value is None:
        data = {"data_ask": name, "data_value": str(question.likely)}
        label = f"{question.text}: use {question.likely}"
        css = "jupyter-button pf-suggestion"
        yield element("button", f"{question.likely}?", class_=css, aria_label=label, **data)
    if question.note:
        yield element("span", question.note, class_="pf-faint")
    if problem:
        yield element("span", problem, class_="pf-wrong", role="alert")
    if question.examples:
        has_others = any(example.other for example in question.examples)
        rows = [
            ["" if example.line is None else str(example.line), example.text]
            + ([example.other] if has_others else [])
            for example in question.examples
        ]
        head = ["Line", "In your file", *(["Compared with"] if has_others else [])]
        yield element("div", PAGE.table(rows, head), class_="pf-grid")


def _menu(question: Question, value: str, attributes: Mapping[str, Any]) -> Markup:
    texts = [answer.sentence() for answer in question.answers]
    values = [answer.text for answer in question.answers]
    options = [] if value in values else [element("option", CHOOSE, value="", selected="selected")]
    for text, of_answer in zip(texts, values, strict=True):
        selected = "selected" if of_answer == value else None
        options.append(element("option", text, value=of_answer, selected=selected))
    return element("select", *options, **attributes)


def _text_box(question: Question, value: str, attributes: Mapping[str, Any]) -> Markup:
    if not question.choices:
        return element("input", type="text", value=value, **attributes)
    identity = f"pf-{crc32(repr(question.name).encode()):08x}"
    choices = [element("option", value=str(choice)) for choice in question.choices]
    box = element("input", type="text", value=value, list=identity, **attributes)
    return box + element("datalist", *choices, id=identity)
