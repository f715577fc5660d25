"""A column that may be the status is asked about, whatever its language, and never dropped."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.errors import InputError
from petstore_frame.loader.source import FilePreview, Recipe
from shop import Shop
from unit.loader.opened import rows_of, written

# The names of the columns, and three statuses.
LISTS = {
    "Spanish": ("Nombre;Categoría;Estado", ("disponible", "vendido", "pendiente")),
    "Spanish, another word": ("Nombre;Categoría;Situación", ("disponible", "vendido", "reservado")),
    "French": ("Nom;Catégorie;État", ("disponible", "vendu", "en attente")),
    "Italian": ("Nome;Categoria;Stato", ("disponibile", "venduto", "in attesa")),
    "German": ("Tiername;Kategorie;Zustand", ("verfügbar", "verkauft", "reserviert")),
    "Portuguese": ("Nome;Categoria;Situação", ("disponível", "vendido", "reservado")),
    "Dutch": ("Naam;Categorie;Toestand", ("beschikbaar", "verkocht", "gereserveerd")),
    "Polish": ("Imię;Kategoria;Stan", ("dostępny", "sprzedany", "zarezerwowany")),
    "Czech": ("Jméno;Kategorie;Stav", ("dostupný", "prodaný", "rezervovaný")),
    "Russian": ("Кличка;Категория;Состояние", ("доступен", "продан", "забронирован")),
    "statuses of their own": ("Nombre;Categoría;Estado", ("en casa", "fuera", "en casa")),
    "a status as the name of a column": ("Nom;Catégorie;Disponible", ("oui", "non", "oui")),
    "in a column with another name": (
        "Nombre;Categoría;Nota",
        ("disponible", "vendido", "Vendido"),
    ),
}


def list_of(header: str, statuses: tuple[str, str, str]) -> str:
    rows = [f"Animal {at};3;{status}" for at, status in enumerate(statuses)]
    return "\n".join([header, *rows])


@pytest.mark.parametrize(("header", "statuses"), LISTS.values(), ids=LISTS)
def test_a_status_in_any_language_is_part_of_the_suggestion(
    tmp_path: Path, header: str, statuses: tuple[str, str, str]
) -> None:
    """The suggested mapping and the draft have a placeholder for the status, with its column."""
    path = written(tmp_path, list_of(header, statuses))
    name, category, status = header.split(";")
    with pytest.raises(InputError) as refused:
        rows_of(path)
    assert refused.value.add == ("mapping", {"name": name, "category_id": category, "status": "?"})
    assert f"{status!r}, with {statuses[0]!r}" in refused.value.hint
    draft = Recipe.draft(path)
    assert tomllib.loads(draft)["mapping"]["status"] == "?"
    assert f'"{status}"?' in draft


@pytest.mark.parametrize(("header", "statuses"), LISTS.values(), ids=LISTS)
def test_a_mapping_without_the_status_never_drops_it_unseen(
    tmp_path: Path, header: str, statuses: tuple[str, str, str]
) -> None:
    """If all values are statuses, the load stops; otherwise a warning names the column."""
    name, category, status = header.split(";")
    mapping = {"name": name, "category_id": category}
    with pf.testing.fake_store().client() as client:
        memory_shop = Shop(tmp_path, client)
        path = written(tmp_path, list_of(header, statuses))
        try:
            result = pf.load(path, client, journal=memory_shop.journal, mapping=mapping)
        except InputError as refused:
            assert (refused.column, refused.add) == (status, ("mapping", {"status": "?"}))
            assert memory_shop.names == []
        else:
            assert [status in warning for warning in result.warnings] == [True]
            assert statuses[0] in ("en casa", "oui")


def test_an_answer_about_the_status_is_final(tmp_path: Path) -> None:
    """With "" for the status, the file and its fix file load without a question or a warning."""
    header, statuses = LISTS["Spanish"]
    path = written(tmp_path, list_of(header, statuses).replace(";3;vendido", ";x;vendido"))
    mapping = {"name": "Nombre", "category_id": "Categoría", "status": ""}
    with pf.testing.fake_store().client() as client:
        memory_shop = Shop(tmp_path, client)
        result = pf.load(path, client, journal=memory_shop.journal, mapping=mapping)
        assert (len(memory_shop.names), result.warnings) == (2, [])
        fixed = pf.load(
            result.fix.assign(**{"Categoría": "3"}), client, journal=memory_shop.journal
        )
        assert (len(memory_shop.names), fixed.warnings) == (3, [])


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("Estado civil", ("soltero", "casado")),
        ("Gesundheitszustand", ("gut", "schlecht")),
        ("Estado", ("", "")),
        ("Farbe", ("braun", "sold")),
        ("Adopted", tuple(f"2026-01-{at}" for at in range(10, 30))),
        ("Besitzer", tuple(f"Person {at}" for at in range(20))),
    ],
)
def test_other_columns_are_not_asked_about(
    tmp_path: Path, column: str, values: tuple[str, ...]
) -> None:
    """The state of something else, an empty column, and other values are no status."""
    rows = [f"Rex,3,{value}" for value in values]
    path = written(tmp_path, "\n".join([f"name,category_id,{column}", *rows]))
    with pf.testing.fake_store().client() as client:
        result = pf.load(path, client, journal=tmp_path / "journal", key="")
        assert not [warning for warning in result.warnings if "status" in warning]


def test_a_status_below_many_empty_cells_is_asked_about(tmp_path: Path) -> None:
    """The first rows of a list may have no status yet."""
    rows = [f"Animal {at},3,{'vendido' if at > 500 else ''}" for at in range(600)]
    with pytest.raises(InputError, match="'Estado' looks like the status"):
        rows_of(written(tmp_path, "\n".join(["name,category_id,Estado", *rows])))


def test_a_preview_reads_on_with_the_likely_status(tmp_path: Path) -> None:
    """The question stays open, but its columns are shown as they probably are."""
    header, statuses = LISTS["French"]
    preview = FilePreview.of(written(tmp_path, list_of(header, statuses)), Recipe())
    assert preview.questions[0].add[1]["status"] == "?"
    assert preview.mapping == {"name": "Nom", "category_id": "Catégorie", "status": "État"}
    assert [value.text for value in preview.values] == [*statuses]
