"""The settings of the page on decisions: what is asked, whom people trust, how many they are, how exact it must be."""

from __future__ import annotations

from pages.kit import numbers
from pages.kit.settings import Choice, Number, Setting, Words
from pages.kit.values import Values
from privdemo import limits
from privdemo.accounting import default_delta
from privdemo.advise import CLASSIFIER, COUNTS, ONE_OF_K, SHIPPED, TRUSTS, YES_NO, Question
from privdemo.tasks import BINARY

LOOK = "advice_look"
# The most characters of a visitor's question on the label.
MOST_LETTERS = 200
# The most characters of a link in a QR code: printed 34 mm wide, each of its squares is then 0.4 mm wide.
MOST_IN_CODE = 400

KINDS = {
    "the share of yes": YES_NO,
    "the share of each of several answers": ONE_OF_K,
    "the numbers of a table you hold": COUNTS,
    "a classifier trained on private labels": CLASSIFIER,
}
# What the four questions are about, by their kind.
ABOUT = {YES_NO: "survey", ONE_OF_K: "survey", COUNTS: "table", CLASSIFIER: "data"}
# The kinds of question with more than two possible answers.
SEVERAL = (ONE_OF_K, COUNTS)
KIND = Choice(
    "ask",
    tuple(KINDS),
    next(iter(KINDS)),
    "What do you want to know?",
    shown={
        "the share of yes": "what share of people say yes",
        "the share of each of several answers": "what share give each answer",
        "the numbers of a table you hold": "the counts in a table that you hold",
        "a classifier trained on private labels": "which label new records have",
    },
)
# Whom people trust, in the words of the page, by those of the package.
TRUST_NAMES = {
    "nobody": "nobody: each telephone adds noise",
    "shuffler": "a shuffler who mixes what telephones send",
    "leader": "the leader of each group",
    "curator": "you: one curator for all",
}
WITHIN_GOAL, BEST_GOAL = "within so many points", "as exact as possible"
GOAL = Choice(
    "exact",
    (WITHIN_GOAL, BEST_GOAL),
    WITHIN_GOAL,
    "Is there a limit for the error?",
    shown={WITHIN_GOAL: "yes", BEST_GOAL: "no, as exact as possible"},
)
PEOPLE = Number("people", limits.ORACLE_PEOPLE, 5000, "How many people answer?", 100)
POINTS = Number(
    "points",
    limits.Limit("points", 100 * limits.WITHIN.low, 100 * limits.WITHIN.high, "half the width of the 95 % interval"),
    3.0,
    "Error you accept, in percentage points",
    0.5,
    "In 95 of 100 surveys the result is then no further than this from the truth. 3 points: 35 % may be 32 % or 38 %. "
    "Of a classifier, how many points of accuracy may be lost.",
)
ANSWERS = Number("answers", limits.ADVISED_ANSWERS, 16, "Possible answers")
_GROUPS, _MOST_GROUPS = 20, 10_000
EPSILON = Number(
    "most_epsilon",
    limits.Limit("epsilon", limits.ORACLE_EPSILON.low, limits.ORACLE_EPSILON.high),
    Question.epsilon,
    "Largest ε of one person that you allow",
    0.1,
    "The privacy loss ε of one person: 0 gives nothing away; at 1, what is released is at most e = 2.7 times as likely "
    "under one answer of a person as under another.",
)
RECORDS = Choice(
    "like",
    tuple(BINARY[name].title for name in SHIPPED),
    BINARY[SHIPPED[0]].title,
    "Which of our data is most like yours?",
)


def _read_question(words: str) -> str:
    """Return a visitor's question; raise ``ValueError`` if it is too long."""
    limits.check_length("the question", words, MOST_LETTERS)
    return words.strip()


QUESTION = Words(
    "question",
    _read_question,
    "",
    "Your question, as people will read it",
    f"It stands on the label, and in the link. At most {MOST_LETTERS} characters.",
)


def kind_of(values: Values) -> str:
    """Return the kind of question, a word of the package."""
    return KINDS[values[KIND]]


def trust_choice(kind: str) -> Choice:
    """Return the choice of whom people trust; of each kind of question only those with whom it can be answered."""
    names = tuple(TRUST_NAMES[word] for word in TRUSTS[kind])
    shown = {TRUST_NAMES["nobody"]: "nobody"}
    key, label = f"trust_{kind.replace('-', '_')}", "Whom do people trust with their answers?"
    return Choice(key, names, names[0], label, shown=shown)


def delta_setting(values: Values) -> Number:
    """Return the setting of δ, whose default follows from the number of people."""
    return Number(
        "advice_delta",
        limits.RELEASE_DELTA,
        default_delta(values[PEOPLE]),
        "δ, chance that the promise fails",
        1e-6,
        "The chance that the promise fails where somebody is trusted. Unless set it is 10⁻⁶ or 1/n², whichever is "
        "smaller, of n people; where other numbers of people are advised, of those.",
    )


def groups_setting(values: Values) -> Number:
    """Return the setting of the number of groups, of at least two people each."""
    most = max(1, min(_MOST_GROUPS, int(values[PEOPLE]) // 2))
    limit = limits.Limit("groups", 1, most, "a group of one person hides nothing", integer=True)
    return Number("groups", limit, min(_GROUPS, most), "Groups, each with a leader who counts it", 5)


def settings(values: Values) -> list[Setting]:
    """Return every setting of the page."""
    groups, delta = groups_setting(values), delta_setting(values)
    return [KIND, *map(trust_choice, TRUSTS), PEOPLE, GOAL, POINTS, ANSWERS, groups, EPSILON, delta, RECORDS]


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none."""
    kind = kind_of(values)
    trust = next(word for word, title in TRUST_NAMES.items() if title == values[trust_choice(kind)])
    people, groups, delta = values[PEOPLE], values[groups_setting(values)], delta_setting(values)
    has_groups = kind != CLASSIFIER and (trust == "leader" or 2 * groups <= people)
    try:
        return Question(
            kind,
            trust,
            people=people,
            within=values[POINTS] / 100 if values[GOAL] == WITHIN_GOAL else None,
            answers=values[ANSWERS] if kind in SEVERAL else 2,
            epsilon=values[EPSILON],
            delta=None if values[delta] == delta.default else values[delta],
            groups=groups if has_groups else None,
            dataset=next(name for name in SHIPPED if BINARY[name].title == values[RECORDS]),
        )
    except ValueError as error:
        return numbers.error_sentence_html(error)
