"""A privacy label: what is asked, by which method, what it gives away, who sees what, and how exact the result is."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from privdemo.accounting import most_guessed_right_again, of_100_words
from privdemo.advise.plan import Plan
from privdemo.advise.question import CLASSIFIER, COUNTS, ONE_OF_K, YES_NO, Question
from privdemo.advise.recommend import Advice
from privdemo.advise.words import added_noise, exactness, leaders, promise, relied_on, sending
from privdemo.methods import COMPARISON, FREQUENCY_ORACLES

# How often a person may be asked again, to say what that gives away.
AGAIN = 5
_WANTED = {
    YES_NO: "The share of people whose answer is yes.",
    ONE_OF_K: "The share of people with each of {answers:,} answers.",
    COUNTS: "How many people of a table have each of {answers:,} answers.",
    CLASSIFIER: "Records with a private label each, from which a computer learns to tell the label of others.",
}
_SEES = {
    "nobody": "Whoever collects sees what each telephone sends, and cannot be sure which answers are true.",
    "shuffler": "The shuffler sees what each telephone sends, and whoever collects sees all of it mixed; nobody can "
    "be sure which answers are true.",
    "leader": "The leader of a group sees its true answers. Everybody else sees the numbers that are published.",
    "curator": "The curator sees all true answers. Everybody else sees what is published.",
}
_TRUSTED = {
    "nobody": "Only the telephone: to change answers as this label says.",
    "shuffler": "The shuffler: to mix, and to tell nobody who sent what.",
    "leader": "The leader of each group: to add the noise, and to pass on nothing else.",
    "curator": "The curator: to add the noise, to pass on nothing else, and to keep the true answers safe.",
}


# Whoever must keep to a label.
_KEEPS = {
    "nobody": "A telephone",
    "shuffler": "A telephone or a shuffler",
    "leader": "A leader",
    "curator": "A curator",
}


class Line(NamedTuple):
    """A line of a label: a `title` of a few words and a `text` of one or two sentences."""

    title: str
    text: str


def label(advice: Advice, words: str = "") -> tuple[Line, ...]:
    """Return the lines of the privacy label of an advice; `words` is the question as people will read it."""
    question, plan = advice.question, advice.plan
    relied, wanted = relied_on(plan), _WANTED[question.ask].format(answers=question.answers)
    return (
        Line("What is asked", f"“{words}” Wanted: {wanted[0].lower()}{wanted[1:]}" if words else wanted),
        Line("How", _how(question, plan)),
        Line("Protection", f"{promise(plan)} {_loss(plan)}"),
        Line(
            "Asked again",
            f"Each time gives more away. After {AGAIN} times such a guess is right {_right_again(plan)} (losses "
            f"add up, to ε = {AGAIN * plan.epsilon:g} at most{_again(plan)}).",
        ),
        Line("Who sees what", _SEES[relied]),
        Line("Who must be trusted", _TRUSTED[relied]),
        Line(
            "Not protected",
            f"{_records(plan)}Who takes part, when, and from where; what the result itself tells about everybody. "
            f"{_KEEPS[relied]} that does not keep to this label protects less than it says.",
        ),
        Line("How exact", exactness(advice)),
    )


def _how(question: Question, plan: Plan) -> str:
    """Return the method as those read it who answer, with its name if their telephones add the noise."""
    method = f"the method “{COMPARISON[plan.mechanism].title}”" if plan.accuracy else ""
    if sends := sending(question, plan):
        name = "randomised response" if question.answers == 2 else FREQUENCY_ORACLES[plan.mechanism].title
        then = " A shuffler mixes what is sent." if plan.trust == "shuffler" else ""
        then = f" A computer is trained with {method}." if method else then
        method_named = f"{sends} ({name})".replace(") (", "; ")
        return f"Your telephone will {method_named}.{then}"
    if relied_on(plan) == "leader":
        does = (
            f"publishes with noise how many have the label, and a computer is trained with {method}"
            if method
            else f"adds {added_noise(question, plan)}, and these numbers are added up"
        )
        return f"The leader of {leaders(question, plan)} {does}."
    if method:
        return f"A curator trains a computer on the true labels, and publishes it with noise ({method})."
    return f"A curator adds {added_noise(question, plan)}, and publishes that alone."


def _loss(plan: Plan) -> str:
    """Return ε and δ with what they are of."""
    unit = "answer"
    if plan.accuracy:
        unit = "record" if relied_on(plan) == "curator" else "label"
    limit = f"Privacy loss: ε = {plan.epsilon:g} for one {unit} (0 gives nothing away)"
    return f"{limit}; with a chance of {_in_full(plan.delta)} (δ) it is more." if plan.delta else f"{limit}."


def _records(plan: Plan) -> str:
    """Return that of a record nothing but its label is hidden, where only a curator would hide it."""
    return "Of a record, all but its label. " if plan.accuracy and relied_on(plan) != "curator" else ""


def _right_again(plan: Plan) -> str:
    """Return how often a guess can be right after several times."""
    return of_100_words(most_guessed_right_again(plan.epsilon, plan.delta, AGAIN))


def _again(plan: Plan) -> str:
    """Return what δ becomes with it."""
    return f", with a chance of {_in_full(AGAIN * plan.delta)} more" if plan.delta else ""


def _in_full(small: float) -> str:
    """Write a small number to three significant digits, without an exponent: 0.000001."""
    return f"{Decimal(f'{small:.3g}'):f}"
