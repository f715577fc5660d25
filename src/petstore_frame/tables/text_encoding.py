"""Detects the encoding of a text file, or shows its lines in the most likely encodings."""

from __future__ import annotations

import codecs
import locale
import unicodedata
from collections.abc import Sequence

from petstore_frame.errors import InputError
from petstore_frame.file_questions import encoding_question
from petstore_frame.tables.file_kinds import marked_encoding, utf16_orders

_SAVE_AS_UTF8 = "save it with the encoding UTF-8"
# Encodings of files from spreadsheets and old programs, the most common first.
_CANDIDATES = ("cp1252", "cp1250", "cp1251", "mac_roman", "cp932", "gbk", "cp1253", "cp949", "big5")
_MAX_CANDIDATES, _MAX_LINES = 3, 200
# Characters of a line to show, and those before its first byte that is not ASCII.
_EXAMPLE_LENGTH, _LENGTH_BEFORE = 60, 20
_UNMARKED_LENGTH = 24  # of a line; in the wrong order of bytes, the complete file is one line


def codec_of(data: bytes, stated: str | None) -> str:
    """Return the codec of a text file: the stated one, or the one that can decode all bytes.

    Raises:
        InputError: The bytes are not text in that encoding; the error has the line.
    """
    marked = marked_encoding(data)
    if stated is None and marked is None and (orders := utf16_orders(data)):
        raise _unmarked(data, orders)
    codec = codecs.lookup(stated).name if stated else marked or "utf-8"
    codec = "utf-8-sig" if codec == "utf-8" else codec
    fault = _fault(data, codec)
    if fault is None:
        return codec
    if isinstance(fault, UnicodeDecodeError) and not codec.startswith(("utf-16", "utf-32")):
        raise _misread(data, codec, fault.start)
    raise InputError(f"the file is not {codec.upper()} text", hint=_SAVE_AS_UTF8)


def decode_error_handler(codec: str) -> str:
    """Return the error handler for a codec, so that a lone surrogate invalidates only its row."""
    return "surrogatepass" if codec.startswith(("utf-8", "utf-16", "utf-32")) else "strict"


def _fault(data: bytes, codec: str) -> UnicodeError | None:
    """Return why bytes are not text of an encoding, or None."""
    try:
        data.decode(codec, decode_error_handler(codec))
    except UnicodeError as fault:
        return fault
    return None


def likely_encodings(data: bytes, lines: Sequence[bytes]) -> list[str]:
    """Return the encodings that can decode all bytes, the most likely one first.

    The likelihood depends on ``lines``, which are some lines of the file.
    """
    own = codecs.lookup(locale.getencoding()).name
    fitting = [codec for codec in dict.fromkeys((own, *_CANDIDATES)) if _fault(data, codec) is None]
    return sorted(fitting, key=lambda codec: _unusual_share(b"\n".join(lines), codec))


def _unusual_share(data: bytes, codec: str) -> float:
    """Return the share of non-ASCII letters that are unusual in names, such as inner capitals."""
    unusual = letters = 0
    before = " "
    for letter in data.decode(codec, "replace"):
        if not letter.isascii():
            letters += 1
            is_letter = letter.isalpha()
            is_inner_capital = letter.isupper() and before.islower()
            is_mixed = before.isalpha() and _alphabet(before) != _alphabet(letter)
            unusual += not is_letter or is_inner_capital or is_mixed or letter in "\ufffd"
        elif letter.isalpha() and before.isalpha() and not before.isascii():
            letters += 1
            unusual += _alphabet(before) != "LATIN"
        before = letter
    return unusual / letters if letters else 0.0


def _alphabet(letter: str) -> str:
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name.startswith(("HIRAGANA", "KATAKANA")) else name


def _misread(data: bytes, codec: str, at: int) -> InputError:
    """Return the error for a byte, with some lines of the file in other encodings."""
    lines, number = data.splitlines(), len(data[: at + 1].splitlines())
    name = codec.removesuffix("-sig").upper()
    message = f"byte {at + 1:,} (0x{data[at]:02x}) is not {name} text"
    non_ascii_lines = [line for line in lines[: number + 1000] if not line.isascii()]
    if sum(_fault(line, "utf-8") is None for line in non_ascii_lines) * 2 >= len(non_ascii_lines):
        hint = "no encoding fits the complete file; correct this line and similar ones"
        return InputError(message, line=number, hint=hint)
    candidates = likely_encodings(data, non_ascii_lines[:200])
    if not candidates:
        return InputError(message, line=number, hint=_SAVE_AS_UTF8)
    hint = f"choose the encoding: {_readings(non_ascii_lines, candidates)}; or {_SAVE_AS_UTF8}"
    question = encoding_question(message, candidates, hint)
    return InputError(message, line=number, hint=hint, questions=(question,))


def _unmarked(data: bytes, orders: Sequence[str]) -> InputError:
    """Return the error for UTF-16 without a mark, with its first lines in each order of bytes."""
    codecs_that_fit = [codec for codec in orders if _fault(data, codec) is None]
    message = "this looks like UTF-16 text without a byte order mark"
    if not codecs_that_fit:
        return InputError(message, hint=_SAVE_AS_UTF8)
    readings = []
    for codec in codecs_that_fit:
        lines = data.decode(codec, decode_error_handler(codec)).splitlines()
        texts = [line.strip()[:_UNMARKED_LENGTH] for line in lines if line.strip()][:2]
        readings.append(f"{codec} reads {' and '.join(map(repr, texts))}")
    hint = f"choose the encoding: {'; '.join(readings)}; or {_SAVE_AS_UTF8}"
    question = encoding_question(message, codecs_that_fit, hint)
    return InputError(message, hint=hint, questions=(question,))


def _readings(lines: Sequence[bytes], candidates: Sequence[str]) -> str:
    """Return the lines that differ between the most likely encodings, decoded by each of them."""
    decoded = {
        codec: [_excerpt(line, codec) for line in lines[:_MAX_LINES]] for codec in candidates
    }
    readings = dict[tuple[str, ...], str]()  # the first encoding of each reading
    for codec in candidates:
        readings.setdefault(tuple(decoded[codec]), codec)
    distinct_codecs = [*readings.values()][:_MAX_CANDIDATES]
    # The first line, and the one that together with it distinguishes most encodings.
    second = max(
        range(len(decoded[distinct_codecs[0]])),
        key=lambda at: len({(decoded[codec][0], decoded[codec][at]) for codec in distinct_codecs}),
    )
    parts = []
    for codec in distinct_codecs:
        texts = dict.fromkeys((decoded[codec][0], decoded[codec][second]))
        parts.append(f"{codec} reads {' and '.join(map(repr, texts))}")
    return "; ".join(parts)


def _excerpt(line: bytes, codec: str) -> str:
    """Return the part of a decoded line around its first byte that is not ASCII."""
    first = next(at for at, byte in enumerate(line) if byte > 127)
    text = line.decode(codec)
    start = max(0, min(first - _LENGTH_BEFORE, len(text) - _EXAMPLE_LENGTH))
    return text[start : start + _EXAMPLE_LENGTH].strip()
