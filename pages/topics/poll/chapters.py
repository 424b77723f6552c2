"""The steps of the reveal: what a class said, what is true of it, what that says of each, and what privacy cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec

from pages.kit import numbers
from pages.kit.panel import Chart, Markup, Panel, Rows
from pages.kit.snippet import Snippet
from pages.topics.poll.answer import Answer, ordinal, said
from privdemo import figures
from privdemo.experiments import poll
from privdemo.experiments.poll import Price, Reveal
from privdemo.figures import poll as charts
from privdemo.intervals import Estimate

_NOBODY = "Nobody has answered yet: there is nothing to read."
_NOT_OPEN = "Open the poll: there is nothing to read before somebody answers."


class _Said(NamedTuple):
    """What a step says once somebody has answered: a panel but for its name and its question."""

    answer: str
    picture: Chart | Markup
    summary: str
    rows: Rows
    snippet: Snippet


_P = ParamSpec("_P")
_Step = Callable[Concatenate[Answer, Reveal, _P], _Said]
_Panels = Callable[Concatenate[Answer, _P], list[Panel]]


def _step(name: str, question: str) -> Callable[[_Step[_P]], _Panels[_P]]:
    """A step of the reveal, shown by its one panel: before anybody has answered, it says that."""

    def panels_of(say: _Step[_P]) -> _Panels[_P]:
        @wraps(say)
        def panels(shown: Answer, *args: _P.args, **kwargs: _P.kwargs) -> list[Panel]:
            if shown.found is None:
                return [Panel(name, question, _NOBODY if shown.question.is_opened else _NOT_OPEN)]
            return [Panel(name, question, *say(shown, shown.found, *args, **kwargs))]

        return panels

    return panels_of


@_step("said", "What did they say?")
def what_they_said(shown: Answer, found: Reveal) -> _Said:
    """The answers as they came."""
    first = found.readings[shown.number]
    words = "; ".join(f"{said(r.answer)} {r.senders:,}" for r in found.readings)
    return _Said(
        f"<b>{first.senders:,}</b> of {found.n_answers:,} said {said(first.answer)}. Some of them lied.",
        Chart(charts.said(found)),
        f"What {numbers.people(found.n_answers)} said: {words}.",
        lambda: poll.said_table(found),
        shown.snippet("charts.said(found).show()"),
    )


@_step("naive", "What if every answer were true?")
def naive(shown: Answer, found: Reveal) -> _Said:
    """The answers, taken for the truth."""
    first, still = found.readings[shown.number], found.config.channel.p10
    words = "; ".join(f"{said(r.answer)} {numbers.with_range(r.said)}" for r in found.readings)
    return _Said(
        f"Who ignores the lies reads <b>{numbers.with_range(first.said)}</b> {said(first.answer)}. But if it were "
        f"true of nobody, {numbers.percent(still)} would still say so.",
        Chart(charts.naive(found)),
        f"Shares of the answers, each with its 95 % interval: {words}.",
        lambda: poll.said_table(found),
        shown.snippet("charts.naive(found).show()"),
    )


@_step("corrected", "How many is it true of?")
def corrected(shown: Answer, found: Reveal) -> _Said:
    """The shares behind the lies."""
    first = found.readings[shown.number]
    words = "; ".join(f"{said(r.answer)} {numbers.with_range(r.true)}" for r in found.readings)
    return _Said(
        f"{_doubt(found)}With the lies taken into account, {said(first.answer)} is true of "
        f"<b>{numbers.with_range(first.true)}</b>.{_narrower(found)}",
        Chart(charts.corrected(found)),
        f"Shares corrected for the lies, each with its 95 % interval: {words}.",
        lambda: poll.share_table(found),
        shown.snippet("charts.corrected(found).show()"),
    )


def _doubt(found: Reveal) -> str:
    """That such lies hardly explain the answers, where they do not, before what hangs on them; else nothing."""
    return "Such lies hardly explain these answers: <b>the model is doubtful</b>. If it held: " * _doubtful(found)


def _narrower(found: Reveal) -> str:
    """What more answers do to a range, where there is one."""
    return "" if _doubtful(found) else " The more people answer, the narrower that range."


def _doubtful(found: Reveal) -> bool:
    return any(reading.doubtful for reading in found.readings)


@_step("one-answer", "What does one answer say of its sender?")
def one_answer(shown: Answer, found: Reveal) -> _Said:
    """What one answer says of its sender."""
    first, epsilon = found.readings[shown.number], found.config.mechanism.epsilon
    words = "; ".join(
        f"of 100 who sent {said(r.answer)}, {numbers.per_hundred(r.meant.mean)} meant it "
        f"({numbers.interval(r.meant)}); of all, {numbers.share(r.true.mean)}"
        for r in found.readings
    )
    return _Said(
        f"{_doubt(found)}Of 100 people who sent {said(first.answer)}, <b>{_hundred(first.meant)}</b> meant it. Of "
        f"100 people whatever they sent, it is true of {_hundred(first.true)}. No answer moves the odds by more "
        f"than {numbers.odds_factor(epsilon)}.",
        Markup(_meant(found)),
        f"At the estimated shares and the ends of their 95 % intervals: {words}.",
        lambda: poll.meant_table(found),
        shown.snippet("print(found.readings[0].meant)", draws=False),
    )


def _meant(found: Reveal) -> str:
    """A hundred senders of each answer, side by side."""
    drawn = figures.people_html(charts.meant(found), charts.MEANT_LEGEND, "People who sent an answer")
    return f'<div class="poll-meant" style="--fields: {len(found.readings)}">{drawn}</div>'


def _hundred(share: Estimate) -> str:
    """People of a hundred with their 95 % interval, if it has a width: whole ones, where they say enough."""
    number, low, high = map(_whole, share)
    return number if share.exact or number == low == high else f"{number} ({low}–{high})"


def _whole(share: float) -> str:
    return numbers.per_hundred(round(share, 2) if 0.01 <= share <= 0.99 else share)


@_step("price", "What did privacy cost?")
def price(shown: Answer, found: Reveal) -> _Said:
    """What privacy costs in people."""
    cost = poll.price(found)
    half, lying, honest = cost.plans[0]
    plans = "; ".join(f"± {100 * h:g} points: {n:,} people, or {m:,} honest ones" for h, n, m in cost.plans)
    return _Said(
        f"{_worth(cost)}. To know any share within {100 * half:g} points, this question takes "
        f"{numbers.people(lying)}; if nobody lied, {honest:,}.",
        Chart(charts.price(cost)),
        f"{_worth(cost)}: each ± {100 * cost.half:.3g} points at the widest. {plans}.",
        lambda: poll.price_table(cost),
        shown.snippet("cost = poll.price(found)", "charts.price(cost).show()"),
    )


def _worth(cost: Price) -> str:
    """As many honest answers as say what these do."""
    these, say = (f"These {cost.asked:,} answers", "say") if cost.asked != 1 else ("This answer", "says")
    if cost.honest == 0:
        return f"{these} {say} <b>less than 1</b> honest one would"
    return f"{these} {say} as much as <b>{cost.honest:,}</b> honest {'one' if cost.honest == 1 else 'ones'} would"


@_step("again", "What if the same people answer again?")
def asked_again(shown: Answer, found: Reveal, times: int) -> _Said:
    """What more answers of the same person say."""
    again = poll.asked_again(found)
    first = again[shown.number]
    here, last = first.meant[times - 1], first.meant[-1]
    most = len(first.meant)
    every = {1: "once", 2: "both times"}.get(times, f"all {times} times")
    words = "; ".join(
        f"{said(each.answer)} {', '.join(numbers.per_hundred(meant.mean) for meant in each.meant)}" for each in again
    )
    now = _now(shown)
    later = f"; of those who say it all {most} times, {_hundred(last)}" if times < most else ""
    return _Said(
        f"{now}{_doubt(found)}Of 100 people who say {said(first.answer)} {every}, <b>{_hundred(here)}</b> mean it"
        f"{later}. Each time costs as much privacy again.",
        Chart(charts.again(again, times)),
        f"How many of 100 mean an answer that they send once, twice, … {most} times: {words}.",
        lambda: poll.again_table(again),
        shown.snippet(f"charts.again(poll.asked_again(found), {times}).show()"),
    )


def _now(shown: Answer) -> str:
    """How far a class is that answers again; nothing before it does."""
    rounds = shown.question.rounds
    if len(rounds) == 1 or not shown.question.join:
        return ""
    return f"The {ordinal(len(rounds))} time, <b>{numbers.people(shown.question.answered)}</b> answered. "


@_step("truth", "Who was right?")
def the_truth(shown: Answer, found: Reveal) -> _Said:
    """The shares that a rehearsal has kept for its end."""
    held = shown.question.truth or ()
    truth = [count / sum(held) for count in held]
    first, share = found.readings[shown.number], truth[shown.number]
    verdicts = ("contains" if estimate.covers(share) else "misses" for estimate in (first.said, first.true))
    ignored, best = verdicts
    words = "; ".join(f"{said(r.answer)} {numbers.share(true)}" for r, true in zip(found.readings, truth, strict=True))
    return _Said(
        f"{said(first.answer)} is true of <b>{numbers.share(share)}</b> of these simulated people. Correcting for "
        f"the lies, {numbers.with_range(first.true)}, {best} it; ignoring them, {numbers.with_range(first.said)}, "
        f"{ignored} it.",
        Chart(charts.corrected(found, truth)),
        f"The truth: {words}.",
        lambda: poll.share_table(found, truth),
        shown.snippet(f"charts.corrected(found, {tuple(truth)}).show()"),
    )
