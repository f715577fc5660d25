"""Finds which column of a file holds which field of a pet.

A column's own name counts in any case and spacing. What other names mean is only asked about.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import short_text
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.spreadsheet_text import without_invisible
from petstore_frame.schema import FIELDS, PetField

OWN_PREFIX = "_pf_"
REQUIRED: tuple[str, ...] = tuple(field.name for field in FIELDS.sent if field.is_required)
_BRACKETS = re.compile(r"[(\[].*?[)\]]")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")

# Words in the name of a column of numbers: that it identifies something, and what.
IDENTIFIERS = {
    "id", "ids", "no", "nr", "num", "nummer", "number", "numero", "número", "key", "code", "ref",
    "reference", "tag", "chip", "microchip", "transponder", "kennung",
}  # fmt: skip
OF_ANIMALS = {
    "animal", "pet", "dog", "cat", "tier", "hund", "katze", "tag", "chip", "microchip",
    "transponder", "mascota", "dier", "animale",
}  # fmt: skip
# People, events, papers, places.
OF_OTHERS = {
    "owner", "contact", "person", "people", "adopter", "customer", "client", "member", "besitzer",
    "halter", "kunde", "visit", "appointment", "besuch", "outcome", "intake", "impound", "event",
    "activity", "case", "movement", "record", "row", "line", "licence", "license", "lizenz",
    "permit", "invoice", "order", "receipt", "shelter", "location", "kennel", "cage", "breed",
    "species", "type", "category", "zip", "postal", "phone", "telefon", "house", "street", "vet",
}  # fmt: skip
# A column with such a part in its name is about something else.
_ABOUT_OTHERS = {
    "name": "owner user street vet shelter breed species contact first last company colour color",
    "category_id": "movement outcome intake event visit activity exit entry admission return licen",
    "status": "gender sex spay neuter licen vaccin rabies payment marital",
}
# What people call these columns, as ``_bare`` writes them. Words of the first group mean nothing
# else; a column of the second may be about something else.
_SYNONYMS: dict[str, tuple[str, str]] = {
    "name": (
        "petname animalname petsname nameofpet nameofanimal callname tiername rufname nombre "
        "nombremascota nombredelamascota nombreanimal nombredelanimal nom nomanimal nomdelanimal "
        "nome nomeanimale nomedoanimal nomedopet naam diernaam dierennaam namn djurnamn husdjur "
        "navn dyrenavn dyretsnavn nimi elaimennimi imie nazwa imiezwierzecia jmeno jmenozvirete "
        "meno nev allatneve nume numeanimal ime imezivali ονομα имя кличка имяживотного isim",
        "animal pet tier mascota dier djur dyr zwierze zvire label title",
    ),
    "category_id": (
        "petcategory animalcategory categoryno categorynumber categorynr catid catno kategorie "
        "kategorieid kategorienr kategorienummer tierkategorie categorie categorieid "
        "categorienummer categoria categoriaid idcategoria codigocategoria kategori kategoriid "
        "kategoria kategoriaid kategorija luokka категория kατηγορια κατηγορια kategorianumer",
        "kind type species animaltype pettype art tierart gattung espece especie specie tipo soort "
        "diersoort slag typ gatunek druh вид τυπος tur",
    ),
    "status": (
        "petstatus animalstatus adoptionstatus salestatus availabilitystatus statut estatus "
        "verfugbarkeit verfuegbarkeit disponibilite disponibilidad disponibilita disponibilidade "
        "beschikbaarheid tillganglighet tilgjengelighed tilgjengelighet saatavuus dostepnosc "
        "dostupnost availability статус κατασταση durum",
        "state zustand estado etat stato stav stan tila",
    ),
}


def normalise(name: str) -> str:
    """Return a column's name as headers are compared: `` Category ID `` is ``categoryid``."""
    text = unicodedata.normalize("NFKC", without_invisible(name)).casefold()
    return "".join(sign for sign in text if not sign.isspace() and sign not in "_-")


def words_of(column: str) -> set[str]:
    """Return the words of a column's name: ``OWNER_ID`` has owner and id, ``PetName`` pet, name."""
    words = {word.casefold() for word in _WORD.findall(column)}
    for word in list(words):  # German writes them together: Tiernummer
        for end in ("nummer", "nr", "number", "id"):
            if word.endswith(end) and word.removesuffix(end) in OF_ANIMALS | OF_OTHERS:
                words |= {word.removesuffix(end), end}
    return words


class Recognised(NamedTuple):
    """The columns that are fields by name or by the caller's word, or only look so; by field."""

    mapping: dict[str, str]  # certain
    likely: dict[str, list[str]]  # may be the field, the likeliest first
    proposed: dict[str, str]  # the only one of these whose name means the field and nothing else
    missing: tuple[str, ...]  # required, and without a certain column


def recognise(
    header: Sequence[str], mapping: Mapping[str, str], filled: Collection[str]
) -> Recognised:
    """Return which columns of a header hold which fields; ``mapping`` has priority.

    The fields that are ``filled`` by a default may have no column. A header or a mapping by which
    a column is not clear is an InputError.
    """
    for name, times in Counter(name for name in header if name.strip()).items():
        if times > 1:
            hint = "rename one of the two; which one counts cannot be guessed"
            raise InputError(f"the header names the column {name!r} twice", column=name, hint=hint)
    used = {
        field: find_given("mapping", column, header) for field, column in mapping.items() if column
    }
    if len({*used.values()}) < len(used):
        raise InputError("mapping gives one column to two fields", hint="give each its own")
    free = [name for name in header if name.strip() and name not in used.values()]
    unclaimed = [field for field in FIELDS.sent if field.name not in mapping]
    for field in unclaimed:
        alike = [name for name in free if normalise(name) in field.headers]
        alike = [name for name in alike if normalise(name) == normalise(field.name)] or alike
        if len(alike) > 1:
            what = f"the columns {listed(alike)} both look like {field.name}"
            hint, add = (
                "say which one to use",
                ("mapping", {field.name: PLACEHOLDER}),
            )
            raise InputError(what, column=alike[1], hint=hint, add=add)
        if alike:
            used[field.name] = alike[0]
            free.remove(alike[0])
    likely, proposed = dict[str, list[str]](), dict[str, str]()
    for field in reversed(unclaimed):  # the name last: a "Category name" is a category
        clear, vague = _alike(field, free) if field.name not in used else ([], [])
        if clear or vague:
            likely[field.name] = [*clear, *vague]
        if len(clear) == 1:
            proposed[field.name] = clear[0]
        free = [name for name in free if name not in clear]
    missing = tuple(field for field in REQUIRED if field not in used and field not in filled)
    return Recognised(used, likely, proposed, missing)


def _alike(field: PetField, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns whose name means a field and nothing else, and those that may be it."""
    own, vague_words = (group.split() for group in _SYNONYMS.get(field.name, ("", "")))
    clear, vague = list[str](), list[str]()
    for name in names:
        bare, words = _bare(_BRACKETS.sub("", name)) or _bare(name), words_of(name)
        is_name_of_animals = {"name"} < words <= {"name", *OF_ANIMALS} and field.name == "name"
        if bare in own or _bare(name) in own or is_name_of_animals:
            clear.append(name)
        elif any(part in bare for part in _ABOUT_OTHERS.get(field.name, "").split()):
            continue
        elif bare in vague_words or (
            any(word in bare for word in field.likely) and not words & IDENTIFIERS
        ):
            vague.append(name)
    return clear, vague


def _bare(name: str) -> str:
    """Return a name without accents and signs, as synonyms are compared."""
    text = unicodedata.normalize("NFKD", name.casefold())
    return "".join(sign for sign in text if sign.isalnum())


def may_be_header(
    names: Sequence[str], mapping: Mapping[str, str], filled: Collection[str]
) -> bool:
    """Return True if each required field has a column among these, or one that may be it."""
    try:
        found = recognise(names, mapping, filled)
    except InputError:
        return False
    return {*found.missing} <= {*found.likely}


def find_columns(
    header: Sequence[str], mapping: Mapping[str, str], filled: Collection[str]
) -> dict[str, str]:
    """Return the column for each field that has one; what is missing or in doubt is refused."""
    found = recognise(header, mapping, filled)
    for field, column in () if found.missing else found.proposed.items():
        raise unsent(field, column)
    if not found.missing:
        return found.mapping
    what = f"no column for {' and '.join(found.missing)} among {listed(header)}"
    perhaps = [f"the {field} may be {' or '.join(map(repr, found.likely[field][:3]))}"
               for field in found.missing if field in found.likely]  # fmt: skip
    hint = "; ".join(perhaps or ["a file without a header needs the word columns"])
    wanted = dict.fromkeys(found.missing, PLACEHOLDER) | found.proposed
    add = "mapping", {field: wanted[field] for field in FIELDS.sent.names if field in wanted}
    raise InputError(what, hint=f"name the column; {hint}", add=add)


def unsent(field: str, column: str) -> InputError:
    """Return the question whether a column that looks like a field is to be sent."""
    what = f"the column {column!r} looks like the {field}, and would not be sent"
    hint = "map the field to it to send it, or to an empty text to leave it out"
    return InputError(what, column=column, hint=hint, add=("mapping", {field: column}))


def find_given(option: str, column: str, header: Sequence[str]) -> str:
    """Return the column that an option names, as the file spells it; it must have one."""
    alike = [name for name in header if normalise(name) == normalise(column)]
    if column in header or len(alike) == 1:
        return column if column in header else alike[0]
    what = f"{option} names the column {column!r}, which is not among {listed(header)}"
    raise InputError(what, hint="spell it as the file does")


def field_name(text: str) -> str | None:
    """Return the field that a name means (``categoryId`` is ``category_id``), or None."""
    word = normalise(text)
    return next((field.name for field in FIELDS.sent if word in field.headers), None)


def listed(names: Sequence[str]) -> str:
    """Return column names for a message, the first twelve of many."""
    shown = ", ".join(map(short_text, names[:12]))
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown or "no columns"
