"""Words that only this project understands stay out of what people read."""

from __future__ import annotations

import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import petstore_frame

ROOT = Path(__file__).parents[2]
HOUSE = Path(petstore_frame.__file__).parent
# Each word of ours, with what a reader understands.
WORDS = {
    "aside": "a note", "ballast": "spare space", "echo": "preview", "fate": "state",
    "fates": "states", "flaw": "problem", "grounds": "reasons", "held": "read, kept, to confirm",
    "judged": "checked", "lineage": "the table of keys",
    "meant": "intended, for", "mend": "fix", "mended": "fixed", "oddity": "a check by its name",
    "strays": "mismatches", "survey": "preview", "told": "said, warned", "voice": "audience",
    "way on": "next step", "ways on": "next steps",
}  # fmt: skip
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "docs/*/*.md", "notebooks/*.ipynb")
    for path in ROOT.glob(pattern)
    if path.name != "interface.md" and path.parent != ROOT / "docs/notebooks"
)

_FILLED = re.compile(r"\{[^{}]*\}")
OURS = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a document, and the comments and texts of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in (tokenize.NAME, tokenize.OP, tokenize.NUMBER):
                # Python 3.11 has an f-string as one token, with the names in its braces.
                yield token.start[0], _FILLED.sub("", token.string)
    elif path.suffix == ".ipynb":
        yield from enumerate("".join(cell["source"]) for cell in json.loads(text)["cells"])
    else:
        yield from enumerate(text.splitlines(), 1)


def test_no_word_of_ours_is_read_by_people() -> None:
    """Pages, notebooks, messages, docstrings and comments say what a colleague would say."""
    assert len(DOCUMENTS) > 20
    files = (*DOCUMENTS, *HOUSE.rglob("*.py"))
    texts = [(str(path), line, text) for path in files for line, text in lines(path)]
    assert [each for each in texts if OURS.search(each[2])] == []
