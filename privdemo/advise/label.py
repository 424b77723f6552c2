"""A privacy label: what is asked, by which method, what it gives away, who sees what, and how exact the result is."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from privdemo.advise.plan import Plan
from privdemo.advise.question import CLASSIFIER, COUNTS, ONE_OF_K, YES_NO, Question
from privdemo.advise.recommend import Advice
from privdemo.advise.words import action, exactness, promise

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
    "owner": "The owner of a group sees its true answers. Everybody else sees the numbers that are published.",
    "curator": "The curator sees all true answers. Everybody else sees what is published.",
}
_TRUSTED = {
    "nobody": "Nobody but the telephone itself.",
    "shuffler": "The shuffler: to mix, and to tell nobody who sent what.",
    "owner": "The owner of each group: to add the noise, and to pass on nothing else.",
    "curator": "The curator: to add the noise, to pass on nothing else, and to keep the true answers safe.",
}


# What the organiser of a poll is told to do, and the same for the people who are asked.
_TO_PEOPLE = {
    "Let each telephone change": "Before sending, your telephone will change",
    "Let each telephone": "Your telephone will",
    ", and let a shuffler mix what is sent": ". A shuffler mixes what is sent",
    ", and train with the method": ". A computer is trained with the method",
}


class Line(NamedTuple):
    """A line of a label: a `title` of a few words and a `text` of one or two sentences."""

    title: str
    text: str


def label(advice: Advice, words: str = "") -> tuple[Line, ...]:
    """Return the lines of the privacy label of an advice; `words` is the question as people will read it."""
    question, plan = advice.question, advice.plan
    wanted = _WANTED[question.ask].format(answers=question.answers)
    return (
        Line("What is asked", f"“{words or '(your question)'}” Wanted: {wanted[0].lower()}{wanted[1:]}"),
        Line("How", _how(question, plan)),
        Line("Privacy loss", f"{_loss(plan)} {promise(plan)}"),
        Line("Asked again", f"Losses add up: {AGAIN} times give at most ε = {AGAIN * plan.epsilon:g}{_again(plan)}."),
        Line("Who sees what", _SEES[plan.trust]),
        Line("Who must be trusted", _TRUSTED[plan.trust]),
        Line(
            "Not protected",
            "Who takes part, when, and from where; what the result itself tells about everybody. A telephone or an "
            "organiser that does not keep to this label protects nobody.",
        ),
        Line("How exact", exactness(advice)),
    )


def _how(question: Question, plan: Plan) -> str:
    """Return the method as those read it who answer: what each telephone is to do, theirs will do."""
    words = action(question, plan)
    for to_organiser, to_people in _TO_PEOPLE.items():
        words = words.replace(to_organiser, to_people)
    return words


def _loss(plan: Plan) -> str:
    """Return ε and δ with what they are of."""
    unit = "record" if plan.accuracy is not None and plan.trust == "curator" else "answer"
    unit = "label" if plan.accuracy is not None and plan.trust != "curator" else unit
    delta = f", δ = {_in_full(plan.delta)}" if plan.delta else ""
    return f"ε = {plan.epsilon:g}{delta} for one {unit} of one person (0 gives nothing away)."


def _again(plan: Plan) -> str:
    """Return what δ becomes with it."""
    return f", δ = {_in_full(AGAIN * plan.delta)}" if plan.delta else ""


def _in_full(small: float) -> str:
    """Write a small number to three significant digits, without an exponent: 0.000001."""
    return f"{Decimal(f'{small:.3g}'):f}"
