"""The sentences of telephones in eight languages, and which language a telephone gets."""

import re
from string import Formatter

import pytest

from pages.polls import languages, participant, rules
from pages.polls.rules import Poll
from privdemo import limits
from privdemo.experiments.poll import CHECKS, PollConfig
from privdemo.methods import CURATOR, FREQUENCY_ORACLES, LEADER, NOBODY, PUBLISHER, SHUFFLER
from privdemo.tasks import BINARY

TABLE = languages._TABLE
# What two or three of the languages have one word for.
SAME_WORD = ("option_nobody", "unit_images", "unit_tumours", "control_yes", "control_no")
# What no page may call an answer that chance has changed, in any language: the beginnings of words.
LYING = {
    "en": r"\b(lie|lies|lied|liar|lying)\b",
    "de": r"\b(lüg|gelogen|log\b|schwindel|flunker|unwahr)",
    "fr": r"\b(ment(ir|i|eur|euse|s|ent)?\b|mensong)",
    "es": r"\b(ment(ir|ira|iras|iroso)|mient)",
    "it": r"\b(mentir|menzogn|bugi|mente\b)",
    "pt": r"\b(ment(ir|ira|iras|iroso)|minta)",
    "nl": r"\b(lieg|loog|logen|gelogen|leugen)",
    "pl": r"\b(kłam|skłam|łga|zełga|oszust|oszuk)",
}


def names(sentence):
    return sorted(name for _, name, _, _ in Formatter().parse(sentence) if name is not None)


def sentences(key):
    return (len(re.findall(r"[.!?…](?=\s|$)", TABLE[key][language])) for language in languages.LANGUAGES)


@pytest.mark.parametrize("key", TABLE)
def test_every_sentence_is_there_in_every_language_with_the_same_names_and_of_a_like_length(key):
    given = TABLE[key]
    assert list(given) == list(languages.LANGUAGES)
    english = given["en"]
    for language, words in given.items():
        assert names(words) == names(english), (language, words)
        assert len(words) <= 2 * len(english), (language, words)
        assert words.isprintable() or "\u202f" in words or "\u00a0" in words
        if key != "thousands":
            assert words == words.strip() != "", (language, words)
    if key not in ("title", "go", "decimal", "thousands", "percent", *SAME_WORD):
        assert len(set(given.values())) == len(languages.LANGUAGES), "none is left untranslated"


@pytest.mark.parametrize("key", sorted(languages.KEYS - {"decimal", "thousands"}))
def test_no_language_lacks_a_sentence(key):
    """As many ends of sentences are in each: a comma may become a semicolon, a full stop no comma."""
    assert len(set(sentences(key))) == 1, dict(zip(languages.LANGUAGES, sentences(key), strict=True))


@pytest.mark.parametrize(("language", "lying"), LYING.items())
def test_no_sentence_speaks_of_lying(language, lying):
    for key, given in TABLE.items():
        assert not re.search(lying, given[language], re.IGNORECASE), (key, given[language])


def test_the_words_that_would_speak_of_lying_are_known():
    said = {
        "en": "lie",
        "de": "lüge",
        "fr": "mensonge",
        "es": "mentira",
        "it": "bugia",
        "pt": "mentira",
        "nl": "leugen",
    }
    said["pl"] = "kłamstwo"
    assert all(re.search(LYING[language], word) for language, word in said.items())


def test_there_is_a_page_for_each_check_and_a_sentence_for_each_but_none():
    assert tuple(participant._MINIFIED) == CHECKS
    assert {check for check in CHECKS if check} <= languages.KEYS


def test_each_sentence_is_said_somewhere():
    keys = set().union(*participant._SAID.values(), participant._FIXED, {e.key for e in all_errors(rules.PollError)})
    keys |= {"intro_two", "intro_more", "share_two", "share_more", "meant", "percent", "decimal", "thousands", "over"}
    keys |= {"control_yes", "control_no"}
    keys |= {"join_heading", "join", "code", "go", "no_poll_here", "room_closed", "please_wait"}
    keys |= set(languages._GUESSED.values())
    assert keys - {""} == languages.KEYS


def all_errors(kind):
    yield kind
    for further in kind.__subclasses__():
        yield from all_errors(further)


def test_the_options_of_guesses_are_known_in_every_language():
    reports = [method.title for method in FREQUENCY_ORACLES.values()]
    units = ["patients", *{task.records for task in BINARY.values()}]
    for options in ((NOBODY, SHUFFLER, LEADER, PUBLISHER, CURATOR), reports, units):
        for language in languages.LANGUAGES:
            spoken, words = languages.guessed(language, options)
            assert (spoken, len(words)) == (language, len(options))
            assert len(set(words)) == len(options)
    assert languages.guessed("de", ["people"]) == ("de", ["Personen"])
    assert languages.guessed("de", [NOBODY, "the first"]) == ("en", [NOBODY, "the first"])


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("DE-at", "de"),
        ("pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7", "pt"),
        ("en-GB, en;q=0.9, de;q=0.8", "en"),
        ("de;q=0.8, en-GB, en;q=0.9", "en"),
        ("ja, nl;q=0.3, en;q=0.2", "nl"),
        ("en;q=0.1, pl;q=0.5, it ; q = 0.4", "pl"),
        ("fr, es", "fr"),
        ("fr;q=0, es;q=0.1", "es"),
        ("fr;q=0", "en"),
        ("*", "en"),
        ("*, it;q=0.5", "it"),
        ("gsw, ja", "en"),
        ("de;q=nan, de;q=inf, de;q=-1, de;q=2, de;q=, de;q=x, de;level=1", "en"),
        (";;;,,,=,;q=1,-", "en"),
        ("deutsch", "en"),
        ("ja, " * 1000 + "de", "en"),
    ],
)
def test_a_telephone_gets_the_language_that_it_prefers(accepted, language):
    assert languages.preferred(accepted) == language


def test_numbers_are_written_as_the_language_writes_them():
    written = {
        language: (
            languages.percent(0.125, language),
            languages.whole(limits.POLL_PEOPLE.high, language),
            languages.people_of_100(0.999, language),
        )
        for language in languages.LANGUAGES
    }
    assert written == {
        "en": ("12.5\u00a0%", "5,000", "over 99"),
        "de": ("12,5\u00a0%", "5.000", "über 99"),
        "fr": ("12,5\u202f%", "5\u202f000", "plus de 99"),
        "es": ("12,5\u00a0%", "5000", "más de 99"),
        "it": ("12,5%", "5000", "oltre 99"),
        "pt": ("12,5%", "5000", "mais de 99"),
        "nl": ("12,5%", "5.000", "meer dan 99"),
        "pl": ("12,5%", "5000", "ponad 99"),
    }
    assert languages.people_of_100(0.6923, "pl") == "69"


def test_numbers_in_sentences_are_within_what_their_plurals_are_right_for():
    """People of 100 who sent the truth are never 1, and where chance may do most, no share is under a half percent."""
    for k in range(int(limits.POLL_ANSWERS.low), int(limits.POLL_ANSWERS.high) + 1):
        limit = limits.poll_lie_limit(k)
        answers = tuple("abcdef"[:k])
        of_other_half = PollConfig(answers, limit.high, "halves" * (k == 2)).lies[-1]
        for lie in (limit.low, limit.high, of_other_half):
            shares = participant._true_by_times_sent(answers, float(lie))
            assert min(shares) > 0.05
            for share in shares:
                assert languages.people_of_100(share, "fr")
    assert limits.POLL_ROUNDS.high <= 5
    assert limits.POLL_HOURS.high == 24


def test_a_language_that_there_is_not_is_refused():
    assert [languages.checked(language) for language in ("", "pl")] == ["", "pl"]
    with pytest.raises(ValueError, match=r"the language must be one of en, de, .*, got 'xx'"):
        languages.checked("xx")


def test_a_question_and_its_answers_stay_as_they_were_typed():
    poll = Poll("BCDFG", "Так?", ("Да", "Нет"), 0.25, 1, True, 1)
    for language in languages.LANGUAGES:
        page = participant.page(poll, language)
        assert '<h1 dir=auto lang="">Так?</h1>' in page
        assert "<span dir=auto>Да</span>" in page
