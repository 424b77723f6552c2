"""Panels of the poll’s chapters: shares as sent and corrected, posterior of one answer, cost of privacy."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec

from pages.kit import numbers
from pages.kit.numbers import whole_per_hundred
from pages.kit.panel import Chart, Component, Markup, Panel, Rows
from pages.kit.snippet import Snippet
from pages.kit.values import Values
from pages.topics.poll import reveal
from pages.topics.poll.answer import MANY_LIES, Answer, ordinal, said
from pages.topics.poll.question import ENOUGH, TIMES, is_too_few
from privdemo import accounting, figures
from privdemo.disobedience import Noticed
from privdemo.experiments import poll
from privdemo.experiments.poll import Price, Reveal
from privdemo.figures import poll as charts
from privdemo.intervals import Estimate

# So many fields of senders stand in a row; more are in two.
_MOST_IN_ROW = 3
_NOBODY = "Nobody has answered yet: there is nothing to read."
_NOT_OPEN = "Open the poll: there is nothing to read before somebody answers."


class _StepContents(NamedTuple):
    """The fields of a chapter’s panel once somebody has answered, except its name and question."""

    answer: str
    picture: Chart | Markup | Component
    summary: str
    rows: Rows
    snippet: Snippet


_P = ParamSpec("_P")
_Step = Callable[Concatenate[Answer, Reveal, _P], _StepContents]
_Panels = Callable[Concatenate[Answer, _P], list[Panel]]


def _step(name: str, question: str) -> Callable[[_Step[_P]], _Panels[_P]]:
    """Make a chapter of a function from an answer and its reveal; before anybody has answered, it says only that."""

    def make_chapter(contents_of: _Step[_P]) -> _Panels[_P]:
        @wraps(contents_of)
        def panels(answer: Answer, *args: _P.args, **kwargs: _P.kwargs) -> list[Panel]:
            if not answer.question.is_opened:
                return [Panel(name, question, _NOT_OPEN, is_waiting=True)]
            if answer.found is None or is_too_few(answer.question):
                words = _too_few_words(answer.found) if answer.found else _NOBODY
                shown = reveal.heap(answer.question, f"{answer.question.answered} of {ENOUGH} answers", ENOUGH)
                return [Panel(name, question, words, on_slide=shown, is_waiting=True)]
            return [Panel(name, question, *contents_of(answer, answer.found, *args, **kwargs))]

        return panels

    return make_chapter


def _too_few_words(found: Reveal) -> str:
    """Say that so few answers tell little."""
    have = "has" if found.n_answers == 1 else "have"
    return f"Too few to tell: <b>{found.n_answers}</b> {have} answered; {ENOUGH} are enough."


@_step("said", "What did they send?")
def what_they_said(answer: Answer, found: Reveal) -> _StepContents:
    """Return the counts of the reported answers."""
    first = found.readings[answer.number]
    words = "; ".join(f"{said(r.answer)} {r.senders:,}" for r in found.readings)
    return _StepContents(
        f"<b>{first.senders:,}</b> of {numbers.people(found.n_answers)} sent {said(first.answer)}. Chance may "
        "have changed any of these answers.",
        reveal.piles(answer.question, found, f"What {numbers.people(found.n_answers)} sent: {words}."),
        f"What {numbers.people(found.n_answers)} sent: {words}.",
        lambda: poll.said_table(found),
        answer.snippet("charts.said(found).show()"),
    )


@_step("naive", "What if we took every answer as true?")
def naive(answer: Answer, found: Reveal) -> _StepContents:
    """Return the shares as sent."""
    first, still = found.readings[answer.number], found.channel.p10
    words = "; ".join(f"{said(r.answer)} {numbers.with_range(r.reported)}" for r in found.readings)
    return _StepContents(
        f"Without correction, {said(first.answer)} would be true for {_with_interval(first.reported)}. But if it were "
        f"true for nobody, {numbers.percent(still)} would answer {said(first.answer)} by chance.",
        Chart(charts.naive(found)),
        f"Shares as sent, {_intervals_words(found)}: {words}.",
        lambda: poll.said_table(found),
        answer.snippet("charts.naive(found).show()"),
    )


def _intervals_words(found: Reveal) -> str:
    """Say how often the intervals of all answers hold."""
    if len(found.readings) == 2:
        return "each with its 95 % interval"
    return "each with an interval, all of which hold together in at least 95 of 100 polls"


def _with_interval(share: Estimate) -> str:
    """Write a share in bold with its 95 % interval, if it has a width."""
    interval = "" if share.has_no_width else f" (95 % interval: {numbers.interval(share)})"
    return f"<b>{numbers.share(share.mean)}</b>{interval}"


@_step("corrected", "For how many is it true?")
def corrected(answer: Answer, found: Reveal) -> _StepContents:
    """Return the estimated shares, corrected for changed answers."""
    first = found.readings[answer.number]
    words = "; ".join(f"{said(r.answer)} {numbers.with_range(r.estimated)}" for r in found.readings)
    if found.noticed:
        sentence = (
            f"Of those who followed the wheel, {said(first.answer)} is true for {_with_interval(first.estimated)}; "
            f"{_part_words(found.noticed)}."
        )
    else:
        sentence = (
            f"{_doubt_words(found)}Corrected for the changed answers, we estimate that {said(first.answer)} is true "
            f"for {_with_interval(first.estimated)}.{_narrower_words(found)}"
        )
    return _StepContents(
        sentence,
        reveal.shares(answer.question, found, f"Shares corrected for the changed answers: {words}."),
        f"Shares corrected for the changed answers, {_intervals_words(found)}: {words}.{_everybody_words(found)}",
        lambda: poll.share_table(found),
        answer.snippet("charts.corrected(found).show()"),
    )


def _part_words(noticed: Noticed) -> str:
    """Say how many people did not follow the wheel, with the 95 % interval."""
    number, low, high = (f"{100 * part:.0f}" for part in noticed.part)
    return f"about <b>{number} of 100</b> did not follow it ({low}–{high})"


def _everybody_words(found: Reveal) -> str:
    """Say what a poll with a check knows of everybody, and of what it takes people who do not follow the wheel for."""
    if not found.noticed:
        return ""
    least, most = found.noticed.everybody_low.low, found.noticed.everybody_high.high
    first, last = (said(reading.answer) for reading in found.readings)
    return (
        f" Those who did not follow the wheel are taken to have sent {last}, whatever is true of them: of everybody, "
        f"{first} is true for {numbers.share(least)} to {numbers.share(most)}. With one wheel and nobody taken to "
        f"disobey it would be {numbers.with_range(found.noticed.if_all_follow)}."
    )


def _doubt_words(found: Reveal) -> str:
    """Say that such lies hardly explain the answers, before a sentence that depends on them; else return “”."""
    return "Chance alone hardly explains these answers: <b>the model is doubtful</b>. If it held: " * _is_doubtful(
        found
    )


def _narrower_words(found: Reveal) -> str:
    """Say that more answers narrow the interval, unless the model is doubtful."""
    return "" if _is_doubtful(found) else " The more people answer, the narrower this interval."


def _is_doubtful(found: Reveal) -> bool:
    """Return whether such lies hardly explain the answers."""
    return any(reading.doubtful for reading in found.readings)


@_step("one-answer", "What does one answer say about its sender?")
def one_answer(answer: Answer, found: Reveal) -> _StepContents:
    """Return what one answer reveals about its sender."""
    first, epsilon = found.readings[answer.number], found.config.mechanism.epsilon
    wheel = _wheel_words(found)
    odds = (
        f"The odds change at most {numbers.factor(epsilon)}-fold."
        if wheel
        else f"One answer changes the odds by {numbers.odds_factor(epsilon)} at most."
    )
    words = "; ".join(
        f"of 100 who answered {said(r.answer)}{wheel}, it is true for {numbers.per_hundred(r.meant.mean)} "
        f"({numbers.interval(r.meant)}); of all, for {numbers.share(r.estimated.mean)}"
        for r in found.readings
    )
    return _StepContents(
        f"{_doubt_words(found)}Of 100 people who sent {said(first.answer)}{wheel}, about "
        f"<b>{_of_100_people(first.meant, '95 % interval: ')}</b> would honestly say {said(first.answer)}. Before "
        f"their answer we would have guessed {_of_100_people(first.estimated)}.",
        Markup(_hundred_senders(found)),
        f"At the estimated shares and, in brackets, the ends of their 95 % intervals: {words}. {odds}",
        lambda: poll.meant_table(found),
        answer.snippet("print(found.readings[0].meant)", plots=False),
    )


def _wheel_words(found: Reveal) -> str:
    """Say which of two wheels is spoken of: the one whose answers say more. Return “” if there is one."""
    return f" with the {numbers.percent(found.config.lie)} wheel" if len(found.config.lies) > 1 else ""


def _hundred_senders(found: Reveal) -> str:
    """Return a picture of a hundred senders of each answer, side by side, as HTML."""
    picture = figures.people_html(charts.meant(found), charts.meant_legend(found), "People who sent an answer")
    n = len(found.readings)
    return f'<div class="poll-meant" style="--fields: {n if n <= _MOST_IN_ROW else -(-n // 2)}">{picture}</div>'


def _of_100_people(share: Estimate, name: str = "") -> str:
    """Write how many of 100 people with a 95 % interval, if it has a width, after its `name`; whole people where that
    is enough.
    """
    number, low, high = map(whole_per_hundred, share)
    return number if share.has_no_width or number == low == high else f"{number} ({name}{low}–{high})"


@_step("price", "How many people are needed, with privacy and without?")
def price(answer: Answer, found: Reveal) -> _StepContents:
    """Return what privacy costs in people."""
    cost = poll.price(found)
    half, lying, honest = cost.plans[0]
    plans = "; ".join(f"± {100 * h:g} points: {n:,} private answers, or {m:,} open ones" for h, n, m in cost.plans)
    return _StepContents(
        f"{_worth_words(cost)}. To know any share to ± {100 * half:g} percentage points, ask {numbers.people(lying)}; "
        f"if all answered openly, {honest:,} would be enough.",
        Chart(charts.price(cost)),
        f"{_worth_words(cost)}: each ± {100 * cost.half:.3g} points at the widest. {plans}.",
        lambda: poll.price_table(cost),
        answer.snippet("cost = poll.price(found)", "charts.price(cost).show()"),
    )


def _worth_words(cost: Price) -> str:
    """State how many open answers, which chance leaves alone, give an interval as narrow as these."""
    private = "1 private answer is" if cost.with_lies == 1 else f"{cost.with_lies:,} private answers are"
    if cost.without_lies == 0:
        return f"{private} worth <b>less than 1</b> open one"
    return f"{private} worth <b>{cost.without_lies:,}</b> open {'one' if cost.without_lies == 1 else 'ones'}"


def times_of(values: Values, answer: Answer) -> int:
    """Return how often each person answers: the rounds of a poll on telephones, else the setting."""
    return values[TIMES] if answer.question.join is None else len(answer.question.rounds)


@_step("again", "What if the same people answer again?")
def asked_again(answer: Answer, found: Reveal, times: int) -> _StepContents:
    """Return what more answers of the same people reveal."""
    again = poll.asked_again(found)
    first = again[answer.number]
    here, last = first.meant[times - 1], first.meant[-1]
    most = len(first.meant)
    every = {1: "once", 2: "both times"}.get(times, f"all {times} times")
    words = "; ".join(
        f"{said(each.answer)} {', '.join(numbers.per_hundred(meant.mean) for meant in each.meant)}" for each in again
    )
    first_and_last = {_of_100_people(meant).partition(" ")[0] for meant in (first.meant[0], last)}
    start = "of" if len(first_and_last) > 1 and not _is_doubtful(found) else "Of"
    more = "Asking again gives more away: " * (start == "of")
    now = _current_round_words(answer)
    epsilon = found.config.mechanism.epsilon
    lost = ", ".join(numbers.epsilon(accounting.compose(epsilon, n)) for n in range(1, most + 1))
    wheel = _wheel_words(found)
    later = f"; all {most} times, for {_of_100_people(last)}" if times < most else ""
    return _StepContents(
        f"{now}{_doubt_words(found)}{more}{start} 100 people who answer {said(first.answer)} {every}{wheel}, it is "
        f"true for <b>{_of_100_people(here)}</b>{later}.",
        Chart(charts.again(again, times)),
        f"For how many of 100 an answer is true that they send once, twice, … {most} times{wheel}: {words}. Their "
        f"privacy loss ε: {lost}.",
        lambda: poll.again_table(again),
        answer.snippet(f"charts.again(poll.asked_again(found), {times}).show()"),
    )


def _current_round_words(answer: Answer) -> str:
    """Say how many have answered in the current round of a repeated poll; empty in the first round."""
    rounds = answer.question.rounds
    if len(rounds) == 1 or not answer.question.join:
        return ""
    return f"The {ordinal(len(rounds))} time, <b>{numbers.people(answer.question.answered)}</b> answered. "


@_step("truth", "Which interval contains the truth?")
def the_truth(answer: Answer, found: Reveal) -> _StepContents:
    """Return the true shares, which a rehearsal shows last."""
    counts = answer.question.truth or ()
    truth = [count / sum(counts) for count in counts]
    first, share = found.readings[answer.number], truth[answer.number]
    verdicts = ("contains" if estimate.covers(share) else "misses" for estimate in (first.reported, first.estimated))
    ignored, best = verdicts
    if answer.question.disobey or found.noticed:
        compared = _truth_of_disobedience(answer, found)
    else:
        compared = f"the interval without correction, {numbers.interval(first.reported)}, {ignored} it"
    words = "; ".join(f"{said(r.answer)} {numbers.share(true)}" for r, true in zip(found.readings, truth, strict=True))
    return _StepContents(
        f"{said(first.answer)} is true for <b>{numbers.share(share)}</b> of these simulated people. The corrected 95 % "
        f"interval, {numbers.interval(first.estimated)}, {best} this; {compared}.",
        reveal.shares(answer.question, found, f"The truth: {words}.", truth),
        f"The truth: {words}.",
        lambda: poll.share_table(found, truth),
        answer.snippet(f"charts.corrected(found, {tuple(truth)}).show()"),
    )


def _truth_of_disobedience(answer: Answer, found: Reveal) -> str:
    """Say how many simulated people did not follow the wheel, and how many of 100 the poll has noticed."""
    question = answer.question
    do = f"<b>{question.disobey} of {question.expected}</b> always sent {said(question.config.answers[-1])}"
    if not found.noticed:
        return do
    number, low, high = (f"{100 * part:.0f}" for part in found.noticed.part)
    return f"{do if question.disobey else 'everybody followed the wheel'}, estimated {number} of 100 ({low}–{high})"


@_step("remember", "What have we learned: how many, not who")
def to_remember(answer: Answer, found: Reveal) -> _StepContents:
    """Return the result in whole people: what the class has learned of all, and not of any one."""
    first, n = found.readings[answer.number], found.n_answers
    simulated = "" if answer.question.truth is None else "simulated "
    people = "this one person" if n == 1 else f"these {n:,} {simulated}people"
    if found.noticed:
        unknown = "" if simulated else " Yet nobody knows for whom."
        end = f", if it is as common among those who did not follow the wheel.{unknown}"
    else:
        truth = answer.question.truth
        known = (
            f"; in truth {truth[answer.number]:,}" if truth and sum(truth) == n and not answer.question.disobey else ""
        )
        end = f"{known}. {_hidden_words(found, bool(simulated))}"
    return _StepContents(
        f"{_doubt_words(found)}Of {people}, {said(first.answer)} is true for about "
        f"{_of_people(first.estimated, n)}{end}",
        Markup(
            figures.people_html(
                [charts.whole_class(found, answer.number)],
                charts.whole_class_legend(found, answer.number),
                people,
                wide=[charts.whole_class(found, answer.number, on_wide_screen=True)],
            )
        ),
        f"{said(first.answer)}: {numbers.with_range(first.estimated)} of {numbers.people(found.n_answers)}.",
        lambda: poll.share_table(found),
        answer.snippet("print(found.readings[0].estimated)", plots=False),
    )


def _of_people(share: Estimate, n: int) -> str:
    """Write how many of `n` people, in bold, with a 95 % interval, if it has a width."""
    number, low, high = (f"{round(n * one):,}" for one in share)
    return f"<b>{number}</b>" if low == high else f"<b>{number}</b> (95 % interval: {low}–{high})"


def _hidden_words(found: Reveal, is_simulated: bool) -> str:
    """Say what nobody has learned; where chance changes few answers, how much at most."""
    if found.config.lie < MANY_LIES:
        odds = numbers.odds_factor(found.config.mechanism.epsilon)
        return f"What is learned of each of them changes the odds by {odds} at most."
    if is_simulated:
        return "Nobody can tell for sure for whom it is true."
    return "Nobody can tell for sure for whom it is true, not even this server."
