"""What can be looked at below the last poll: one pure function a tab; the larger ones in modules of their own."""

from __future__ import annotations

import math

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel, Table
from pages.topics.voting.answer import Answer, snippet
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig, Record
from privdemo.figures import voting as charts
from privdemo.methods import NAIVE, RAW_SPREAD, RECONSTRUCTION, SPREAD_MLE, VOTING

long_runs = cache.shared(voting.figure1, max_entries=64)

# --- again and again -----------------------------------------------------------------------------


def again_and_again(shown: Answer) -> list[Panel]:
    """Histograms of all polls, and a table: how far each estimator is off, how much it varies, how often it holds."""
    config = shown.config
    drawn = [record for record in shown.records if record.name != SPREAD_MLE]
    polls = "one poll" if config.n_elections == 1 else f"{config.n_elections:,} polls"
    heads = ["in points", "bias, held", "bias, exact", "s.d., held", "s.d., exact", "95 % interval holds the truth"]
    return [
        Panel(
            "polls",
            "The same poll, held again and again",
            again_words(shown.records, config.n_elections),
            Chart(charts.repeated_polls(drawn, config.share)),
            f"Estimates of {polls}: filled as held, lines the exact distribution. Luck widens a histogram; lies that "
            f"are not taken into account move it.{_left_out(drawn)}",
            lambda: voting.record_table(shown.records),
            snippet(config).then(
                "records = voting.records(config, elections)",
                'drawn = [record for record in records if record.name != "spread MLE"]',
                "charts.repeated_polls(drawn, config.share).show()",
                "for record in records:",
                "    bias = record.law.mean - config.share  # the exact one",
                "    print(record.name, record.bias, bias, record.law.deviation, record.covered)",
                imports=("from privdemo.figures import voting as charts",),
            ),
        ),
        Panel("records", figure=Table(heads, [_row(record, config.share) for record in shown.records])),
    ]


def again_words(records: tuple[Record, ...], n: int) -> str:
    """How far the naive and the raw spread estimate are off in `n` polls, and how often their intervals hold."""
    by_name = {record.name: record for record in records}
    naive, average = by_name[NAIVE], " on average" if n > 1 else ""
    start = (
        f"In <b>{n:,}</b> poll{'s' if n > 1 else ''} the naive reading is off by "
        f"<b>{numbers.points(naive.bias.mean)}</b>{average}, and its 95 % interval {held_words(naive.n_held, n)}"
    )
    if RAW_SPREAD not in by_name:
        return f"{start}. No reading can find the truth: these answers carry no information."
    best = by_name[RAW_SPREAD]
    off = f"<b>{numbers.points(best.bias.mean)}</b>{average}"
    return f"{start}; the raw spread estimate is off by {off}, and its interval {held_words(best.n_held, n)}."


def held_words(n_held: int, n: int) -> str:
    """How many of `n` intervals held the truth."""
    if n == 1:
        return "<b>held</b> the truth" if n_held else "<b>missed</b> the truth"
    return f"held the truth <b>{n_held:,} of {n:,}</b> times"


def _left_out(drawn: list[Record]) -> str:
    """How many estimates are too far off to be drawn."""
    n = voting.beyond(drawn)
    low, high = (numbers.share(end, 0) for end in voting.FAR)
    return f" Estimates beyond {low} or {high}, {n:,} in all, are left out." if n else ""


def _row(record: Record, truth: float) -> list[str]:
    """One estimator's line of the table."""
    deviation, covered = record.law.deviation, record.covered
    return [
        VOTING[record.name].title,
        numbers.difference_with_half(record.bias, deviation),
        numbers.difference(record.law.mean - truth, deviation),
        numbers.difference(record.deviation, deviation, "") if len(record.values) > 1 else "–",
        numbers.difference(deviation, deviation, ""),
        numbers.with_ends(covered),
    ]


# --- guessing back -------------------------------------------------------------------------------


def guessing_back(shown: Answer) -> list[Panel]:
    """The paper's figure 1, and the objective of reconstruction at the visitor's own setting."""
    config = shown.config
    ends = voting.in_the_long_run(config)
    marked = {name: end for name, end in ends.items() if name != RAW_SPREAD}
    here = (config.channel.p10, config.share) if config.channel.p10 == config.channel.p01 else None
    runs = long_runs(voting.FLIP_PROBS)
    theta, objective = voting.landscape(config)
    return [
        Panel(
            "figure1",
            "Why not guess each vote back?",
            guess_words(ends, config.share),
            Chart(charts.figure1(runs, here)),
            figure1_words(here is not None and here[0] in voting.FLIP_PROBS),
            lambda: voting.figure1_table(runs),
            snippet(config).then(
                f"charts.figure1(voting.figure1(), {here!r}).show()",
                imports=("from privdemo.figures import voting as charts",),
            ),
        ),
        Panel(
            "objective",
            figure=Chart(charts.landscape(theta, objective, marked, config.share)),
            summary=landscape_words(config),
            rows=lambda: [{"theta": float(t), "objective": float(j)} for t, j in zip(theta, objective, strict=True)],
            snippet=snippet(config).then(
                'ends = {name: end for name, end in voting.in_the_long_run(config).items() if name != "spread"}',
                "charts.landscape(*voting.landscape(config), ends, config.share).show()",
                imports=("from privdemo.figures import voting as charts",),
            ),
        ),
    ]


def guess_words(ends: dict[str, float], truth: float) -> str:
    """Where each estimator ends with ever more voters; nan is a reconstruction that luck decides."""
    luck = math.isnan(ends[RECONSTRUCTION])
    first = "by luck at <b>0 %</b> or at <b>100 %</b>" if luck else f"at <b>{numbers.share(ends[RECONSTRUCTION])}</b>"
    others = [
        f"{name} at <b>{numbers.share(ends[key])}</b>"
        for name, key in (("the naive reading", NAIVE), ("the spread estimate", SPREAD_MLE))
        if key in ends
    ]
    return (
        "Reconstruction assumes a share, guesses every vote from it and the answer, and settles for the share under "
        "which its own guesses look likeliest. With ever more people of your country it ends "
        f"{numbers.a_list((first, *others))}; the truth is <b>{numbers.share(truth)}</b>."
    )


def figure1_words(has_yours: bool) -> str:
    """What the paper's figure 1 shows, and whether the visitor's own lie is in it."""
    yours = "" if has_yours else " The next figure is drawn for your own lies."
    return (
        "Figure 1 of Barber’s paper, computed from J∞: the share that each method finds in the long run against the "
        f"true share, for {len(voting.FLIP_PROBS)} lies p. Only the spread likelihood stays on the diagonal; at p = 0 "
        f"the others do too; at p = 0.5 the answers say nothing, and spread has no estimate.{yours}"
    )


def landscape_words(config: ElectionConfig) -> str:
    """Where the objective of reconstruction is largest, and why."""
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
