"""The answer of the page on decisions: what to do, what one person risks, what more or less trust would change."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from pages.kit import cache, numbers
from pages.kit.panel import Cards, Chart, Panel
from pages.kit.snippet import Snippet, as_code
from pages.kit.trials import Trials
from privdemo import advise, palette
from privdemo.accounting import most_guessed_right, most_guessed_right_again, of_100_words
from privdemo.advise import CLASSIFIER, COUNTS, Advice, Plan, Question
from privdemo.figures import advice as charts
from privdemo.figures.guess_bar import Bar, Guess, guess_cards
from privdemo.figures.people import SAID_A

advised = cache.shared(advise.advise, max_entries=1024)
curves = cache.shared(advise.along, max_entries=256)
_OF_CLASSIFIERS = [("comparison", "Seek ε for your own goal", "The chapter “Most privacy for a goal you set”")]
_NEVER_HIDDEN = "No method hides that somebody took part, or what is true of people in general."
# How often a person is asked again, for the row on what stays at risk.
_TIMES = 5
# Two chances that differ by less are written alike.
_ALIKE = 1e-3

# What a party is called in the title of a row, where its name alone tells little.
_CALLED = {"shuffler": "a service that mixes answers"}


@dataclass(frozen=True)
class Answer:
    """A question with its advice."""

    question: Question
    advice: Advice

    def takeaway(self) -> str:
        """Return what to do, or that it cannot be done and what would have to change."""
        if not self.advice.reached:
            first, _, rest = advise.sentence(self.advice).partition(":")
            return f"<b>{escape(first)}:</b>{escape(rest)}"
        question, plan = self.question, self.advice.plan
        first, stop, rest = advise.action(question, plan).partition(". ")
        if advise.sent_by_phones(question, plan):
            chance = plan.parameters["flip_prob"]
            whole = numbers.whole_of_100(chance)
            if 50 > whole >= 100 * chance >= 1:  # a smaller one would protect less than is said
                first = re.sub(r"a chance of .*%\)?", f"a chance of about {whole} in 100", first)
        relied_on = advise.relied_on(plan)
        trust = advise.other_trust(replace(plan, trust=relied_on)).partition(", who ")[0].removeprefix("If people ")
        goal = f"within {advise.percentage_points(question.within or 0)}"
        if question.people and question.within and question.ask not in (COUNTS, CLASSIFIER):
            who = f"Your {question.people:,} people are" if question.people > 1 else "One person is"
            enough = f"{who} enough, {'even ' * (relied_on == 'nobody')}if they {trust}."
            by_phones = advise.sending(question, plan)
            corrected = f"Our formula corrects the total, usually to {goal}." if by_phones else ""
            first = f"To protect each answer, {first[0].lower()}{first[1:]}"
            others = (f"{first}{stop.strip()}", rest, corrected or f"The result is usually {goal} of the truth.")
            return f"<b>{escape(enough)}</b> {escape(' '.join(filter(None, others)))}"
        needs = ""
        if self.people_needed:
            needed, without_noise = self.people_needed
            needs = f"{needed:,} people are enough for a result {goal} of the truth; with true answers, "
            needs += f"{without_noise:,} would be."
        first = f"Our advice if people {trust}: {first[0].lower()}{first[1:]}{stop.strip()}"
        return f"<b>{escape(first)}</b> {escape(' '.join(filter(None, (rest, needs))))}".strip()

    @property
    def people_needed(self) -> tuple[int, int] | None:
        """Return how many people are needed with privacy, and with true answers.

        None where these are not fewer, and where the advice protects more than it must: the numbers are those of the
        least protection that is allowed.
        """
        question, plan, enough = self.question, self.advice.plan, self.advice.open_people
        if question.ask == COUNTS or plan.accuracy or question.within is None or enough is None:
            return None
        if not self.advice.reached or advise.protects_more(self.advice):
            return None
        needed = plan.people_needed or plan.people
        return (needed, enough) if needed > enough else None

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


@dataclass(frozen=True)
class AdviceCards(Cards):
    """What the advice gives as `cards` under a `title`; behind a fold, `others`, cases in which somebody guesses."""

    cards: Sequence[Guess]
    title: str
    words: str
    others: Sequence[Guess]

    @property
    def html(self) -> str:
        """Return the cards and the fold as HTML."""
        return guess_cards(self.title, self.cards, "What would change the protection?", self.words, self.others)


def what_to_do(answer: Answer) -> list[Panel]:
    """Return the panel of what the advice gives and costs, and of what others can guess with other trust, and later."""
    advice, plan, rows = answer.advice, answer.advice.plan, guesses(answer)
    what = "label" if plan.accuracy else "answer"
    words = (
        f"How often others guess right which of two equally likely {what}s of a person is true. Grey: what a coin toss "
        "gets right. Orange: more than that, so less private."
    )
    # Bars of the people who are needed say how exact the result is, where this is what was asked for.
    is_said = answer.people_needed is not None and advise.is_as_exact_as_asked(advice)
    exact = [] if is_said else [Guess(*advise.result(advice))]
    cards = [*_protection(answer), *exact]
    cards = [*_price(answer), *cards] if answer.people_needed else [*cards, *_price(answer)]
    heading = "Our advice in numbers" if advice.reached else "The best that is possible:"
    if plan.accuracy and answer.question.people is not None and answer.question.people < plan.people:
        heading = f"With the {plan.people:,} people of our trials:"
    in_words = [f"{title}: {number}. {sentence}".strip() for title, number, sentence, *_ in (*cards, *rows)]
    return [
        Panel(
            "advice",
            figure=AdviceCards([card[:3] for card in cards], cards, heading, words, rows),
            summary=" ".join((*in_words, words, *advise.comparisons(advice), _NEVER_HIDDEN)),
            on_slide=curves_of(answer),
            rows=lambda: [_row(one) for one in (plan, *answer.advice.alternatives)],
            snippet=snippet(answer.question),
            note=numbers.large_delta_words(plan.people, plan.delta, "answer"),
        )
    ]


def _protection(answer: Answer) -> list[Guess]:
    """Return cards on how often phones send what, and on how often others guess right: one where these are the same."""
    plan = answer.advice.plan
    what, chance = "label" if plan.accuracy else "answer", most_guessed_right(plan.epsilon, plan.delta)
    is_large = numbers.large_delta_words(plan.people, plan.delta, "answer")
    word, strong = numbers.protection(plan.epsilon), most_guessed_right(numbers.MODERATE_FROM, 0.0)
    than = "" if word in ("full", "strong") else f" (strong: {of_100_words(strong)})"
    verdict = "" if is_large else f" The nearer to 50, the safer: this is {word} protection{than}."
    often, who = advise.protection(plan)
    a = "a" if plan.accuracy else "an"
    risk = Guess(
        f"Risk: others guess {a} {what} right", often.replace("fewer than", "up to"), f"{who}{verdict}", chance
    )
    if not (phones := advise.sent_by_phones(answer.question, plan)):
        return [risk]
    title, sent = phones
    number = ", ".join(f"{name} {_times(one)}" for name, one in sent.items())
    bars = [Bar(name, one, _times(one), SAID_A.colour) for name, one in sent.items()]
    is_of_two = answer.question.ask == CLASSIFIER or answer.question.answers == 2
    is_local = advise.relied_on(plan) == "nobody"
    if not (is_of_two and is_local and math.isclose(chance, max(sent.values()), abs_tol=_ALIKE)):
        return [Guess(title, number, "", bars=bars), risk]
    grade = "." if is_large else f": {word} protection."
    words = (
        f"What was sent is false {_how_often_false(1 - chance)}{grade} At 50 of 100 it would be a coin toss: full "
        "protection, but nothing could be learned."
    )
    return [Guess(title, number, words, bars=bars)]


def _how_often_false(chance: float) -> str:
    """Write how often what is sent is false: “about 27 of 100 times”, “less than once in 100 times”."""
    return f"about {_times(chance)}" if chance >= 0.01 else "less than once in 100 times"


def _times(chance: float) -> str:
    """Write how often something is so, in whole numbers unless these would hide that it is not one half."""
    is_half = numbers.whole_of_100(chance) == 50
    return f"{numbers.per_hundred(chance) if is_half else numbers.whole_per_hundred(chance)} of 100 times"


def _price(answer: Answer) -> list[Guess]:
    """Return the card on what true answers would save, with bars where it is people."""
    if not (price := advise.price(answer.advice)):
        return []
    title, number, words = price
    if not answer.people_needed:
        return [Guess(title, number, words)]
    needed, enough = answer.people_needed
    bars = [
        Bar("with this protection", 1.0, f"{needed:,}", palette.SPREAD.colour),
        Bar("without protection", enough / needed, f"{enough:,}", palette.TRUTH.colour),
    ]
    both = f"{number}, and {enough:,} with true answers"
    return [Guess(title, both, words.partition(". ")[2], bars=bars)]  # the bars say the first sentence


def guesses(answer: Answer) -> list[Guess]:
    """Return how often a guess is right with each other trust, and if a person is asked again."""
    plan = answer.advice.plan
    again = f"in {_TIMES} such tables" if answer.question.ask == COUNTS else f"asked the same question {_TIMES} times"
    ours = "With our advice" if answer.advice.reached else "With the best that is possible"
    return [
        *(_guess_with_trust(answer, other) for other in answer.advice.alternatives),
        _guess(
            f"{ours}, if a person is {again}",
            "Each answer gives away more. Ask each person as seldom as you can.",
            most_guessed_right_again(plan.epsilon, plan.delta, _TIMES),
        ),
    ]


def _guess(title: str, words: str, probability: float) -> Guess:
    return Guess(title, of_100_words(probability), words, probability)


def _guess_with_trust(answer: Answer, other: Plan) -> Guess:
    """Return how often a guess is right with the ε that another trust takes, or how exact the result is with it."""
    condition, _, does = advise.other_trust(other).partition(", who ")
    whom = condition.removeprefix("If people trust ")
    title = f"If people trusted {_CALLED.get(other.trust, whom)}"
    it = "It" if other.trust in _CALLED else numbers.capital(whom)
    who = f"{it} {does}. " if does else ""
    words, question = f"{who}Then {advise.consequence(answer.advice, other)}", answer.question
    if advise.changes_nothing(answer.advice, other):
        number = "no gain"
    elif question.ask == CLASSIFIER:
        number = f"{100 * other.half_width:.1f} points lost"
    elif question.ask != COUNTS and other.half_width >= 0.5:
        number = "result may be anything"
    elif question.within is None or other.epsilon_needed is None:
        number = f"result ± {advise.margin(question, other)}"
    else:
        right, plan = most_guessed_right(other.epsilon_needed, other.delta), answer.advice.plan
        if right < most_guessed_right(plan.epsilon, plan.delta):
            words += f" But you said that people trust {charts.TRUSTED_NAMES[question.trust]}."
        return _guess(title, words, right)
    return Guess(title, number, words)


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
            f"One curve for each answer to whom people trust, with {plan.people:,} people; the star marks our advice. "
            "Vertical lines: where the averages of ten trials very probably lie. For another goal, other people or "
            "your own records, “Methods compared” seeks the least ε."
        )
    epsilon = next(iter(found.values()))[0].epsilon
    own = f" (ε = {plan.epsilon:g})" if plan.epsilon < epsilon else ""
    star = f" Star: our advice{own}." if is_reached else ""
    return (
        "Each curve is for one answer to whom people trust. The more trust, the less error at the same "
        f"protection (ε\u00a0=\u00a0{epsilon:g}).{star}"
    )


def snippet(question: Question) -> Snippet:
    """Return the code that computes the advice."""
    return Snippet(
        ("from privdemo.advise import Question, advise, sentence",),
        (f"advice = advise({as_code(question)})", "print(sentence(advice))", "print(advice.plan)"),
    )
