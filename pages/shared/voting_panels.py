"""The polls of the voting lesson: one poll, many polls, and why reconstruction fails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared import cached, layout, text, voting_controls
from privdemo import figures
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig, Poll, Record
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.methods import VOTING


@dataclass(frozen=True)
class Answer:
    """Everything about the visitor's polls, computed before anything is drawn."""

    config: ElectionConfig
    poll: Poll
    dots: Any
    records: tuple[Record, ...]


def answer(config: ElectionConfig) -> Answer:
    """Hold the polls."""
    return Answer(config, *cached.polls(config))


def lie_words(config: ElectionConfig) -> str:
    """How people lie, with the ε of one answer."""
    p10, p01 = config.channel.p10, config.channel.p01
    epsilon = f"ε = {text.epsilon(config.channel.epsilon)}"
    if p10 == p01:
        return f"Each person lies with probability <b>{text.probability(p10)}</b> ({epsilon})"
    return (
        f"Voters of B say A with probability <b>{text.probability(p10)}</b>, voters of A say B with "
        f"<b>{text.probability(p01)}</b> ({epsilon})"
    )


def takeaway(shown: Answer) -> str:
    """The page in one sentence, with the live numbers."""
    config, poll = shown.config, shown.poll
    said = f"of {text.people(poll.n_voters)} asked <b>{text.share(poll.said_a / poll.n_voters)}</b> say A."
    truth = f"the truth is <b>{text.share(config.share)}</b>"
    start = f"{lie_words(config)}, and {said}"
    if not config.channel.contrast:
        return f"{start} With such lies an answer is as likely after either vote: nothing can be learnt; {truth}."
    best = poll.estimates["spread MLE"]
    reading = (
        f"<b>{text.share(best.value)}</b> of the country voted A (95 % interval {text.between(best.low, best.high)}); "
        f"{truth}."
    )
    if config.channel == voting.TRUTHFUL:
        return f"Nobody lies (ε = ∞), and {said} The pollster knows every vote, and concludes that {reading}"
    return f"{start} Taking the lies into account, the pollster concludes that {reading}"


# --- one poll ------------------------------------------------------------------------------------


def buttons(config: ElectionConfig) -> None:
    """Hold more polls, or start over."""
    n = config.n_elections
    most = voting_controls.ELECTIONS.limit.high
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="draw-buttons"):
        for label, polls in (("Draw again", n + 1), ("+ 100 polls", n + 100), ("10,000 polls", most)):
            st.button(
                label,
                key=f"hold {label}",
                on_click=voting_controls.hold,
                args=(polls,),
                disabled=n >= most,
                type="primary" if label == "Draw again" else "secondary",
            )
        st.button("Start over", key="hold over", on_click=voting_controls.hold, args=(1,), disabled=n == 1)
        st.markdown(f"Poll {n:,}" + (", the most there are" if n >= most else ""), width="content")


def one_poll(shown: Answer) -> None:
    """The people of the last poll as we see them and as the pollster does; every estimate beside the truth."""
    fields = [
        figures.dot_field("What we see: votes, and who lied", shown.dots, people.TRUTH),
        figures.dot_field("What the pollster sees: answers", shown.dots, people.ANSWERS),
    ]
    summary, words = _people_words(shown), _estimate_words(shown)
    chart = charts.estimates(shown.poll.estimates, shown.config.share)
    left, right = st.columns(2, gap="medium")
    with left:
        st.html(figures.people_html(fields, people.LEGEND, summary))
        layout.under_figure(
            "people",
            summary,
            lambda: voting.poll_table(shown.poll),
            lambda: figures.people_page(fields, people.LEGEND, summary),
        )
    with right:
        layout.figure("estimates", chart, words, lambda: voting.estimate_table(shown.poll))


def _people_words(shown: Answer) -> str:
    """Who voted, lied and said what in the poll, and what the pollster can know of it."""
    poll, n_dots = shown.poll, len(shown.dots)
    who = f"{text.people(poll.n_voters)}:"
    if n_dots < poll.n_voters:
        who = f"{n_dots:,} of the {text.people(poll.n_voters)}, drawn at random, are shown; of them all"
    counts = f"{who} {poll.voted_a:,} voted A, {poll.lied_a + poll.lied_b:,} lied, {poll.said_a:,} said A."
    known = voting.known(shown.config.channel)
    if not known:
        return f"{counts} The pollster cannot tell a liar from an honest person."
    return f"{counts} The pollster knows: {text.a_list(known)}."


def _estimate_words(shown: Answer) -> str:
    """Every estimate of the poll in a sentence."""
    words: list[str] = []
    for name, e in shown.poll.estimates.items():
        if name == "spread" and e.value == shown.poll.estimates["spread MLE"].value:
            continue
        holds = "holds" if e.low <= shown.config.share <= e.high else "misses"
        # When all give the same answer the plug-in standard error is 0, which is no certainty: the interval says more.
        error = f"s.e. {text.spread(e.standard_error)}; " if e.standard_error else ""
        words.append(
            f"{VOTING[name].title} {text.share(e.value)} ({error}{text.between(e.low, e.high)}, {holds} the truth)"
        )
    note = ""
    best = shown.poll.estimates.get("spread MLE")
    if best and best.low == best.high:
        note = (
            " The whole interval of the raw estimate lies outside [0, 1], so the other shrinks to its end: no "
            "certainty, but a poll that such lies hardly explain."
        )
    return f"Estimates of this poll with 95 % intervals: {'; '.join(words)}.{note}"


# --- many polls ----------------------------------------------------------------------------------


def many_polls(shown: Answer) -> None:
    """Histograms of all polls, and a table of what each estimator is off by, how much it varies, how often it holds."""
    config = shown.config
    drawn = [record for record in shown.records if record.name != "spread MLE"]
    left_out = voting.beyond(drawn)
    note = f" Estimates beyond −50 or 150 %, {left_out:,} in all, are left out." if left_out else ""
    layout.section("The same poll, held again and again", _again_words(shown))
    layout.figure(
        "polls",
        charts.repeated_polls(drawn, config.share),
        f"Estimates of {'one poll' if config.n_elections == 1 else f'{config.n_elections:,} polls'}: filled as held, "
        "lines the exact distribution. Luck widens a histogram; lies that are not taken into account move it."
        f"{note}",
        lambda: voting.record_table(shown.records),
    )
    layout.grid(
        ["in points", "bias, held", "bias, exact", "s.d., held", "s.d., exact", "95 % interval holds the truth"],
        [
            [
                VOTING[r.name].title,
                _bias_words(r),
                text.difference(r.law.mean - config.share, r.law.deviation),
                text.difference(r.deviation, r.law.deviation, "") if len(r.values) > 1 else "–",
                text.difference(r.law.deviation, r.law.deviation, ""),
                f"{text.share(r.covered.mean)} ({text.between(r.covered.low, r.covered.high)})",
            ]
            for r in shown.records
        ],
    )


def _bias_words(record: Record) -> str:
    half, deviation = record.bias.high - record.bias.mean, record.law.deviation
    margin = f" ± {text.difference(half, deviation, '')}" if math.isfinite(half) else ""
    return f"{text.difference(record.bias.mean, deviation)}{margin}"


def _again_words(shown: Answer) -> str:
    by_name = {record.name: record for record in shown.records}
    naive, n = by_name["naive"], shown.config.n_elections
    average = " on average" if n > 1 else ""
    start = (
        f"In <b>{n:,}</b> poll{'s' if n > 1 else ''} the naive reading is off by "
        f"<b>{text.points(naive.bias.mean)}</b>{average}, and its 95 % interval {_held(naive, n)}"
    )
    if "spread" not in by_name:
        return f"{start}. No reading can find the truth: these answers carry no information."
    best = by_name["spread"]
    off = text.points(best.bias.mean)
    return f"{start}; the raw spread estimate is off by <b>{off}</b>{average}, and its interval {_held(best, n)}."


def _held(record: Record, n: int) -> str:
    if n == 1:
        return "<b>held</b> the truth" if record.n_held else "<b>missed</b> the truth"
    return f"held the truth <b>{record.n_held:,} of {n:,}</b> times"


# --- why reconstruction fails -------------------------------------------------------------------------


def reconstruction(config: ElectionConfig) -> None:
    """The paper's figure 1 and the objective behind it at the visitor's own setting."""
    ends = voting.in_the_long_run(config)
    luck = math.isnan(ends["reconstruction"])
    first = "by luck at <b>0 %</b> or at <b>100 %</b>" if luck else f"at <b>{text.share(ends['reconstruction'])}</b>"
    others = [
        f"{name} at <b>{text.share(ends[key])}</b>"
        for name, key in (("the naive reading", "naive"), ("the spread estimate", "spread MLE"))
        if key in ends
    ]
    layout.section(
        "Why not guess each vote back?",
        "Reconstruction assumes a share, guesses every vote from it and the answer, and settles for the share under "
        "which its own guesses look likeliest. With ever more people of your country it ends "
        f"{text.a_list((first, *others))}; the truth is <b>{text.share(config.share)}</b>.",
    )
    runs = cached.figure1(voting.FLIP_PROBS)
    lie = config.channel.p10 if config.channel.p10 == config.channel.p01 else math.nan
    yours = "" if lie in voting.FLIP_PROBS else " The next figure is drawn for your own lies."
    layout.figure(
        "figure1",
        charts.figure1(runs, (lie, config.share)),
        "Figure 1 of Barber’s paper, computed from J∞: the share that each method finds in the long run against the "
        "true share, for six lies p. Only the spread likelihood stays on the diagonal; at p = 0 the others do too; at "
        f"p = 0.5 the answers say nothing, and spread has no estimate.{yours}",
        lambda: voting.figure1_table(runs),
    )
    theta, objective = voting.landscape(config)
    layout.figure(
        "objective",
        charts.landscape(theta, objective, {n: v for n, v in ends.items() if n != "spread"}, config.share),
        _landscape_words(config),
        lambda: [{"theta": float(t), "objective": float(j)} for t, j in zip(theta, objective, strict=True)],
    )


def _landscape_words(config: ElectionConfig) -> str:
    ends = voting.self_confirming(config.channel)
    start = "What reconstruction maximises (J∞ in the paper, in nats, natural units of likelihood), at your setting."
    if not ends:
        return f"{start} With such lies, or none, an answer leaves nothing to guess."
    whom = " (or ".join(ends) + ")" * (len(ends) - 1)
    why = f"who assumes that {whom} voted A guesses every vote accordingly, and finds the assumption confirmed"
    if len(ends) == 1:
        return f"{start} It is 0, the most it can be, where {whom} voted A, whatever the answers: {why}."
    return (
        f"{start} It is 0, the most it can be, at both ends: {why}. So “the θ that maximises J∞” is 0 and 1 for every "
        "poll in which both lies happen. The paper’s figure probably shows something else: above are a climb from the "
        "observed share, and the best point of a grid that leaves the ends out."
    )
