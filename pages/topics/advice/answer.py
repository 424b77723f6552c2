"""The answer of the page on decisions: what to do, what one person risks, what more or less trust would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pages.kit import cache, numbers
from pages.kit.panel import Cards, Chart, Panel
from pages.kit.snippet import Snippet, as_code
from pages.kit.trials import Trials
from privdemo import advise
from privdemo.accounting import most_guessed_right, most_guessed_right_again, of_100_words
from privdemo.advise import CLASSIFIER, COUNTS, Advice, Plan, Question
from privdemo.figures import advice as charts
from privdemo.figures.guess_bar import guess_bar

advised = cache.shared(advise.advise, max_entries=1024)
curves = cache.shared(advise.along, max_entries=256)
_OF_CLASSIFIERS = [("comparison", "Seek ε for your own goal", "The chapter “Most privacy for a goal you set”")]
_NEVER_HIDDEN = "No method hides that somebody took part, or what is true of people in general."
# How often a person may be asked again, for the card on what stays at risk.
_TIMES = 5

# What a party is called in the title of a card, where its name alone tells little.
_CALLED = {"shuffler": "a service that mixes answers"}


@dataclass(frozen=True)
class Answer:
    """A question with its advice."""

    question: Question
    advice: Advice

    def takeaway(self) -> str:
        """Return the advice as one or two sentences."""
        words = advise.sentence(self.advice)
        end = words.index(". ") + 1 if self.advice.reached else words.index(":") + 1
        first = f"Our advice: {words[0].lower()}{words[1:end]}" if self.advice.reached else words[:end]
        return f"<b>{escape(first)}</b>{escape(words[end:])}"

    @property
    def facts(self) -> dict[str, str]:
        """Return the numbers of the advice by name, for the sentences of a lecture."""
        plan = self.advice.plan
        return {
            "people": f"{plan.people:,}",
            "epsilon": f"{plan.epsilon:g}",
            "half_width": f"{100 * plan.half_width:.3g}",
            "needed": "no number" if plan.people_needed is None else f"{plan.people_needed:,}",
        }


def answer(question: Question, _: Trials) -> Answer:
    """Return the advice for a question."""
    return Answer(question, advised(question))


def what_to_do(answer: Answer) -> list[Panel]:
    """Return cards: what one person gives away, what stays at risk, and the next less and more trust."""
    plan = answer.advice.plan
    what = "a label" if plan.accuracy else "an answer"
    again = f"in {_TIMES} such tables" if answer.question.ask == COUNTS else f"asked the same question {_TIMES} times"
    cards = [
        (
            f"With our advice, others guess {what}",
            _often(most_guessed_right(plan.epsilon, plan.delta)),
            escape(f"{advise.whose_guess(plan)} Orange: what seeing it adds.{_set_words(answer)}"),
        ),
        *(_trust_card(answer, other) for other in answer.advice.alternatives),
        (
            f"And if a person is {again}?",
            _often(most_guessed_right_again(plan.epsilon, plan.delta, _TIMES)),
            "Each answer gives away more. Ask each person as seldom as you can.",
        ),
    ]
    others = (escape(words) for words in advise.comparisons(answer.advice))
    return [
        Panel(
            "advice",
            figure=Cards(cards),
            summary=" ".join((*(_card_words(*card) for card in cards), *others, _NEVER_HIDDEN)),
            on_slide=curves_of(answer),
            rows=lambda: [_row(one) for one in (plan, *answer.advice.alternatives)],
            snippet=snippet(answer.question),
            note=numbers.large_delta_words(plan.people, plan.delta, "answer"),
        )
    ]


def _card_words(title: str, number: str, words: str) -> str:
    """Return a card as sentences: its bar, which says the same as its number, is left out."""
    return f"{title}: {number.partition('<')[0]}. {words}"


def _often(probability: float) -> str:
    """Return how often a guess between two answers may be right, in words and as a bar."""
    return f"right {of_100_words(probability)}{guess_bar(probability)}"


def _set_words(answer: Answer) -> str:
    """Say where more protection is chosen, if ε is as large as the settings allow."""
    is_set = answer.advice.plan.epsilon == answer.question.epsilon
    return " Settings can ask for more protection." * is_set


def _trust_card(answer: Answer, other: Plan) -> tuple[str, str, str]:
    """Return the title, the number and the words of the card of another trust: “And if people trust a
    service that mixes answers?”, “fewer than 52 of 100 times”.

    The number is how often a guess is right with the ε that this trust takes, or how exact the result is.
    """
    condition, _, does = advise.other_trust(other).partition(", who ")
    whom = condition.removeprefix("If people trust ")
    question, start, end = answer.question, "If", ""
    if advise.changes_nothing(answer.advice, other):
        number = "no gain"
    elif question.ask == CLASSIFIER:
        number = f"{100 * other.half_width:.1f} points lost"
    elif question.ask != COUNTS and other.half_width >= 0.5:
        number = "may be anything"
    elif question.within is None or other.epsilon_needed is None:
        number = f"± {advise.margin(question, other)}"
    else:
        start, end = "And if", "?"
        number = _often(most_guessed_right(other.epsilon_needed, other.delta))
    who = f"{numbers.capital(whom)} {does}. " if does else ""
    words = f"{who}Then {advise.consequence(answer.advice, other)}"
    verb = "did trust" if end else "trust"
    return escape(f"{start} people {verb} {_CALLED.get(other.trust, whom)}{end}"), number, escape(words)


def _row(plan: Plan) -> dict[str, object]:
    """Return a plan as a row of a file."""
    return {
        "trust": plan.trust,
        "mechanism": plan.mechanism,
        **{
            name: getattr(plan, name)
            for name in ("epsilon", "delta", "people", "half_width", "reached", "people_needed", "epsilon_needed")
        },
    }


def curves_of(answer: Answer) -> Chart:
    """Return the chart of the curves, with the advice as a star."""
    question, advice = answer.question, answer.advice
    found = curves(question)
    if question.ask != CLASSIFIER:
        return Chart(charts.half_widths(found, advice.plan, question.within))
    goal = None
    if advice.open_accuracy and question.within is not None:
        goal = advice.open_accuracy.mean - question.within
    return Chart(charts.accuracies(found, advice.plan, goal))


def error_curves(answer: Answer) -> list[Panel]:
    """Return the curves of the half-width along people, or for a classifier of the accuracy along ε, with the advice
    marked.
    """
    question, plan = answer.question, answer.advice.plan
    found = curves(question)
    learns = question.ask == CLASSIFIER
    along = "ε" if learns else "the number of people"
    return [
        Panel(
            "advice-curves",
            "How much accuracy does each ε leave?" if learns else "How exact is the result with fewer or more people?",
            _ends_words(plan, found[plan.trust]) if plan.trust in found else "",
            figure=curves_of(answer),
            note=_note(plan, found, learns, answer.advice.reached),
            links=_OF_CLASSIFIERS if learns else (),
            summary=f"Along {along}, for each kind of trust: "
            + "; ".join(
                f"{charts.TRUSTED_NAMES[trust]} "
                + ", ".join(
                    f"{one.epsilon:g}: {100 * one.accuracy.mean:.1f} % right"
                    if one.accuracy
                    else f"{one.people:,}: ± {100 * one.half_width:.2g} points"
                    for one in plans
                )
                for trust, plans in found.items()
            )
            + ".",
            rows=lambda: [_row(one) for plans in found.values() for one in plans],
            snippet=Snippet(
                ("from privdemo.advise import Question, along",),
                (
                    f"for trust, plans in along({as_code(question)}).items():",
                    "    print(trust, [(plan.people, plan.epsilon, plan.half_width) for plan in plans])",
                ),
            ),
        )
    ]


def _ends_words(plan: Plan, along: Sequence[Plan]) -> str:
    """Say what the curve of the trust that is advised begins and ends with."""
    first, last = along[0], along[-1]
    trust = f"If people trust {charts.TRUSTED_NAMES[plan.trust]}"
    if first.accuracy and last.accuracy:
        least, most = (f"<b>{100 * one.accuracy.mean:.1f} %</b>" for one in (first, last) if one.accuracy)
        return f"{trust}, a computer gets {least} right at ε = {first.epsilon:g} and {most} at ε = {last.epsilon:g}."
    least, most = (f"<b>± {100 * one.half_width:.2g} points</b>" for one in (first, last))
    return f"{trust}, the result is right to {least} with {first.people:,} people, and to {most} with {last.people:,}."


def _note(plan: Plan, found: Mapping[str, Sequence[Plan]], learns: bool, is_reached: bool) -> str:
    """Return the caption of the curves."""
    if learns:
        return (
            f"One curve for each kind of trust (question 2), with {plan.people:,} people; the star marks our advice. "
            "Vertical lines: where the averages of ten trials very probably lie. For another goal, other people or "
            "your own records, “Methods compared” seeks the least ε."
        )
    epsilon = next(iter(found.values()))[0].epsilon
    own = f" (ε = {plan.epsilon:g})" if plan.epsilon < epsilon else ""
    star = f" Star: our advice{own}." if is_reached else ""
    return (
        "Each curve is for one answer to question 2, whom people trust. The more trust, the less error at the same "
        f"protection (ε = {epsilon:g}).{star}"
    )


def snippet(question: Question) -> Snippet:
    """Return the code that computes the advice."""
    return Snippet(
        ("from privdemo.advise import Question, advise, sentence",),
        (f"advice = advise({as_code(question)})", "print(sentence(advice))", "print(advice.plan)"),
    )
