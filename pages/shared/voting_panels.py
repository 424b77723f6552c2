"""The polls of the voting lesson: one poll, many polls, and why reconstruction fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared import cached, layout, text, voting_controls
from privdemo import figures
from privdemo.experiments import voting
from privdemo.experiments.voting import HONEST, ElectionConfig, Poll, Record
from privdemo.figures import people
from privdemo.figures import voting as charts

LEGEND = {"voted A": people.VOTED_A, "voted B": people.VOTED_B, "hollow: lied": people.LIED_A}
NAMES = {
    HONEST: "if nobody lied",
    "naive": "naive: the answers as they are",
    "reconstruction": "reconstruction: guess each vote",
    "spread": "spread likelihood, raw",
    "spread MLE": "spread likelihood, kept in [0, 1]",
}


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
        return f"Each person lies with probability <b>{p10:.4g}</b> ({epsilon})"
    return f"Voters of B say A with probability <b>{p10:.4g}</b>, voters of A say B with <b>{p01:.4g}</b> ({epsilon})"


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
    """The people of the last poll as we see them and as the pollster does, and every estimate beside the truth."""
    poll, n_dots = shown.poll, len(shown.dots)
    all_shown = n_dots == poll.n_voters
    liars = poll.lied_a + poll.lied_b
    everybody = text.people(poll.n_voters)
    who = everybody if all_shown else f"{n_dots:,} of the {everybody}, drawn at random"
    fields = [
        figures.dot_field("What we see: votes, and who lied", shown.dots, people.TRUTH),
        figures.dot_field("What the pollster sees: answers", shown.dots, people.ANSWERS),
    ]
    summary = (
        f"{who}: {poll.voted_a:,} of {poll.n_voters:,} voted A, {liars:,} lied, {poll.said_a:,} said A. "
        "The pollster cannot tell a liar from an honest person."
        if liars
        else f"{who}: {poll.voted_a:,} of {poll.n_voters:,} voted A; nobody lied, so the pollster sees every vote."
    )
    chart = charts.estimates(poll.estimates, shown.config.share)
    words = _estimate_words(shown)
    st.html(figures.people_html(fields, LEGEND, summary))
    layout.chart("estimates", chart, words)
    layout.under_figure(
        "people", summary, lambda: voting.poll_table(poll), lambda: figures.people_page(fields, LEGEND, summary)
    )
    layout.under_figure("estimates", words, lambda: voting.estimate_table(poll), lambda: figures.to_html(chart))


def _estimate_words(shown: Answer) -> str:
    """Every estimate of the poll in a sentence."""
    words = []
    for name, e in shown.poll.estimates.items():
        if name == "spread" and e.value == shown.poll.estimates["spread MLE"].value:
            continue
        holds = "holds" if e.low <= shown.config.share <= e.high else "misses"
        words.append(f"{NAMES[name]} {text.share(e.value)} ({text.between(e.low, e.high)}, {holds} the truth)")
    note = ""
    best = shown.poll.estimates.get("spread MLE")
    if best and best.low == best.high:
        note = (
            " The whole interval of the raw estimate lies outside [0, 1], so the other shrinks to its end: no certainty, "
            "but a poll that such lies hardly explain."
        )
    return f"Estimates of this poll with 95 % intervals: {'; '.join(words)}.{note}"


# --- many polls ----------------------------------------------------------------------------------


def many_polls(shown: Answer) -> None:
    """Histograms of all polls, and a table of what each estimator is off by, how much it varies, how often it holds."""
    config = shown.config
    drawn = [record for record in shown.records if record.name != "spread MLE"]
    low, high = _range(shown)
    notes = {r.name: f"off by {text.points(r.bias.mean)}, s.d. {100 * r.deviation:.2g}" for r in drawn}
    histograms = {record.name: voting.histogram(record, low, high) for record in drawn}
    layout.section("The same poll, held again and again", "again", _again_words(shown))
    layout.figure(
        "polls",
        charts.repeated_polls(histograms, config.share, notes, low, high),
        f"Estimates of {config.n_elections:,} polls: bars as held, lines the exact distribution. "
        "Luck widens a histogram; only a wrong reading moves it off the truth.",
        lambda: voting.record_table(shown.records),
    )
    layout.grid(
        ["in points", "off by (bias)", "exactly", "varies by (s.d.)", "exactly", "its 95 % interval held the truth"],
        [
            [
                NAMES[r.name],
                _bias_words(r),
                text.difference(r.law.mean - config.share),
                f"{100 * r.deviation:.2f}" if len(r.values) > 1 else "–",
                f"{100 * r.law.deviation:.2f}",
                f"{text.share(r.covered.mean)} ({text.between(r.covered.low, r.covered.high)})",
            ]
            for r in shown.records
        ],
    )


def _range(shown: Answer) -> tuple[float, float]:
    """Where all estimates and the truth lie, with room at both sides."""
    ends = [shown.config.share]
    for record in shown.records:
        ends += [record.values.min(), record.values.max()]
        ends += [record.law.mean - 4 * record.law.deviation, record.law.mean + 4 * record.law.deviation]
    low, high = min(ends), max(ends)
    pad = max(0.02 * (high - low), 1e-4)
    return low - pad, high + pad


def _bias_words(record: Record) -> str:
    half = 0.5 * (record.bias.high - record.bias.low)
    margin = f" ± {100 * half:.2f}" if half < 10 else ""
    return f"{text.difference(record.bias.mean)}{margin}"


def _again_words(shown: Answer) -> str:
    by_name = {record.name: record for record in shown.records}
    naive, n = by_name["naive"], shown.config.n_elections
    start = (
        f"In <b>{n:,}</b> poll{'s' if n > 1 else ''} the naive reading is off by "
        f"<b>{text.points(naive.bias.mean)}</b>{' on average' if n > 1 else ''}, and its 95 % interval held the truth "
        f"{_held(naive, n)}"
    )
    if "spread" not in by_name:
        return f"{start}. No reading can do better: these answers carry no information."
    best = by_name["spread"]
    return f"{start}; the spread estimate is off by <b>{text.points(best.bias.mean)}</b>, and held it {_held(best, n)}."


def _held(record: Record, n: int) -> str:
    return f"<b>{round(record.covered.mean * n):,} of {n:,}</b> times"


# --- why reconstruction fails -------------------------------------------------------------------------


def reconstruction(config: ElectionConfig) -> None:
    """The paper's figure 1 and the objective behind it at the visitor's own setting."""
    ends = voting.in_the_long_run(config)
    others = f"the naive reading at <b>{text.share(ends['naive'])}</b>"
    if "spread MLE" in ends:
        others += f", the spread estimate at <b>{text.share(ends['spread MLE'])}</b>"
    layout.section(
        "Why not guess each vote back?",
        "reconstruction",
        "Reconstruction guesses every vote from the answer and the share found so far, then counts the guesses. With "
        f"ever more people of your country it settles at <b>{text.share(ends['reconstruction'])}</b>, {others}; the "
        f"truth is <b>{text.share(config.share)}</b>.",
    )
    runs = cached.figure1(voting.FLIP_PROBS)
    lie = config.channel.p10 if config.channel.p10 == config.channel.p01 else -1.0
    layout.figure(
        "figure1",
        charts.figure1(runs, (lie, config.share)),
        "Figure 1 of Barber’s paper, computed from J∞: the share that each method finds in the long run against the "
        "true share, for six lies p. Only the spread likelihood stays on the diagonal; at p = 0 all do; at p = 0.5 "
        "the answers say nothing, and spread has no estimate.",
        lambda: voting.figure1_table(runs),
    )
    theta, objective = voting.landscape(config)
    layout.figure(
        "objective",
        charts.landscape(theta, objective, {n: v for n, v in ends.items() if n != "spread"}, config.share),
        _landscape_words(config, objective),
        lambda: [{"theta": float(t), "objective": float(j)} for t, j in zip(theta, objective, strict=True)],
    )


def _landscape_words(config: ElectionConfig, objective: Any) -> str:
    peaks = [name for name, value in (("nobody", objective[0]), ("everybody", objective[-1])) if value > -1e-12]
    if len(peaks) == 2:
        return (
            "What reconstruction maximises, at your setting. It is 0, the most it can be, at both ends: who assumes "
            "that nobody (or everybody) voted A guesses every vote accordingly, and finds the assumption confirmed. So "
            "“the θ that maximises J∞” is 0 or 1 for every poll in which both lies happen. The paper’s figure must "
            "show something else: above are a climb from the observed share, and a search that leaves the ends out."
        )
    if peaks:
        return (
            f"What reconstruction maximises, at your setting. It is largest where {peaks[0]} voted A, whatever the "
            "answers: who assumes that guesses every vote accordingly."
        )
    return "What reconstruction maximises, at your setting. Without lies nothing is guessed, and its peak is the truth."
