"""An advice in words, as whole phrases."""

from __future__ import annotations

from dataclasses import replace

from privdemo.accounting import right_of_100_words
from privdemo.advise.plan import Plan
from privdemo.advise.question import CLASSIFIER, COUNTS, ONE_OF_K, TRUSTED, TRUSTS, YES_NO, Question
from privdemo.advise.recommend import Advice
from privdemo.advise.ways import GAUSSIAN_COUNTS, LAPLACE_COUNT
from privdemo.methods import COMPARISON, FREQUENCY_ORACLES

_WHO = {
    "nobody": "nobody",
    "shuffler": "a shuffler, who mixes all answers so that nobody knows whose is whose",
    "leader": "the leader of each group",
    "curator": "a curator, who sees all answers",
}
_SEEN = {
    "nobody": "what one person sends",
    "shuffler": "the mixed answers of all people",
    "leader": "all that is published",
    "curator": "all that is published",
}
_RESULTS = {YES_NO: "the share of yes", ONE_OF_K: "the share of each answer", COUNTS: "each number in the table"}
_IN_DOUBT = 2.0
# A result that may be off by this share can hardly be said to be worked out.
_MUCH = 0.25
# From this part of the goal on a result is said to be as exact as wanted, and no more.
_NEARLY = 0.9
# An ε from this part of the largest on is that which is allowed, but for rounding.
_AS_ALLOWED = 0.99
_NO_OTHERS = "No other number of people was tried."


def sentence(advice: Advice) -> str:
    """Return what to do, what comes of it and what it costs; or that it cannot be done, and what would have to
    change.
    """
    if advice.reached:
        return f"{action(advice.question, advice.plan)} {_outcome(advice)}"
    return f"It cannot be done: {_why_not(advice)} {_changes(advice)}"


def promise(plan: Plan) -> str:
    """Return what ε means for one person: how often somebody can be right who must choose between two answers that are
    equally likely at first.
    """
    often = right_of_100_words(plan.epsilon, plan.delta)
    return (
        f"Somebody who sees {_SEEN[relied_on(plan)]}, and guesses which of two equally likely {_secret(plan)} is true, "
        f"is right {often}; without seeing it, 50."
    )


def protection(plan: Plan) -> tuple[str, str]:
    """Return `promise` in fewer words: how often a guess is right, and a sentence on who guesses what."""
    often = right_of_100_words(plan.epsilon, plan.delta)
    return (
        often,
        f"Somebody who sees {_SEEN[relied_on(plan)]} guesses which of two equally likely {_secret(plan)} is true. "
        "Without that they are right 50 times.",
    )


def _secret(plan: Plan) -> str:
    return "answers" if plan.accuracy is None else "labels"


def relied_on(plan: Plan) -> str:
    """Return whom a plan relies on, a word of `TRUSTED`: nobody where every telephone adds the noise, whoever else may
    be trusted.
    """
    if plan.accuracy:
        return next(word for word, who in TRUSTED.items() if who == COMPARISON[plan.mechanism].trust)
    is_local = plan.mechanism in FREQUENCY_ORACLES and "local_epsilon" not in plan.parameters
    return "nobody" if is_local else plan.trust


def comparisons(advice: Advice) -> tuple[str, ...]:
    """Return what the next less and the next more trust would cost or save, a sentence each."""
    return tuple(f"{other_trust(other)}, {what_it_gives(advice, other)}" for other in advice.alternatives)


def other_trust(other: Plan) -> str:
    """Return on what condition another plan is for: “If people trust a shuffler, who mixes all answers”."""
    return f"If people trust {_WHO[other.trust].replace('answers', _secret(other))}"


def action(question: Question, plan: Plan) -> str:
    """Return what to do, and whether somebody's answer can then be known: one or two sentences."""
    if sends := sending(question, plan, as_advice=True):
        return f"Let each person’s phone {sends}{_then(plan)}."
    return _counting(question, plan)


def sending(question: Question, plan: Plan, as_advice: bool = False) -> str:
    """Return what a phone does: “send the opposite answer with a chance of about 1 in 4 (26.9 %)”; nothing if
    true answers are counted. `as_advice` it says that the opposite answer is sent on purpose.
    """
    values = plan.parameters
    if question.ask == CLASSIFIER:
        return f"send the other label {_chance(values['flip_prob'])}" if "flip_prob" in values else ""
    if plan.mechanism not in FREQUENCY_ORACLES:
        return ""
    true, other = (_chance(values[name]) for name in "pq")
    if plan.mechanism == "randomised response":
        false = "the opposite answer" if question.answers == 2 else "one of the other answers"
        if as_advice and question.ask == YES_NO:  # it sounds like a fault unless it is said to be meant
            return f"sometimes send {false} on purpose, {_how_often(values['flip_prob'])}"
        return f"send {false} {_how_often(values['flip_prob'])}"
    if plan.mechanism == "subset selection":
        return f"send a list of {values['size']:g} of the {question.answers:,} answers that holds the true one {true}"
    if plan.mechanism == "local hashing":
        return f"sort the answers into {values['n_hashes']:g} random groups, and name the group of the true one {true}"
    if plan.mechanism == "hadamard response":
        return f"name half of the {question.answers:,} answers, a half that holds the true one {true}"
    return f"send a yes or no for every answer: yes for the true one {true}, for each other one {other}"


def sent_by_phones(question: Question, plan: Plan) -> tuple[str, dict[str, float]] | None:
    """Return how often a phone sends what, after the beginning of that sentence: the truth first, then another answer.

    None where a phone sends something else than one answer.
    """
    flip_prob = plan.parameters.get("flip_prob")
    if flip_prob is None or not sending(question, plan):
        return None
    what = _secret(plan).removesuffix("s")
    other = "another" if question.answers > 2 else "the other" if question.ask == CLASSIFIER else "the opposite"
    return "Each phone sends", {f"the true {what}": 1 - flip_prob, f"{other} {what}": flip_prob}


def _then(plan: Plan) -> str:
    """Return what becomes of what telephones send before it is counted, or else what the chance is for."""
    if plan.accuracy:
        return f", and train with the method “{COMPARISON[plan.mechanism].title}”"
    if "local_epsilon" in plan.parameters:
        return ", and let a shuffler mix what is sent"
    # Beyond this ε one answer is hardly in doubt.
    return ". So nobody, not even you, can be sure of any one answer" if plan.epsilon < _IN_DOUBT else ""


def added_noise(question: Question, plan: Plan) -> str:
    """Return which noise is added to what, where true answers are counted: “Laplace noise of scale 1 to the number of
    yeses”.
    """
    noise = (
        f"Gaussian noise of standard deviation {_number(plan.parameters['sigma'])}"
        if plan.mechanism == GAUSSIAN_COUNTS
        else f"Laplace noise of scale {_number(plan.parameters['scale'])}"
    )
    each = (
        "each answer" if plan.mechanism != LAPLACE_COUNT else "yeses" if question.ask == YES_NO else "the first answer"
    )
    return f"{noise} to the number of {each}"


def leaders(question: Question, plan: Plan) -> str:
    """Return whose leaders count the true answers: “each of the 20 groups”."""
    if plan.accuracy:
        return f"each group of {plan.parameters['bag_size']:g} people"
    return "the group" if question.groups == 1 else f"each of the {question.groups:,} groups"


def _counting(question: Question, plan: Plan) -> str:
    """Return what whoever has true answers or labels does."""
    method = f"the method “{COMPARISON[plan.mechanism].title}”" if plan.accuracy else ""
    if relied_on(plan) == "leader":
        do = (
            f"publish with noise how many have the label, and train with {method}"
            if method
            else f"add {added_noise(question, plan)}, and add these numbers up"
        )
        return f"Let the leader of {leaders(question, plan)} {do}."
    if method:
        return f"Let a curator train on the true labels, and publish a model with noise ({method})."
    return f"Let a curator add {added_noise(question, plan)}, and publish that alone."


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
            f"With {_people(plan.people)} like those of our trials the computer is right about "
            f"{100 * plan.accuracy.mean:.1f} of 100 others"
        )
    return f"With {_people(plan.people)} {_right_to(advice.question, plan, is_sure=True)}"


def _outcome(advice: Advice) -> str:
    """Return how exact the plan is, corrected for what chance changed, and what true answers would need."""
    question, exact = advice.question, _exact(advice)
    if sending(question, advice.plan) and not advice.plan.accuracy and advice.plan.half_width < _MUCH:
        exact = _still_worked_out(question, advice.plan)
    if advice.open_accuracy:
        right = f"{100 * advice.open_accuracy.mean:.1f}"
        return f"{exact}; with every label true it would be right about {right}. {_NO_OTHERS}"
    if question.ask == COUNTS:
        return f"{exact}."
    if advice.open_people is None:
        return f"{exact}; with true answers, ± {_points(advice.open_half_width)}."
    plan, within = advice.plan, question.within
    if within is None or plan.half_width < _NEARLY * within or plan.people <= advice.open_people:
        return f"{exact}; with true answers, {_people(advice.open_people)} would be enough for the goal."
    enough = f"with true answers, {_people(advice.open_people)} would be enough"
    return f"{exact}. The price of privacy: {enough}."


def result(advice: Advice) -> tuple[str, str, str]:
    """Return what is exact about the plan, how exact it is in a few words, and a sentence on what that means."""
    question, plan = advice.question, advice.plan
    if plan.accuracy:
        learned = f"So often is a computer right that learned from {_people(plan.people)} like those of our trials."
        return "Result", f"{100 * plan.accuracy.mean:.1f} of 100 right", f"{learned} {_NO_OTHERS}"
    title, what, off = "Margin of error", _RESULTS[question.ask], "is off by no more than this"
    if plan.half_width >= 0.5:
        tell = f"{_people(plan.people)} tell{'s' * (plan.people == 1)}"
        return title, "any result is possible", f"At this protection {tell} too little about {what}."
    if question.ask == COUNTS:
        words = f"In 95 of 100 such tables {what} {off}. Without noise it would be exact."
        return title, f"± {margin(question, plan)}", words
    estimated = f"the estimated {what.removeprefix('the ')}"
    exact = margin(question, plan).replace("point", "percentage point")
    asked = ", as you asked" * is_as_exact_as_asked(advice)
    return title, f"± {exact}", f"In 95 of 100 surveys of {_people(plan.people)} {estimated} {off}{asked}."


def is_as_exact_as_asked(advice: Advice) -> bool:
    """Return whether the margin of error is written as the one that was asked for."""
    within = advice.question.within
    return within is not None and _points(within) == _points(advice.plan.half_width)


def price(advice: Advice) -> tuple[str, str, str] | None:
    """Return what true answers would save, as `result` does.

    None of a goal that is not reached, and of a table, whose true numbers are exact.
    """
    question, plan = advice.question, advice.plan
    if not advice.reached or question.ask == COUNTS:
        return None
    if advice.open_accuracy and plan.accuracy:
        of_true, of_private = (round(100 * one.mean, 1) for one in (advice.open_accuracy, plan.accuracy))
        lost = f"{of_true - of_private:.1f} of 100 fewer right" if of_true > of_private else "none"
        words = f"With every label true the computer would be right about {of_true:.1f} of 100 times."
        return "Accuracy lost", lost, words
    if advice.open_people is None or question.within is None:
        exact, private = f"± {_points(advice.open_half_width)}", f"± {margin(question, plan)}"
        private = "any result" if plan.half_width >= 0.5 else private
        number = f"{private} instead of {exact}" if private != exact else "hardly anything"
        true = f"True answers of {_people(plan.people)} would be right to {exact}."
        return "Price of privacy", number, true
    needed, enough = plan.people_needed or plan.people, f"With true answers, {advice.open_people:,} would be enough."
    title, number = f"People needed to come within {percentage_points(question.within)} of the truth", f"{needed:,}"
    least = "This is with the least protection that you allow. " * protects_more(advice)
    if needed <= advice.open_people:
        return title, number, f"{least}Privacy needs no more: with true answers it would be as many."
    low, high = question.widest_share - question.within, question.widest_share + question.within
    if least or low <= 0 or high >= 1:  # not every survey of so many people is meant, or no such example exists
        return title, number, f"{least}{enough}"
    truth, low_end, high_end = (f"{100 * share:.6g}" for share in (question.widest_share, low, high))
    means = f"Example: if {_RESULTS[question.ask].replace('each', 'an')} is truly {truth} %, the survey finds "
    return title, number, f"{enough} {means}{low_end} to {high_end} %. About 1 survey in 20 will miss by more."


def protects_more(advice: Advice) -> bool:
    """Return whether the plan has clearly less ε than is allowed, for which the people who are needed are computed."""
    return advice.plan.epsilon < _AS_ALLOWED * advice.question.epsilon


def _still_worked_out(question: Question, plan: Plan) -> str:
    """Return what changed answers still tell, and how exactly, a sentence without its full stop."""
    sent = f"what {_people(plan.people)} send{'s' * (plan.people == 1)}"
    return f"From {sent} {_RESULTS[question.ask]} can still be worked out, to {_how_sure(question, plan)}"


def _right_to(question: Question, plan: Plan, is_sure: bool = False) -> str:
    """Return how exact the result is, and if it `is_sure`, how often; or that it may be anything."""
    what = _RESULTS[question.ask]
    if plan.half_width >= 0.5:
        return f"{what} may be anything"
    return f"{what} is right to {_how_sure(question, plan) if is_sure else f'± {margin(question, plan)}'}"


def _how_sure(question: Question, plan: Plan) -> str:
    """Return how exact the result is, and how often: “± 3 percentage points in 95 of 100 surveys”."""
    exact = margin(question, plan).replace("point", "percentage point")
    return f"± {exact} in 95 of 100 {'tables' if question.ask == COUNTS else 'surveys'}"


def margin(question: Question, plan: Plan) -> str:
    """Return the half-width in points, or of counts in people."""
    return f"{_number(plan.people * plan.half_width)} people" if question.ask == COUNTS else _points(plan.half_width)


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
    right = _right_to(question, plan, is_sure=True)
    return f"with {_people(plan.people)} and ε of at most {question.epsilon:g}, {right}."


def _changes(advice: Advice) -> str:
    """Return what would have to change, each by itself, a sentence."""
    question, plan = advice.question, advice.plan
    changes = []
    if plan.people_needed is not None and plan.people_needed > (question.people or 0):
        verb = "take a table of" if question.ask == COUNTS else "ask"
        changes.append(f"{verb} {_people(plan.people_needed)}")
    is_tried = question.ask != CLASSIFIER or question.people is None or question.people >= plan.people
    if plan.epsilon_needed is not None and plan.epsilon_needed > question.epsilon:
        if not is_tried:
            return f"Ask {_people(plan.people)} and allow ε = {plan.epsilon_needed:g}."
        changes.append(f"allow ε = {plan.epsilon_needed:g}")
    order = TRUSTS[question.ask]
    changes += [
        f"let people trust {_WHO[other.trust].partition(',')[0]}"
        for other in advice.alternatives
        if other.reached and order.index(other.trust) > order.index(question.trust)
    ]
    if plan.half_width < 0.5 and is_tried:
        lost = question.ask == CLASSIFIER
        changes.append(
            f"accept a loss of {100 * plan.half_width:.1f} points" if lost else f"accept ± {margin(question, plan)}"
        )
    if not changes:
        return "Ask more people, or for less."
    if len(changes) == 1:
        return f"{changes[0][0].upper()}{changes[0][1:]}."
    return f"Any one of these is enough: {', '.join(changes[:-1])}, or {changes[-1]}."


def changes_nothing(advice: Advice, other: Plan) -> bool:
    """Return whether the plan for another trust is the advised one."""
    return replace(other, trust=advice.plan.trust) == advice.plan


def what_it_gives(advice: Advice, other: Plan) -> str:
    """Return what another trust would give, the end of a sentence that begins with `other_trust`, or with “then”."""
    return " ".join(filter(None, (consequence(advice, other), _instead(advice, other))))


def consequence(advice: Advice, other: Plan) -> str:
    """Return the first sentence of `what_it_gives`; what more or fewer people would do is left out."""
    question = advice.question
    if changes_nothing(advice, other):
        return "nothing changes."
    if question.ask == CLASSIFIER:
        return f"{100 * other.half_width:.1f} points of accuracy are lost with ε = {other.epsilon:g}."
    if question.within is None:
        return f"{_right_to(question, other)}, with ε = {other.epsilon:g}."
    needed = other.people_needed
    if question.people is None or other.epsilon_needed is None:
        fewer, epsilon = _no_more(needed, advice.plan.people_needed), f"ε = {question.epsilon:g}"
        people = "not even ten million people are" if needed is None else f"{_people(needed)} are"
        return f"{people} {'enough' if needed is None or fewer else 'needed'} with {epsilon}."
    goal = "exactness" if question.ask == COUNTS else f"± {_points(question.within)}"
    goal = f"{'the same' if advice.reached else 'the wanted'} {goal}"
    if not advice.reached:
        takes = "takes" if question.ask == COUNTS else "take"
        return f"{goal} from {_people(question.people)} {takes} ε = {other.epsilon_needed:g}."
    better = "better" if _no_more(other.epsilon_needed, advice.plan.epsilon_needed) else "less well"
    return f"{_people(question.people)} are protected {better}, for {goal}."


def _instead(advice: Advice, other: Plan) -> str:
    """Return the ε that another trust takes, and how many people it would need with the ε that is allowed, if both
    could change.
    """
    question, plan = advice.question, advice.plan
    is_of_both = question.within is not None and question.people is not None and other.epsilon_needed is not None
    if not is_of_both or question.ask == CLASSIFIER or changes_nothing(advice, other):
        return ""
    epsilon, needed = f"ε = {question.epsilon:g}", other.people_needed
    takes = f"That takes ε = {other.epsilon_needed:g}. " if advice.reached else ""
    if needed is None:
        return f"{takes}With {epsilon} not even ten million people are enough."
    fewer = _no_more(needed, plan.people_needed)
    take = "keep" if plan.epsilon == question.epsilon else "take"
    ask = "take a table of" if question.ask == COUNTS else "ask"
    return f"{takes}Or {take} {epsilon} and {ask} {'only ' * fewer}{_people(needed)}."


def _no_more(number: float | None, instead_of: float | None) -> bool:
    """Return whether a number is no more than another; also if there is no other."""
    return number is not None and (instead_of is None or number <= instead_of)


def _people(number: int) -> str:
    return f"{number:,} {'person' if number == 1 else 'people'}"


def _number(value: float) -> str:
    """Return a number to three significant digits; from 1,000 on in full."""
    return f"{value:,.0f}" if value >= 999.5 else f"{value:.3g}"


def _chance(probability: float) -> str:
    return f"with a chance of {100 * probability:.3g} %"


def _how_often(probability: float) -> str:
    """Return a chance, and as one in so many if that is within a tenth: “with a chance of about 1 in 4 (26.9 %)”."""
    n = round(1 / probability)
    if n == 1 or abs(n * probability - 1) > 0.1:
        return _chance(probability)
    return f"with a chance of about 1 in {n:,} ({100 * probability:.3g} %)"


def percentage_points(share: float) -> str:
    """Write a difference of shares in full: “3 percentage points”."""
    return _points(share).replace("point", "percentage point")


def _points(share: float) -> str:
    number = f"{100 * share:.3g}"
    return f"{number} point{'s' * (number != '1')}"
