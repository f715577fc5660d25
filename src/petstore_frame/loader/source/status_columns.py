"""Finds columns that may hold the status, by their names or by their values, in any language.

The languages are those in which headers are recognized.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from petstore_frame.schema import FIELDS

# Number of rows to examine; a column with more values in them is unlikely to hold statuses.
ROWS_TO_EXAMINE, _MAX_VALUES = 2_000, 12

# Words for a status in the name of a column, each in the form of ``comparable``.
_HEADERS = (
    "status statuses statut statuts estatus statusz stanje situacion situacao situazione situation "
    "situatie toestand estado etat stato zustand stav stan tilstand tillstand tila stare "
    "allapot durum статус состояние κατασταση"
)
# Words that tell what a status is about, if it is not the sale of an animal.
_OTHER_STATUSES = (
    "civil", "marital", "gender", "sex", "spay", "neuter", "licen", "vaccin", "rabies", "payment",
    "pago", "paiement", "pagamento", "owner", "home", "birth", "vaccun", "vacun", "impf", "gesund",
    "health", "sante", "salud", "salute", "saude",
)  # fmt: skip
# Values for available, pending and sold.
_VALUES = (
    # English
    "available, for sale, for adoption, adoptable, in stock, pending, reserved, on hold, sold, "
    "adopted, rehomed, "
    # German
    "verfügbar, verfuegbar, erhältlich, zu vermitteln, zu verkaufen, vermittelbar, reserviert, "
    "vorgemerkt, ausstehend, anstehend, in bearbeitung, in vermittlung, verkauft, vermittelt, "
    "adoptiert, "
    # French
    "disponible, disponibles, à vendre, à adopter, en vente, adoptable, réservé, réservée, "
    "en attente, en cours, vendu, vendue, adopté, adoptée, "
    # Spanish
    "en venta, en adopción, a la venta, pendiente, pendientes, reservado, reservada, en proceso, "
    "en espera, vendido, vendida, adoptado, adoptada, "
    # Italian
    "disponibile, disponibili, in vendita, adottabile, in attesa, in sospeso, prenotato, "
    "prenotata, riservato, riservata, in trattativa, venduto, venduta, adottato, adottata, "
    # Portuguese and Romanian
    "disponível, disponíveis, à venda, para adoção, pendente, em espera, em processo, "
    "disponibil, disponibilă, de vânzare, în așteptare, rezervat, rezervată, vândut, vândută, "
    "adoptat, adoptată, "
    # Dutch
    "beschikbaar, te koop, ter adoptie, adopteerbaar, gereserveerd, in behandeling, in optie, "
    "in afwachting, onder optie, verkocht, geadopteerd, geplaatst, bemiddeld, "
    # Swedish, Norwegian, Danish, Finnish
    "tillgänglig, till salu, tilgjengelig, tilgængelig, til salgs, til salg, reserverad, "
    "reservert, reserveret, avventer, afventer, väntande, såld, solgt, adopterad, adoptert, "
    "adopteret, saatavilla, myynnissä, varattu, odottaa, myyty, adoptoitu, "
    # Polish
    "dostępny, dostępna, dostępne, do adopcji, na sprzedaż, oczekujący, oczekująca, oczekuje, "
    "w trakcie, zarezerwowany, zarezerwowana, zarezerwowane, sprzedany, sprzedana, sprzedane, "
    "adoptowany, adoptowana, zaadoptowany, zaadoptowana, "
    # Czech and Slovak
    "dostupný, dostupná, k dispozici, k adopci, na prodej, na predaj, rezervovaný, rezervovaná, "
    "rezervováno, rezervované, čeká, čekající, čaká, prodaný, prodaná, prodáno, predaný, predaná, "
    "predané, adoptovaný, adoptovaná, adoptován, adoptována, "
    # Hungarian
    "elérhető, eladó, örökbefogadható, foglalt, függőben, eladva, eladott, örökbe fogadva, "
    # Croatian, Serbian, Slovenian
    "dostupan, dostupna, dostupno, na voljo, na prodaju, naprodaj, rezerviran, rezervirana, "
    "rezervirano, rezervisan, na čekanju, v čakanju, prodan, prodana, prodano, prodat, posvojen, "
    "posvojena, udomljen, udomljena, "
    # Greek, Russian, Turkish
    "διαθέσιμο, διαθέσιμος, διαθέσιμη, προς πώληση, σε αναμονή, κρατημένο, πωλήθηκε, υιοθετήθηκε, "
    "доступен, доступна, доступно, в продаже, на продаже, забронирован, забронирована, "
    "зарезервирован, зарезервирована, ожидает, в ожидании, продан, продана, продано, пристроен, "
    "пристроена, "
    "mevcut, satılık, müsait, beklemede, rezerve, satıldı, sahiplendirildi"
)


def comparable(text: str) -> str:
    """Return a text without accents, spaces and punctuation, in lower case.

    Example:
        >>> comparable("Situación"), comparable("En attente")
        ('situacion', 'enattente')
    """
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in folded if sign.isalnum())


_STATUS_HEADERS = frozenset(_HEADERS.split())
_STATUS_VALUES = frozenset(map(comparable, [*_VALUES.split(","), *FIELDS.named("status").values]))


def is_status_header(column: str) -> bool:
    """Return True if the name of a column has a word for a status.

    Example:
        >>> is_status_header("Estado de adopción"), is_status_header("Estado civil")
        (True, False)
    """
    if any(text in comparable(column) for text in _OTHER_STATUSES):
        return False
    parts = [comparable(part) for part in column.replace("_", " ").replace("-", " ").split()]
    return any(part in _STATUS_HEADERS for part in parts)


def has_status_values(texts: Collection[str]) -> bool:
    """Return True if most of these different values, which must be few, are statuses.

    Example:
        >>> has_status_values(["vendido", "disponible", "fallecido"]), has_status_values(["WA"])
        (True, False)
    """
    if not 0 < len(texts) <= _MAX_VALUES:
        return False
    return 2 * sum(map(is_status_value, texts)) > len(texts)


def may_be_status(column: str, texts: Collection[str]) -> bool:
    """Return True for a column with status values, or with few values below one as its name.

    Example:
        >>> may_be_status("Disponible", ["oui", "non"]), may_be_status("Chip", ["oui", "non"])
        (True, False)
    """
    is_flag = is_status_value(column) and 0 < len(texts) <= _MAX_VALUES
    return is_flag or has_status_values(texts)


def is_status_value(text: str) -> bool:
    """Return True for a word for a status, such as ``disponible``."""
    return comparable(text) in _STATUS_VALUES


def values_by_column(
    columns: Sequence[str], cells: Iterable[Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the different values of each column in the first rows, without empty ones."""
    values: dict[str, dict[str, None]] = {column: {} for column in columns}
    for row in islice(cells, ROWS_TO_EXAMINE):
        for column, text in zip(columns, row, strict=False):
            values[column][text.strip()] = None
    return {column: tuple(filter(None, texts)) for column, texts in values.items()}
