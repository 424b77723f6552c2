"""An advice in words, as whole phrases."""

from __future__ import annotations

import math
from dataclasses import replace

from privdemo.advise.plan import Plan
from privdemo.advise.question import CLASSIFIER, COUNTS, ONE_OF_K, TRUSTS, YES_NO, Question
from privdemo.advise.recommend import Advice
from privdemo.advise.ways import GAUSSIAN_COUNTS, LAPLACE_COUNT, LAPLACE_COUNTS
from privdemo.methods import COMPARISON, NOBODY, OWNER

_WHO = {
    "nobody": "nobody",
    "shuffler": "a shuffler, who mixes all answers",
    "owner": "the owner of each group",
    "curator": "a curator, who sees all answers",
}
_SEEN = {
    "nobody": "what that person sends",
    "shuffler": "all answers, mixed",
    "owner": "all that is published",
    "curator": "all that is published",
}
_SURE = "95 times of 100"
_NO_OTHERS = "No other number of people was tried."


def sentence(advice: Advice) -> str:
    """Return what to do, what comes of it and what it costs; or that it cannot be done, and what would have to
    change.
    """
    if advice.reached:
        return f"{action(advice.question, advice.plan)} {_outcome(advice)}"
    return f"It cannot be done: {_why_not(advice)} {_changes(advice)}"


def promise(plan: Plan) -> str:
    """Return what ε means for one person: how often somebody can be right who must choose between two answers.

    See `right_at_most`.
    """
    kind = "answers" if plan.accuracy is None else "labels"
    return (
        f"Whoever guesses blindly between two {kind} of a person is right 50 times of 100; after seeing "
        f"{_SEEN[plan.trust]}, at most {right_at_most(plan.epsilon, plan.delta)} times of 100."
    )


def right_at_most(epsilon: float, delta: float) -> int:
    """Return how often of 100 somebody can choose the true one of two answers that are equally likely at first, rounded
    up: e^ε/(1 + e^ε) + δ at most.
    """
    odds = math.exp(epsilon)
    return min(100, math.ceil(100 * (odds / (1 + odds) + delta) - 1e-9))


def comparisons(advice: Advice) -> tuple[str, ...]:
    """Return what the next less and the next more trust would cost or save, a sentence each."""
    return tuple(f"{other_trust(other)}, {what_it_gives(advice, other)}" for other in advice.alternatives)


def other_trust(other: Plan) -> str:
    """Return on what condition another plan is for: “If people trust a shuffler, who mixes all answers”."""
    return f"If people trust {_WHO[other.trust]}"


def action(question: Question, plan: Plan) -> str:
    """Return what to do, a sentence."""
    if question.ask == CLASSIFIER:
        return _training(plan)
    if plan.mechanism in (LAPLACE_COUNT, LAPLACE_COUNTS, GAUSSIAN_COUNTS):
        return _counting(question, plan)
    mixed = ", and let a shuffler mix what is sent" if "local_epsilon" in plan.parameters else ""
    return f"Let each telephone {_sending(question, plan)}{mixed}."


def _sending(question: Question, plan: Plan) -> str:
    """Return what a telephone does: “change the answer 27 % of the time”."""
    values = plan.parameters
    true, other = (f"{_percent(values[name])} of the time" for name in "pq")
    if plan.mechanism == "randomised response":
        lies = f"{_percent(values['flip_prob'])} of the time"
        return f"change the answer {lies}" if question.answers == 2 else f"send one of the other answers {lies}"
    if plan.mechanism == "subset selection":
        return f"send a list of {values['size']:g} of the {question.answers:,} answers that holds the true one {true}"
    if plan.mechanism == "local hashing":
        return f"sort the answers into {values['n_hashes']:g} random groups, and name the group of the true one {true}"
    if plan.mechanism == "hadamard response":
        return f"name half of the {question.answers:,} answers, a half that holds the true one {true}"
    return f"send a yes or no for every answer: yes for the true one {true}, for each other one {other}"


def _counting(question: Question, plan: Plan) -> str:
    """Return what whoever counts true answers does."""
    noise = (
        f"Gaussian noise of standard deviation {_number(plan.parameters['sigma'])}"
        if plan.mechanism == GAUSSIAN_COUNTS
        else f"Laplace noise of scale {_number(plan.parameters['scale'])}"
    )
    each = (
        "each answer" if plan.mechanism != LAPLACE_COUNT else "yeses" if question.ask == YES_NO else "the first answer"
    )
    which = f"the number of {each}"
    if plan.trust == "owner":
        groups = "the group" if question.groups == 1 else f"each of the {question.groups:,} groups"
        return f"Let the owner of {groups} add {noise} to {which}, and add these numbers up."
    return f"Let a curator add {noise} to {which}, and publish that alone."


def _training(plan: Plan) -> str:
    method = COMPARISON[plan.mechanism]
    if method.trust == NOBODY:
        lies = _percent(plan.parameters["flip_prob"])
        return f"Let each telephone change the label {lies} of the time, and train with the method “{method.title}”."
    if method.trust == OWNER:
        size = plan.parameters["bag_size"]
        return (
            f"Let the owner of each group of {size:g} people publish with noise how many have the label, and train "
            f"with the method “{method.title}”."
        )
    return f"Let a curator train on the true labels, and publish a model with noise (the method “{method.title}”)."


def exactness(advice: Advice) -> str:
    """Return how exact the result of the plan is, and with how many people; of a classifier, that no others were
    tried.
    """
    plan = advice.plan
    return f"{_exact(advice)}.{f' {_NO_OTHERS}' if plan.accuracy else ''}"


def _exact(advice: Advice) -> str:
    """Return how exact the result of the plan is, and with how many people, a sentence without its full stop."""
    plan = advice.plan
    if plan.accuracy:
        return (
            f"With {plan.people:,} people like those of our trials the computer is right about "
            f"{100 * plan.accuracy.mean:.1f} of 100 others"
        )
    return f"With {plan.people:,} people {_right_to(advice.question, plan)}, {_SURE}"


def _outcome(advice: Advice) -> str:
    """Return how exact the plan is, and what true answers would need."""
    question, exact = advice.question, _exact(advice)
    if advice.open_accuracy:
        right = f"{100 * advice.open_accuracy.mean:.1f}"
        return f"{exact}; with every label true it would be right about {right}. {_NO_OTHERS}"
    if question.ask == COUNTS:
        return f"{exact}."
    if advice.open_people is None:
        return f"{exact}; without privacy it would be ± {_points(advice.open_half_width)}."
    return f"{exact}; without privacy {advice.open_people:,} would be enough."


def _right_to(question: Question, plan: Plan) -> str:
    if question.ask == COUNTS:
        return f"in the table each number is right to ± {_number(plan.people * plan.half_width)} people"
    what = {YES_NO: "the share is", ONE_OF_K: "the share of each answer is"}[question.ask]
    return f"{what} right to ± {_points(plan.half_width)}"


def _why_not(advice: Advice) -> str:
    """Return why the goal cannot be reached, a sentence."""
    question, plan = advice.question, advice.plan
    if question.ask == CLASSIFIER:
        if question.people is not None and question.people < plan.people:
            return f"{question.people:,} people are fewer than the {plan.people:,} of our trials. {_NO_OTHERS}"
        lost = f"{100 * plan.half_width:.1f} points of accuracy are lost, not {100 * (question.within or 0):.3g}"
        tried = f"the {plan.people:,} people of our trials"
        return f"with {tried}, ε of at most {question.epsilon:g} and this trust {lost}. {_NO_OTHERS}"
    if question.people is None:
        return f"with ε of at most {question.epsilon:g} not even {plan.people:,} people are enough."
    return f"with {plan.people:,} people and ε of at most {question.epsilon:g}, {_right_to(question, plan)}, {_SURE}."


def _changes(advice: Advice) -> str:
    """Return what would have to change, each by itself, a sentence."""
    question, plan = advice.question, advice.plan
    changes = []
    if plan.people_needed is not None and plan.people_needed > (question.people or 0):
        changes.append(f"ask {plan.people_needed:,} people")
    if plan.epsilon_needed is not None and plan.epsilon_needed > question.epsilon:
        changes.append(f"allow ε = {plan.epsilon_needed:g}")
    order = TRUSTS[question.ask]
    changes += [
        f"let people trust {_WHO[other.trust].partition(',')[0]}"
        for other in advice.alternatives
        if other.reached and order.index(other.trust) > order.index(question.trust)
    ]
    is_tried = question.ask != CLASSIFIER or question.people is None or question.people >= plan.people
    if plan.half_width < 0.5 and is_tried:
        lost = question.ask == CLASSIFIER
        changes.append(
            f"accept a loss of {100 * plan.half_width:.1f} points" if lost else f"accept ± {_points(plan.half_width)}"
        )
    if not changes:
        return "Ask more people, or for less."
    *first, last = changes
    listed = f"{', '.join(first)}, or {last}" if first else last
    return f"{listed[0].upper()}{listed[1:]}."


def what_it_gives(advice: Advice, other: Plan) -> str:
    """Return what another trust would give, the end of a sentence that begins with `other_trust`."""
    question = advice.question
    if replace(other, trust=advice.plan.trust) == advice.plan:
        return "that changes nothing."
    if question.ask == CLASSIFIER:
        return f"{100 * other.half_width:.1f} points of accuracy are lost with ε = {other.epsilon:g}."
    if question.within is None:
        return f"{_right_to(question, other)}, with ε = {other.epsilon:g}."
    needed = (
        "no number of people up to ten million is enough"
        if other.people_needed is None
        else f"{other.people_needed:,} people are enough"
    )
    if question.people is None or other.epsilon_needed is None:
        return f"{needed} with ε = {question.epsilon:g}."
    return (
        f"the same accuracy takes only ε = {other.epsilon_needed:g}; or, with ε = {question.epsilon:g}, {needed}."
        if other.epsilon_needed < question.epsilon
        else f"the same accuracy takes ε = {other.epsilon_needed:g}; with ε = {question.epsilon:g}, {needed}."
    )


def _number(value: float) -> str:
    """Return a number to three significant digits; from 1,000 on in full."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _percent(probability: float) -> str:
    return f"{100 * probability:.3g} %"


def _points(share: float) -> str:
    number = f"{100 * share:.3g}"
    return f"{number} point{'s' * (number != '1')}"
