"""Which column of a file holds which field of a pet: by its name, or by the caller's word.

A column's own name counts in any case and spacing. Synonyms and other languages are recognised
too, but only proposed: nothing can be deleted from a store, so a person confirms them first.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from petstore_frame.errors import InputError
from petstore_frame.schema.models import SENT_FIELDS, PetField
from petstore_frame.schema.text import short_text

OWN_PREFIX = "_pf_"
FIELDS: tuple[str, ...] = tuple(field.name for field in SENT_FIELDS)
REQUIRED: tuple[str, ...] = tuple(field.name for field in SENT_FIELDS if field.is_required)
Mapped = Mapping[str, str | None]
_LEAST_KEYS = 3
# A name column has more different cells than this part of its rows, a category column fewer.
_FEW, _LEAST_JUDGED, _JUDGED = 0.1, 30, 1_000
_KEY_WORDS = {"id", "no", "nr", "nummer", "number", "tag", "chip", "microchip", "licence",
              "license", "key", "code", "ref", "reference", "num", "numero", "número"}  # fmt: skip
_BRACKETS = re.compile(r"[(\[].*?[)\]]")

# What people call these columns, as ``_bare`` writes them. Words of the first group mean nothing
# else; a column of the second is proposed only where a required field has no other.
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
    """Return a column's name as headers are compared.

    Example:
        >>> normalise(" Category ID ")
        'categoryid'
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    return "".join(sign for sign in text if not sign.isspace() and sign not in "_-")


def _bare(name: str) -> str:
    """Return a name without accents and signs, as synonyms are compared."""
    text = unicodedata.normalize("NFKD", name.casefold())
    return "".join(sign for sign in text if sign.isalnum())


@dataclass(frozen=True)
class Recognised:
    """The columns that are fields by name or by the caller's word, or only look so, by field."""

    mapping: dict[str, str]
    proposed: dict[str, str]
    missing: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether each required field has a column, if all proposals are right."""
        return set(self.missing) <= self.proposed.keys()


def recognise(
    header: Sequence[str], mapping: Mapped | None = None, filled: Collection[str] = ()
) -> Recognised:
    """Return which columns of a header hold which fields; ``mapping`` has priority.

    The fields that are ``filled`` by a default may have no column.

    Raises:
        InputError: A name is there twice, two columns claim one field, or a column that the
            mapping names is not there.
    """
    for name, times in Counter(name for name in header if name.strip()).items():
        if times > 1:
            rename = "rename one of the two; which one counts cannot be guessed"
            what = f"the header names the column {name!r} twice"
            raise InputError(what, column=name, hint=rename)
    used, unclaimed = _given(mapping or {}, header)
    free = [name for name in header if name not in used.values()]
    for field in unclaimed:
        alike = _alike(field, free, 0)
        if len(alike) > 1:
            what = f"the columns {listed(alike)} both look like {field.name}"
            hint, add = "say which one to use, or rename one", ("mapping", {field.name: "?"})
            raise InputError(what, column=alike[1], hint=hint, add=add)
        if alike:
            used[field.name] = alike[0]
    missing = tuple(field for field in REQUIRED if field not in used and field not in filled)
    free = [name for name in header if name.strip() and name not in used.values()]
    proposed = dict[str, str]()
    # Vague names are tried only where the file cannot be read without them.
    for level in (1, 2, 3) if missing else (1,):
        for field in reversed(unclaimed):  # the name last: a "Category name" is a category
            alike = _alike(field, free, level)
            if len(alike) == 1 and not {field.name} & {*used, *proposed}:
                proposed[field.name] = alike[0]
                free.remove(alike[0])
    in_order = {field.name: proposed[field.name] for field in unclaimed if field.name in proposed}
    return Recognised(used, in_order, missing)


def _given(mapping: Mapped, header: Sequence[str]) -> tuple[dict[str, str], list[PetField]]:
    """Return the columns that a mapping names, and the fields of which it says nothing."""
    columns = {
        field: find_given("mapping", column, header)
        for field, column in mapping.items()
        if column is not None
    }
    if len({*columns.values()}) < len(columns):
        raise InputError("mapping gives one column to two fields", hint="give each its own")
    return columns, [field for field in SENT_FIELDS if field.name not in mapping]


def _alike(field: PetField, names: Sequence[str], level: int) -> list[str]:
    """Return the columns named as a field (0), that mean it (1), may (2), or contain its word."""
    if level in (1, 2):
        words = {*_SYNONYMS.get(field.name, ("", ""))[level - 1].split()}
        # Without what is in brackets: "Kategorie (Nr.)" is "kategorie".
        return [name for name in names if {_bare(name), _bare(_BRACKETS.sub("", name))} & words]
    if level == 0:
        found = ([name for name in names if normalise(name) == word] for word in field.headers)
    else:
        found = ([name for name in names if word in _bare(name)] for word in field.likely)
    return next(filter(None, found), [])


def find_columns(
    header: Sequence[str],
    mapping: Mapped | None,
    filled: Collection[str],
    *,
    rows: Callable[[], Iterable[Sequence[str]]],
    may_lack_header: bool,
) -> dict[str, str]:
    """Return the column for each field that has one; the first rows judge what looks like a field.

    Raises:
        InputError: As of ``recognise``; or a required column is missing, or a column only looks
            like a field.
    """
    found = recognise(header, mapping, filled)
    if found.proposed:
        found = _plausible(found, header, list(islice(rows(), _JUDGED)))
    for field, column in () if found.missing else found.proposed.items():
        raise unsent(field, column)
    if not found.missing:
        return found.mapping
    what = f"no column for {' and '.join(found.missing)} among {listed(header)}"
    proposed = dict.fromkeys(found.missing, "?") | found.proposed
    hint = "if these are the columns" if found.is_complete else "name the column"
    if may_lack_header and not found.is_complete:
        hint = f"a file without a header needs the word columns; else {hint}"
    wanted = {field: proposed[field] for field in FIELDS if field in proposed}
    raise InputError(what, hint=hint, add=("mapping", wanted))


def _plausible(
    found: Recognised, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> Recognised:
    """Leave out a proposed name whose column has few different cells: shelters, owners, kinds.

    Where the category has too many different labels, propose a column that has few.
    """

    def variety(column: str) -> float:
        at = header.index(column)
        cells = [row[at].strip() for row in rows if at < len(row) and row[at].strip()]
        return len({*cells}) / len(cells) if cells else 1.0

    proposed = dict(found.proposed)
    if len(rows) < _LEAST_JUDGED:
        return found
    if "name" in proposed and variety(proposed["name"]) < _FEW:
        del proposed["name"]
    kind = proposed.get("category_id")
    if kind is not None and variety(kind) > _FEW:
        words = " ".join(_SYNONYMS["category_id"]).split()
        others = [each for each in header if _bare(each) in words and each not in found.mapping]
        best = min([kind, *others], key=variety)
        if best not in proposed.values():
            proposed["category_id"] = best
    return replace(found, proposed=proposed)


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


def likely_keys(
    columns: Sequence[str], rows: Iterable[Sequence[str]], used: Collection[str]
) -> tuple[str, ...]:
    """Return the columns that may identify an animal, those that are called like an id first.

    Each is filled and different in all of three or more rows. This decides only what to propose.

    Example:
        >>> likely_keys(["name", "tag"], [["Rex", "7"], ["Rex", "8"], ["Bo", "9"]], used=["name"])
        ('tag',)
    """
    seen = {at: set[str]() for at, name in enumerate(columns) if name.strip() and name not in used}
    for cells in rows:
        for at in list(seen):
            value = "".join(cells[at : at + 1]).strip()
            if not value or value in seen[at]:
                del seen[at]
            else:
                seen[at].add(value)
    found = [columns[at] for at, values in seen.items() if len(values) >= _LEAST_KEYS]
    return tuple(sorted(found, key=lambda column: not sounds_like_a_key(column)))


def sounds_like_a_key(column: str) -> bool:
    """Tell whether a column is called like what identifies an animal."""
    words = re.split(r"[\W_]+", column.casefold())
    return any(word in _KEY_WORDS for word in words) or column.endswith(("id", "Id", "ID"))


def field_name(text: str) -> str | None:
    """Return the field that a name means (``categoryId`` is ``category_id``), or None."""
    word = normalise(text)
    return next((field.name for field in SENT_FIELDS if word in field.headers), None)


def listed(names: Sequence[str]) -> str:
    """Return column names for a message, the first twelve of many."""
    shown = ", ".join(map(short_text, names[:12]))
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown or "no columns"
