"""The tab on the trade-off: accuracy and log loss against the noise, shipped, with the visitor's setting on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pages.kit import cache, numbers, own_data
from pages.kit.numbers import count_draws
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.training.answer import Answer
from pages.topics.training.controls import STUDIES
from pages.topics.training.pixel_noise import noise_of
from privdemo.datasets import name_of
from privdemo.experiments import training
from privdemo.experiments.training.study import Row, Study
from privdemo.figures import training as charts
from privdemo.intervals import Estimate
from privdemo.methods import FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING
from privdemo.verdict import Verdict, judge

shipped = cache.shared(training.study.load)


def panels(shown: Answer, chosen: str) -> list[Panel]:
    """The curves of the chosen study, and what they say."""
    study = training.study.STUDIES[STUDIES[chosen]]
    rows = shipped(study.name)
    curves = training.study.points(rows)
    level = own_level(study, shown)
    seen = level is not None and on_axis(study, level)
    yours = {name: marks(shown, name) for name in shown.methods if name in curves} if seen else {}
    other = "Of MNIST’s 7s and 9s, not of your records:<br>" if own_data.is_own(shown.question.config) else ""
    return [
        Panel(
            "trade-off",
            "What does the noise cost?",
            other + "<br>".join(findings(study, rows)),
            Chart(charts.trade_off(study, curves, yours, level or 0.0)),
            curve_words(study, curves),
            lambda: [vars(row) | TRAINING[row.method].columns for row in rows],
            Snippet(
                ("from privdemo.experiments import training",),
                (
                    f'rows = training.study.load("{study.name}")  '
                    f"# computed anew by: python -m privdemo reproduce {study.name}",
                    "for method, curve in training.study.points(rows).items():",
                    "    print(method, curve)",
                ),
            ),
            f"{study.title}. {own_words(study, shown, level)}",
        )
    ]


def marks(shown: Answer, name: str) -> tuple[Estimate, Estimate]:
    """The visitor's accuracy and log loss of one method."""
    return shown.score(name, "accuracy"), shown.score(name, "log_loss")


def own_level(study: Study, shown: Answer) -> float | None:
    """Where the visitor's setting stands on the axis of `study`; None where it is another kind of noise."""
    config = shown.question.config
    axes = noise_of(config.pixels).axes
    return axes[study.name](config) if study.name in axes else None


def on_axis(study: Study, level: float) -> bool:
    """Whether a level lies within the study's, or so near that the axis need not be stretched out of shape."""
    low, high = study.levels[0], study.levels[-1]
    margin = (high - low) / 2
    return low - margin <= level <= high + margin


def own_words(study: Study, shown: Answer, level: float | None) -> str:
    """How the visitor's own point differs from the experiment's."""
    if level is None:
        *_, fitting = noise_of(shown.question.config.pixels).axes
        title = next(title for title, name in STUDIES.items() if name == fitting)
        return f"Your own noise is of another kind, so it has no place on this axis; it has one under “{title}”."
    if not on_axis(study, level):
        return f"Your own setting, {level:.3g}, lies far outside this axis."
    own, theirs = shown.question.config, study.config(study.levels[0])
    other = []
    if (own.dataset, own.classes) != (theirs.dataset, theirs.classes):
        other.append(f"{' and '.join(own.classes)} of {name_of(own.dataset)}")
    if own.n_train != theirs.n_train:
        other.append(f"{own.n_train:,} people of each class")
    if study.name == "figure3" and (flip := float(own.labels.channel_matrix[0, 1])) != level:
        other.append(f"label flips of {flip:.3g}")
    if study.name == "section6.1" and own.labels != theirs.labels:
        other.append("other lies about the label")
    if study.name == "asymmetric":
        first, noise = float(own.labels.channel_matrix[1, 0]), own.pixels.flip_prob
        other += [f"{first:.3g} of the {own.classes[0]}s lying"] if first != theirs.labels.p10 else []
        other += [f"pixel flips of {noise:.3g}"] if noise != theirs.pixels.flip_prob else []
    point = f"The rule and the large markers are your setting ({count_draws(shown.trials)})"
    return f"{point}, which has {numbers.a_list(tuple(other))}." if other else f"{point}."


def findings(study: Study, rows: tuple[Row, ...]) -> list[str]:
    """What the shipped draws say of naive against spread, level by level."""
    accuracy = training.study.compare(rows, SPREAD, NAIVE, "accuracy")
    losses = training.study.compare(rows, SPREAD, NAIVE, "log_loss")
    at = {"figure3": "p =", "section6.1": "σ² =", "asymmetric": "a share of 9s that lie of"}[study.name]
    same = list(_where(accuracy, Verdict.NOT_CLEAR))
    ahead, behind = _above(accuracy), _below(accuracy)
    worse, better = _below(losses), _above(losses)
    unclear = list(_where(losses, Verdict.NOT_CLEAR))
    n_draws = len({row.draw for row in rows})
    collapsed = {name: training.study.collapsed(rows, name) for name in (RECONSTRUCTION, SPREAD, NAIVE)}
    sentences: dict[str, Sequence[float] | Mapping[float, Estimate]] = {
        f"At {at} {_levels(same)} naive training is as accurate as spread, as far as {n_draws} draws show.": same,
        f"Spread is more accurate at {at} {_gaps(ahead)}.": ahead,
        f"Naive is more accurate at {at} {_gaps(behind)}.": behind,
        f"Naive’s probabilities are worse at {at} {_levels(list(worse))}: its log loss is the higher one.": worse,
        f"Spread’s probabilities are worse at {at} {_levels(list(better))}: its log loss is the higher one.": better,
        f"No difference in log loss between the two shows at {at} {_levels(unclear)}.": unclear,
    }
    for name, levels in collapsed.items():
        title = TRAINING[name].title.capitalize()
        sentences[f"{title} ends up naming one class only in some draws at {at} {_levels(levels)}."] = levels
    methods = {row.method for row in rows}
    sentences |= _about_priors(at, rows) if FLAT in methods else {}
    sentences |= _about_the_em(at, rows) if PUBLISHED in methods else {}
    return [sentence for sentence, levels in sentences.items() if levels]


def _where(gaps: Mapping[float, Estimate], verdict: Verdict) -> dict[float, Estimate]:
    """The levels at which a difference is clearly above 0 (better), clearly below (worse), or not clear."""
    return {level: gap for level, gap in gaps.items() if judge(gap) is verdict}


def _above(gaps: Mapping[float, Estimate]) -> dict[float, Estimate]:
    return _where(gaps, Verdict.BETTER)


def _below(gaps: Mapping[float, Estimate]) -> dict[float, Estimate]:
    return _where(gaps, Verdict.WORSE)


def _about_priors(at: str, rows: tuple[Row, ...]) -> dict[str, list[float]]:
    """Where the learned pixel prior is better or worse than the flat one."""
    accuracy = _above(training.study.compare(rows, SPREAD, FLAT, "accuracy"))
    losses = _above(training.study.compare(rows, SPREAD, FLAT, "log_loss"))
    return {
        f"The learned prior is more accurate than the flat one at {at} {_levels(list(accuracy))}.": list(accuracy),
        f"The flat prior gives the better probabilities at {at} {_levels(list(losses))}.": list(losses),
    }


def _about_the_em(at: str, rows: tuple[Row, ...]) -> dict[str, list[float]]:
    """Where the published EM, stopped early and without a penalty, differs from quadrature with a chosen one."""
    accuracy = training.study.compare(rows, PUBLISHED, SPREAD, "accuracy")
    losses = training.study.compare(rows, PUBLISHED, SPREAD, "log_loss")
    return {
        f"The published EM is more accurate than quadrature at {at} {_gaps(_above(accuracy))}.": list(_above(accuracy)),
        f"Quadrature is more accurate than the published EM at {at} {_gaps(_below(accuracy))}.": list(_below(accuracy)),
        f"The published EM’s probabilities are worse than quadrature’s at {at} {_levels(list(_above(losses)))}.": list(
            _above(losses)
        ),
        f"The published EM’s probabilities are better at {at} {_levels(list(_below(losses)))}.": list(_below(losses)),
    }


def _levels(levels: list[float]) -> str:
    return numbers.a_list(tuple(f"{level:g}" for level in levels))


def _gaps(gaps: Mapping[float, Estimate]) -> str:
    return numbers.a_list(tuple(f"{level:g} (by {numbers.apart(gap.mean)})" for level, gap in gaps.items()))


def curve_words(study: Study, curves: Mapping[str, tuple[training.study.Point, ...]]) -> str:
    """Each method's curve in words, and the published numbers."""
    lines = "; ".join(
        f"{TRAINING[name].title} {', '.join(numbers.share(point.accuracy.mean) for point in curve)}"
        for name, curve in curves.items()
    )
    counts = f"{min(point.n_draws for curve in curves.values() for point in curve)} draws a point"
    stars = ", ".join(
        f"{TRAINING[name].title} {numbers.share(value)} at {level:g}"
        for name, values in study.published.items()
        for level, value in values.items()
    )
    published = (
        f"Stars: published accuracies ({stars})."
        if stars
        else "The paper draws its figure without printing its numbers."
        if study.in_paper
        else "The paper has no such figure."
    )
    return f"Accuracy at {_levels(list(study.levels))}: {lines}. Means and 95 % intervals over {counts}. {published}"
