"""The chapters on many polls and on guessing each vote; the other chapters have a module each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel, Table
from pages.topics.voting.answer import Answer, snippet
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig, LongRun, Record
from privdemo.figures import voting as charts
from privdemo.methods import HONEST, NAIVE, RAW_SPREAD, RECONSTRUCTION, SPREAD_MLE, VOTING

figure1_limits = cache.shared(voting.figure1, max_entries=64)

# --- many polls ----------------------------------------------------------------------------------


def many_polls(answer: Answer) -> list[Panel]:
    """Return the histograms of all polls, and a table of bias, deviation and coverage of every estimator."""
    config = answer.config
    left_out = _left_out(answer.records)
    plotted = [record for record in answer.records if record.name != left_out]
    polls = "one poll" if config.n_elections == 1 else f"{config.n_elections:,} polls"
    heads = [
        "in percentage points",
        "mean error in these polls",
        "in all possible polls",
        "standard deviation in these polls",
        "in all possible polls",
        "polls whose 95 % interval contains the truth",
    ]
    return [
        Panel(
            "polls",
            "What if the poll is repeated?",
            many_words(answer.records, config.n_elections),
            Chart(charts.repeated_polls(plotted, config.share)),
            f"Estimates of {polls}. Bars: simulated polls; line: exact distribution. Luck widens a histogram; "
            f"changes that are ignored move it.{_left_out_words(plotted)}",
            lambda: voting.record_table(answer.records),
            snippet(config).then(
                "records = voting.records(config, elections)",
                f'plotted = [record for record in records if record.name != "{left_out}"]',
                "charts.repeated_polls(plotted, config.share).show()",
                "for record in records:",
                "    bias = record.law.mean - config.share  # the exact one",
                "    print(record.name, record.bias, bias, record.law.deviation, record.covered)",
                imports=("from privdemo.figures import voting as charts",),
            ),
            facts=_many_facts(answer.records, config.n_elections),
            note=f"Filled: the {polls} held. Outline: what to expect in the long run. Height: share of the polls.",
            on_slide=Chart(charts.repeated_polls([one for one in plotted if one.name != HONEST], config.share)),
        ),
        Panel("records", figure=Table(heads, [_table_row(record, config.share) for record in answer.records], True)),
    ]


def _left_out(records: tuple[Record, ...]) -> str:
    """Return the name of the estimator that is not plotted: of both corrections, the unlimited one where they agree."""
    by_name = {record.name: record.values for record in records}
    raw, best = by_name.get(RAW_SPREAD), by_name.get(SPREAD_MLE)
    return RAW_SPREAD if raw is not None and best is not None and (raw == best).all() else SPREAD_MLE


def many_words(records: tuple[Record, ...], n: int) -> str:
    """Compare ignoring changed answers with correcting for them over `n` polls: bias, and how often intervals fit."""
    by_name = {record.name: record for record in records}
    naive, average = by_name[NAIVE], " on average" if n > 1 else ""
    again = "If changed answers are ignored, the estimate is off by"
    if n > 1 and 2 * naive.n_covered < n:
        again = "If changed answers are ignored, the same mistake comes back in poll after poll:"
    off = f"<b>{numbers.points(naive.bias.mean)}</b>{average}"
    start = f"{again} {off}, and the 95 % interval {contained_words(naive.n_covered, n)}"
    if RAW_SPREAD not in by_name:
        return f"{start}. No estimate can find the truth: these answers carry no information."
    best = by_name[RAW_SPREAD]
    off = f"<b>{numbers.points(best.bias.mean)}</b>"
    return f"{start}. Corrected for them, it is off by {off}, and its interval {contained_words(best.n_covered, n)}."


def _many_facts(records: tuple[Record, ...], n: int) -> dict[str, str]:
    """Return how far off the two estimates are over `n` polls, and how often their intervals fit, by name."""
    found = {"polls": f"{n:,}"}
    for name, estimator in (("ignored", NAIVE), ("corrected", RAW_SPREAD)):
        for record in records:
            if record.name == estimator:
                found[f"{name}_off"] = numbers.points(record.bias.mean)
                found[f"{name}_covered"] = f"{record.n_covered:,}"
    return found


def contained_words(n_covered: int, n: int) -> str:
    """Say in how many of `n` polls an interval contained the truth."""
    if n == 1:
        return "<b>contained</b> the truth" if n_covered else "<b>missed</b> the truth"
    only = "only " if 2 * n_covered < n else ""
    return f"contained the truth in {only}<b>{n_covered:,}</b> of {n:,} polls"


def _left_out_words(plotted: list[Record]) -> str:
    """Say how many estimates lie beyond the axis of the histograms."""
    n = voting.beyond(plotted)
    low, high = (numbers.share(end, 0) for end in voting.FAR)
    return f" Estimates beyond {low} or {high}, {n:,} in all, are left out." if n else ""


def _table_row(record: Record, truth: float) -> list[str]:
    """Return one estimator’s row of the table."""
    deviation, covered = record.law.deviation, record.covered
    return [
        VOTING[record.name].title,
        numbers.with_half(record.bias, numbers.difference_scale(deviation), signed=True),
        numbers.difference(record.law.mean - truth, deviation),
        numbers.difference(record.deviation, deviation, "") if len(record.values) > 1 else "–",
        numbers.difference(deviation, deviation, ""),
        f"{numbers.share(covered.mean)} ({numbers.interval(covered, numbers.unlimited_share_scale(covered))})",
    ]


# --- guessing each vote --------------------------------------------------------------------------


def guessing_each_vote(answer: Answer) -> list[Panel | tuple[Panel, ...]]:
    """Return the paper’s figure 1, and the objective of reconstruction for the visitor’s own settings."""
    config = answer.config
    limits_by_estimator = voting.limits_by_estimator(config)
    marked = {name: limit for name, limit in limits_by_estimator.items() if name != RAW_SPREAD}
    own_setting = (config.channel.p10, config.share) if config.channel.p10 == config.channel.p01 else None
    runs = figure1_limits(voting.FLIP_PROBS)
    theta, objective = voting.landscape(config)
    first = Panel(
        "figure1",
        figure=Chart(charts.figure1(runs, own_setting)),
        summary=figure1_words(own_setting is not None and own_setting[0] in voting.FLIP_PROBS),
        rows=lambda: voting.figure1_table(runs),
        snippet=snippet(config).then(
            f"charts.figure1(voting.figure1(), {own_setting!r}).show()",
            imports=("from privdemo.figures import voting as charts",),
        ),
        on_slide=Chart(charts.figure1(_three(runs, own_setting), own_setting)),
    )
    second = Panel(
        "objective",
        figure=Chart(charts.landscape(theta, objective, marked, config.share)),
        summary=landscape_words(config),
        rows=lambda: [{"theta": float(t), "objective": float(j)} for t, j in zip(theta, objective, strict=True)],
        snippet=snippet(config).then(
            "all_limits = voting.limits_by_estimator(config)",
            'marked = {name: limit for name, limit in all_limits.items() if name != "spread"}',
            "charts.landscape(*voting.landscape(config), marked, config.share).show()",
            imports=("from privdemo.figures import voting as charts",),
        ),
    )
    words = guess_words(limits_by_estimator, config.share)
    return [
        Panel(question="Why not guess each vote from its answer, and count the guesses?", answer=words),
        (first, second),
    ]


def _three(runs: Sequence[LongRun], own_setting: tuple[float, float] | None) -> list[LongRun]:
    """Return three long runs for a slide: without random answers, the visitor's own or a middle one, and the last."""
    own = [run for run in runs[1:-1] if own_setting and run.flip_prob == own_setting[0]] or [runs[len(runs) // 2]]
    return [runs[0], own[0], runs[-1]]


def guess_words(limits_by_estimator: dict[str, float], truth: float) -> str:
    """Say where each estimate ends with ever more voters; nan stands for one that luck decides."""
    end = limits_by_estimator[RECONSTRUCTION]
    first = "<b>0 %</b> or <b>100 %</b>, by luck" if math.isnan(end) else f"<b>{numbers.share(end)}</b>"
    start = "Counting guessed votes confirms what one assumed"
    if abs(end - truth) < 0.0005:
        start = "Here counting guessed votes works"
    corrected = limits_by_estimator.get(SPREAD_MLE)
    more = "" if corrected is None else f"; correcting for the changes ends at <b>{numbers.share(corrected)}</b>"
    return (
        f"{start}: however many people are asked, it ends at {first}{more}. The truth is <b>{numbers.share(truth)}</b>."
    )


def figure1_words(has_yours: bool) -> str:
    """Say what the paper’s figure 1 shows, and whether it contains the visitor’s own setting."""
    yours = "" if has_yours else " The other chart, of what guessing each vote maximises, is for your own setting."
    return (
        "Figure 1 of Barber’s paper, computed from its J∞: the share that each estimate reaches in the long run, "
        f"against the true share, for {len(voting.FLIP_PROBS)} chances p of a changed answer. Only correcting for "
        "the changes stays on the "
        "diagonal; at p = 0 the others do too; at p = 0.5 the answers say nothing, and nothing can be corrected."
        f"{yours}"
    )


def landscape_words(config: ElectionConfig) -> str:
    """Say where the objective of reconstruction is largest, and why."""
    assumptions = voting.self_confirming(config.channel)
    start = (
        "What guessing each vote maximises (J∞ in the paper, in nats, natural units of likelihood), at your setting."
    )
    if not assumptions:
        return f"{start} With such changes, or none, an answer leaves nothing to guess."
    whom = " (or ".join(assumptions) + ")" * (len(assumptions) - 1)
    why = f"who assumes that {whom} voted A guesses every vote accordingly, and finds the assumption confirmed"
    if len(assumptions) == 1:
        return f"{start} It is 0, the most it can be, where {whom} voted A, whatever the answers: {why}."
    return (
        f"{start} It is 0, the most it can be, at both ends: {why}. So “the θ that maximises J∞” is 0 and 1 for every "
        "poll in which both changes happen. The paper’s figure probably shows something else: it plots a climb from "
        "the "
        "observed share, and the best point of a grid that leaves the ends out."
    )
