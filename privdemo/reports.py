"""Text reports of the studies for the command line: one line for each setting, with the published values."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from privdemo.experiments import (
    class_ratio,
    comparison,
    label_counts,
    label_proportions,
    naive_steps,
    results,
    shipped_trials,
    training,
)
from privdemo.experiments.claims.claim import Claim
from privdemo.experiments.class_ratio import study as ratio_study
from privdemo.experiments.images import guess_study
from privdemo.experiments.label_proportions import HALF, SHARE
from privdemo.experiments.many_answers import study as answers_study
from privdemo.intervals import Estimate, mean_interval


def four_digits(value: float) -> str:
    """Return a number to four significant digits; counts from 1,000 on in full."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def trade_off_lines(study: training.study.Study, rows: list[training.study.Row]) -> list[str]:
    """Return accuracy and log loss of every method at every level of a study of training."""
    lines = [study.title, f"{study.axis}: accuracy, log loss (mean and 95 % interval), published accuracy"]
    for method, curve in training.study.points(tuple(rows)).items():
        for point in curve:
            published = study.published.get(method, {}).get(point.level)
            lines.append(
                f"{point.level:5g}  {method:14s}  {point.accuracy:.3f}  {point.log_loss:.3f}"
                + (f"  {published:.3f}" if published else "")
            )
    return lines


def step_lines(rows: list[naive_steps.Row]) -> list[str]:
    """Return accuracy and log loss of ignoring the noise without a penalty, at every level of figure 3."""
    means = naive_steps.means(rows)
    return [naive_steps.TITLE, *(f"{level:5g}  {right:.3f}  {loss:.3f}" for level, (right, loss) in means.items())]


def guess_lines(rows: list[guess_study.Row]) -> list[str]:
    """Return the squared error of a guessed pixel by what the adversary has learned, at every level."""
    lines = [guess_study.TITLE, "chance of change p, what is known of pixels, mean squared error (95 % interval)"]
    return lines + [f"{level:5g}  {prior:8s}  {error:.4f}" for (prior, level), error in guess_study.means(rows).items()]


def answer_lines(rows: list[answers_study.Row]) -> list[str]:
    """Return the error of every lie about many answers by how its reports are read, at every ε."""
    lines = [answers_study.TITLE, "ε, lie, reading, root mean square error × 10⁻⁴ (95 % interval)"]
    return lines + [
        f"{epsilon:5g}  {oracle:19s}  {reading:18s}  {error.times(1e4).written('{:.0f}'.format)}"
        for (oracle, epsilon, reading), error in answers_study.means(rows).items()
    ]


def bag_lines(marks: list[label_proportions.study.Mark]) -> list[str]:
    """Return F1 of every method in every place of the studies of bags."""
    lines = [label_proportions.study.TITLE, "average F1 on clean test records (mean and 95 % interval), published"]
    for row in label_proportions.study.rows(marks):
        noise = "".join(
            f"  {name} {epsilon:g}"
            for name, epsilon in (("ε features", row.feature_epsilon), ("ε proportions", row.proportion_epsilon))
            if math.isfinite(epsilon)
        )
        published = label_proportions.study.published(row) if row.threshold == HALF else None
        lines.append(
            f"{row.study:12s}  {row.dataset:13s}  {row.n_bags} × {row.bag_size}  {row.selection:11s}  "
            f"{row.aggregation} {row.k}{noise}  {row.method:11s}  threshold {row.threshold:5s}  "
            + f"{row.estimate:.3f}"
            + (f"  {published:.2f}" if published else "")
        )
    return lines


def ratio_lines(marks: list[ratio_study.Mark]) -> list[str]:
    """Return L1 errors of class ratios in every place, and how the paper compares them in its text."""
    lines = [ratio_study.TITLE, "mean L1 error over shares 0.1 to 0.9 of the first class (mean and 95 % interval)"]
    for row in ratio_study.rows(marks):
        if math.isnan(row.share):
            lines.append(
                f"{row.study:14s}  {row.dataset:13s}  {row.n_classes:2d} classes  {row.copies} × {row.set_size}  "
                f"ρ {row.rho:<5g}  {row.release:20s}  {row.method:8s}  {row.estimate:.3f}"
                + ("  (no formal guarantee)" if row.guarantee.startswith("none: noise") else "")
            )
    try:
        reductions = ratio_study.published_reductions(ratio_study.rows(marks))
    except (KeyError, ValueError):  # not all studies were made
        return lines
    lines.append("what the paper's text says of its figures 2 and 3: how much smaller an error is, published and ours")
    return lines + [f"{one.words}: {one.published:.0%}, {one.ours.mean:.0%}" for one in reductions]


def comparison_lines(marks: list[comparison.study.Mark]) -> list[str]:
    """Return every measure of every method of the comparison, and who must be trusted."""
    lines = [comparison.study.TITLE, "mean and 95 % interval on clean test records; who must be trusted"]
    return lines + [
        f"{row.task:8s}  {row.dataset:6s}  private {row.private:7s}  ε {row.epsilon:<5g}  {row.method:20s}  "
        f"{row.metric:8s}  {row.estimate:.3f}  {row.trust}"
        for row in comparison.study.rows(marks)
    ]


def count_lines(marks: list[label_counts.Mark]) -> list[str]:
    """Return the distortion of every mechanism at every setting of figure 1, and the setting that gives the published
    one.
    """
    lines = [label_counts.TITLE, "mean L1 distortion (mean and 95 % interval), published"]
    for row in label_counts.rows(marks):
        published = label_counts.published(row)
        lines.append(
            f"{row.axis:8s}  {row.level:<8g}  {row.release:20s}  {row.estimate:.3f}"
            + ("  (no formal guarantee)" if row.guarantee.startswith("none") else "")
            + (f"  {published:.2f}" if published else "")
        )
    s = label_counts.settle(label_counts.CountConfig())
    return [
        *lines,
        f"scaled Dirichlet at the paper's design: published {s.published:g}, by the published criterion "
        f"{s.by_criterion:.3f}, by the exact profile {s.by_exact:.3f} (means over {label_counts.SETTLING:,} releases, "
        f"those above over {label_counts.BATCH * results.N_TRIALS}); at σ = {s.sigma:.3f}, which gives the published "
        f"distortion, the criterion is {s.criterion:.3f} and the exact δ {s.exact:.3f}",
    ]


def trial_lines(trials: list[Any]) -> list[str]:
    """Return the first mark of every method in every question on which a page opens."""
    lines = [shipped_trials.TITLE, "mean and 95 % interval of accuracy, F1 or L1 error, whichever the page shows first"]
    for config in shipped_trials.questions():
        made = [one for one in trials if replace(one.config, trial=0) == config]
        if made:
            along = f", ε {config.epsilon:g}" if isinstance(config, comparison.ComparisonConfig) else ""
            lines.append(f"{type(config).__name__}, {config.dataset}{along}, {len(made)} draws")
        lines += [f"  {name:20s}  {_first_mark(made, name):.3f}" for name in (made[0].fits if made else ())]
    return lines


def _first_mark(trials: list[Any], method: str) -> Estimate:
    """Return the mark of a method that its page shows first."""
    if isinstance(trials[0], training.Trial):
        return training.mean_score(trials, method, "accuracy")
    if isinstance(trials[0], label_proportions.Trial):
        return label_proportions.mean_score(trials, method, "average", SHARE)
    if isinstance(trials[0], class_ratio.Trial):
        return class_ratio.mean_error(trials, method)
    return mean_interval([trial.fits[method].marks["accuracy"] for trial in trials], 0.0, 1.0)


def claim_lines(claim: Claim) -> list[str]:
    """Return a published value and ours, with the verdict and the reason."""
    reading = f", {claim.reading}" if claim.reading else ""
    published = "–" if claim.published is None else f"{four_digits(claim.published)}{reading}"
    ours = "–"
    if claim.ours:
        ours = four_digits(claim.ours.mean) if claim.ours.exact else claim.ours.written(four_digits)
    return [
        f"{claim.source}, {claim.place}: {claim.words}",
        f"  published {published}; ours {ours}",
        f"  {claim.verdict}: {claim.why}",
        f"  {claim.seeds}; {claim.command}",
    ]
