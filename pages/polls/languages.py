"""The sentences that telephones show, in eight languages, and which of the languages a telephone asks for."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pages.kit import numbers

ENGLISH: Final = "en"
LANGUAGES = {
    ENGLISH: "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "pl": "Polish",
}
"""The languages of the page for telephones, by the tags that HTML and HTTP have for them."""

# Of an Accept-Language header so many characters are read; those of browsers have some dozens.
_MOST_READ = 1000
_FILE = Path(__file__).parent / "languages.toml"
# The sentences in each language, by their keys.
_TABLE: dict[str, dict[str, str]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
KEYS = frozenset(_TABLE)
"""The keys of all sentences."""
# The keys of options and units of guesses, by their English.
_GUESSED = {words[ENGLISH]: key for key, words in _TABLE.items() if key.startswith(("option_", "unit_"))}


def sentence(language: str, key: str, **given: object) -> str:
    """Return the sentence of a key, with `given` values in the place of {names}. Raise ``KeyError`` for no such key."""
    return _TABLE[key][language].format(**given)


def template(language: str, key: str) -> str:
    """Return the sentence of a key, with {names} that a script replaces. Raise ``KeyError`` for no such key."""
    return _TABLE[key][language]


def guessed(language: str, english: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return a language and options or units of a guess in it: in English, as given, if the table lacks one of them."""
    if all(one in _GUESSED for one in english):
        return language, [_TABLE[_GUESSED[one]][language] for one in english]
    return ENGLISH, english


def preferred(accepted: str) -> str:
    """Return the language that an Accept-Language header prefers: of equal ones the first, English if it has none.

    A region does not matter: `pt-BR` is Portuguese. What is no language range with a weight of 0 to 1 is ignored.
    """
    best, most = ENGLISH, 0.0
    for given in accepted[:_MOST_READ].split(","):
        tag, *parameters = (part.strip().lower() for part in given.split(";"))
        language, weight = tag.partition("-")[0], _weight(parameters)
        if language in LANGUAGES and weight > most:
            best, most = language, weight
    return best


def _weight(parameters: list[str]) -> float:
    """Return the weight among the parameters of a language range: 1 if there is none, 0 for an invalid one."""
    if not parameters:
        return 1.0
    name, _, value = parameters[0].partition("=")
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if name.strip() == "q" and 0 <= weight <= 1 else 0.0


def checked(language: str) -> str:
    """Return a language, or "" for each telephone's own. Raise ``ValueError`` if there is no such language."""
    if language and language not in LANGUAGES:
        raise ValueError(f"the language must be one of {', '.join(LANGUAGES)}, got {language!a}; leave it out")
    return language


def percent(value: float, language: str) -> str:
    """Write a probability with as few figures as it needs: “12.3 %” in English, “12,3%” in Polish."""
    return sentence(language, "percent", number=decimal(numbers.percent(value).removesuffix(" %"), language))


def decimal(english: str, language: str) -> str:
    """Write a number below a thousand, as English has it, with the decimal mark of the language."""
    return english.replace(".", sentence(language, "decimal"))


def people_of_100(value: float, language: str) -> str:
    """Write a share of at least a half percent as whole people of 100: “97”, “over 99”."""
    *over, number = numbers.people_of_100(value).split()
    return sentence(language, "over", number=number) if over else number


def whole(number: float, language: str) -> str:
    """Write a whole number below a million: “5,000” in English, “5.000” in German, “5000” in Polish."""
    return f"{number:,.0f}".replace(",", sentence(language, "thousands"))
