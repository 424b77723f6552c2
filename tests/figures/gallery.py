"""Every chart of the package, made of small real inputs, by name."""

from collections.abc import Callable, Iterator
from functools import cache, wraps

import pytest

from privdemo import accounting, attacks, deployments, figures
from privdemo.estimators import survey
from privdemo.experiments import (
    claims,
    class_ratio,
    comparison,
    label_counts,
    many_answers,
    naive_training,
    poll,
    voting,
)
from privdemo.experiments.class_ratio import study as ratio_study
from privdemo.experiments.label_counts import CountConfig
from privdemo.experiments.label_proportions import HALF
from privdemo.experiments.label_proportions import study as bag_study
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.training import study as training_study
from privdemo.experiments.trials import with_trial
from privdemo.figures import answer_map
from privdemo.figures import claims as claim_charts
from privdemo.figures import class_ratio as ratio_charts
from privdemo.figures import comparison as comparison_charts
from privdemo.figures import deployments as deployment_charts
from privdemo.figures import label_counts as count_charts
from privdemo.figures import label_proportions as bag_charts
from privdemo.figures import many_answers as answer_charts
from privdemo.figures import poll as poll_charts
from privdemo.figures import training as training_charts
from privdemo.figures import voting as voting_charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.mechanisms.pixels import FAMILIES
from privdemo.methods import (
    CLASS_RATIO,
    CLEAN,
    COMPARISON,
    EM,
    FULL,
    LABEL_PROPORTIONS,
    LLP,
    MMD,
    NAMES,
    RECONSTRUCTION,
    SPREAD,
)
from privdemo.tasks import BINARY
from tests.figures import test_charts, test_label_proportions, test_training

Made = Iterator[tuple[str, figures.Figure]]
_MINE = Estimate(0.8, 0.75, 0.84)


def _voting() -> Made:
    config = voting.ElectionConfig(n_elections=50)
    elections = voting.run(config)
    yield "voting.estimates", voting_charts.estimates(voting.poll(config, elections).estimates, config.share)
    yield "voting.repeated_polls", voting_charts.repeated_polls(voting.records(config, elections), config.share)
    yield "voting.figure1", voting_charts.figure1(voting.figure1(), (0.2, 0.35))
    limits = voting.limits_by_estimator(config)
    yield "voting.landscape", voting_charts.landscape(*voting.landscape(config), limits, config.share)
    many = voting.ManyConfig()
    yield "voting.candidates", voting_charts.candidates(many.shares, voting.run_many(many))
    plan = accounting.randomised_response_epsilon(0.2)
    curve = survey.curve(0.02, 0.5, through=plan)
    yield "voting.price", voting_charts.price(curve, 2398, (plan, 7000.0), 0.02)
    guesses = [attacks.repeated_answers(config.channel, 0.5, m) for m in range(1, 51)]
    yield "voting.asking_again", voting_charts.asking_again(guesses, 7)
    yield "voting.answers", voting_charts.answers(guesses[6])
    same, yours = (naive_training.run(inputs) for inputs in (NaiveConfig().isotropic, NaiveConfig()))
    yield "voting.naive_training", voting_charts.naive_training(same, yours)


def _poll() -> Made:
    found = poll.reveal(poll.PollConfig(("Yes", "No", "Neither"), 0.3), (30, 40, 10))
    yield "poll.said", poll_charts.said(found)
    yield "poll.naive", poll_charts.naive(found)
    yield "poll.corrected", poll_charts.corrected(found)
    yield "poll.corrected beside the truth", poll_charts.corrected(found, (0.5, 0.3, 0.2))
    yield "poll.again", poll_charts.again(poll.asked_again(found), 2)
    yield "poll.price", poll_charts.price(poll.price(found))


def _training() -> Made:
    for n in (1, 3):
        for metric in training_charts.SCORE_TITLES:
            made = training_charts.scores(test_training.TRIALS[:n], test_training.NAMES, metric)
            yield f"training.scores {n} {metric}", made
    yield "training.calibration", training_charts.calibration(test_training.TRIALS, test_training.NAMES)
    for study in training_study.STUDIES.values():
        curves = training_study.points(training_study.load(study.name))
        for metric in ("accuracy", "log_loss"):
            made = training_charts.trade_off(study, curves, dict.fromkeys(curves, _MINE), 0.17, metric)
            yield f"training.trade_off {study.name} {metric}", made
    yield "training.attack", training_charts.attack(test_charts.rates("label", "image", "both"), 0.8)


def _bags() -> Made:
    trials, methods = test_label_proportions.TRIALS, test_label_proportions.METHODS
    yield "label_proportions.scores", bag_charts.scores(trials, methods, HALF)
    yield "label_proportions.accuracies", bag_charts.accuracies(trials, methods, HALF, BINARY["adult"])
    blocks, shares = [[4, 16], [10], [3] * 4, [7]], ((0.25, 0.7, 0.0, 1.0), (0.31, -0.1, -0.3, 1.4))
    trial = test_label_proportions.made(blocks, *shares)
    yield "label_proportions.columns", bag_charts.columns(trial, "are malignant")
    levels, rows = bag_study.EPSILONS, bag_study.select(bag_study.load(), bag_study.PROPORTION_NOISE, "mnist", HALF)
    lines = [
        (name, LABEL_PROPORTIONS[name].title, LABEL_PROPORTIONS[name].style, along, lambda row: row.proportion_epsilon)
        for name in (FULL, NAMES, LLP)
        if (along := [row for row in rows if row.method == name])
    ]
    figure = bag_charts.curves(lines, "ε of every label", levels, {LLP: _MINE}, 1.5, [(1.0, "most within")])
    yield "label_proportions.curves", figure
    by_k = bag_study.select(bag_study.load(), bag_study.BY_K, "mnist", HALF)
    kinds = sorted({row.aggregation for row in by_k if row.k > 1})
    along_k = {kind: [r for r in by_k if r.method == LLP and (r.aggregation == kind or r.k == 1)] for kind in kinds}
    ks = sorted({float(row.k) for row in by_k})
    yield "label_proportions.losses", bag_charts.losses(along_k, ks, (8, 0.4))
    filled = bag_study.select(bag_study.load(), bag_study.SELECTING, "adult", HALF)
    yield "label_proportions.selections", bag_charts.selections(filled, (NAMES, LLP))
    rates = test_charts.rates("bag", "prior", "model", "both")
    yield "label_proportions.attack", bag_charts.attack(rates)


def _sets() -> Made:
    trials = [class_ratio.run(with_trial(test_charts.CONFIG, i)) for i in range(2)]
    methods = (SPREAD, MMD, EM)
    for n in (1, 2):
        yield f"class_ratio.proportions {n}", ratio_charts.proportions(trials[:n], methods)
        yield f"class_ratio.errors {n}", ratio_charts.errors(trials[:n], methods)
    single = ratio_study.select(ratio_study.load(), ratio_study.BINARY, overall=False)
    single = [row for row in single if row.dataset == single[0].dataset]
    by_method = {name: rows for name in CLASS_RATIO if (rows := [r for r in single if r.method == name])}
    yield "class_ratio.study_errors", ratio_charts.study_errors(by_method)
    skew = ratio_study.select(ratio_study.load(), ratio_study.SKEW)
    points = {
        (method, release): [(row.rho, row.estimate) for row in skew if (row.method, row.release) == (method, release)]
        for method in (SPREAD, MMD)
        for release in (class_ratio.NO_RELEASE, ratio_study.WITH_NOISE)
    }
    yield (
        "class_ratio.errors_along_setting",
        ratio_charts.errors_along_setting(points, "ρ, share of each rarer class", 0.1),
    )
    yield "class_ratio.attack", ratio_charts.attack(test_charts.rates("model", "set", "both", "new"))


def _counts() -> Made:
    for axis in label_counts.AXES:
        found = label_counts.along(CountConfig(repeats=20), axis, 5, 1000, 0.05)
        marks = {x: {name: o.distortion for name, o in here.items() if o.mechanism} for x, here in found.items()}
        yield f"label_counts.along {axis}", count_charts.along(axis, marks, next(iter(marks)))
    config = CountConfig((50, 70, 200))
    outcomes = label_counts.run(config)
    yield "label_counts.beside", count_charts.beside(config.counts, outcomes["laplace tight"], [0, 1, 2])
    named = {name: o.mechanism for name, o in outcomes.items() if o.mechanism}
    chosen = {name: named[name] for name in ("laplace tight", "gaussian tight")}
    yield "label_counts.profiles", count_charts.profiles(chosen, "laplace tight", config.epsilon, config.delta)
    yield "label_counts.attack", count_charts.attack(label_counts.guess_rates(outcomes), 0.8)


def _answers() -> Made:
    config = many_answers.AnswersConfig(k=20, people=500)
    release, fit = many_answers.run(config), many_answers.fit(config)
    yield "many_answers.shares", answer_charts.shares(release)
    yield "many_answers.estimates", answer_charts.estimates(fit, release.truth.names, release.truth.shares)
    yield "many_answers.estimators", answer_charts.estimators(many_answers.mean_errors([fit]))
    fits = [many_answers.fit(one) for one in many_answers.read_along(config, "answers")]
    along = many_answers.errors_along(fits, "answers")
    yield "many_answers.read_along", answer_charts.read_along("answers", along, 20)
    for axis in many_answers.AXES:
        errors = many_answers.along(axis, 20, 1.0, 500)
        yield f"many_answers.along {axis}", answer_charts.along(axis, errors, list(ORACLES)[:3], min(errors), 0.02)
    yield "answer_map.winners", answer_map.winners(many_answers.winners(list(ORACLES)[:2]), (1.0, 20))
    bits = {name: many_answers.mechanism(name, 20, 1.0).bits for name in ORACLES}
    yield "many_answers.bits", answer_charts.bits(many_answers.errors(20, 1.0, 500), bits)
    yield "many_answers.one_report", answer_charts.one_report(many_answers.one_report(config, 19), [0, 1, 19])
    for epsilon in (0.05, 1.0, 10.0):
        yield f"deployments.by_unit {epsilon:g}", deployment_charts.by_unit(deployments.by_unit(), epsilon)
    yield "many_answers.trusted", answer_charts.trusted([many_answers.trusted(20, 500, e, 1e-6) for e in (1.0, 2.0)], 1)


def _comparison() -> Made:
    config = comparison.ComparisonConfig(dataset="digits", n_train=120)
    for metric in ("log_loss", "brier", "accuracy"):
        rows = comparison.study.select(comparison.study.load(), config, metric)
        mine = {row.method: row.estimate for row in rows if row.epsilon == 1.0}
        yield f"comparison.frontier {metric}", comparison_charts.frontier(rows, metric, mine, 1.0, 0.2)
    few = [row for row in rows if row.method in (CLEAN, RECONSTRUCTION, LLP)]
    yield "comparison.frontier few", comparison_charts.frontier(few, metric, {}, 1.0, None)
    known = next(row.estimate for row in few if row.method == CLEAN)
    reached = next(row.estimate for row in few if row.method == LLP)
    ways = [comparison_charts.Way(("a group leader is trusted", "tells totals"), COMPARISON[LLP], reached)]
    yield "comparison.by_trust", comparison_charts.by_trust(ways, known, "accuracy", "{:.1%}".format)
    names = {CLEAN: "all true", RECONSTRUCTION: "nobody", LLP: "group leader"}
    yield (
        "comparison.frontier named",
        comparison_charts.frontier(few, metric, {}, 1.0, None, names=names),
    )
    matrices = comparison.example_channels(config)
    yield "comparison.channels", comparison_charts.channels(matrices, ("3", "8"), {"lies": ["“3”", "“8”"]})


def _others() -> Made:
    point = test_charts.point(0.3125, 0.2)
    family = FAMILIES["randomised_response"]
    yield "images.damage", figures.pixel_error_figure(test_charts.POINTS, point, family)
    yield "images.linkage", figures.reidentification_figure(test_charts.POINTS, point, family)
    errors = {one.level: {"flat": one.squared, "low_rank": one.absolute} for one in test_charts.POINTS}
    titles = {"flat": "pixels alike", "low_rank": "strokes"}
    yield "images.guessing", figures.reconstruction_figure(errors, titles, point, family)
    found = [claim for claim in claims.all_claims() if claim.published is not None and claim.ours and claim.unit]
    yield "claims.beside", claim_charts.beside(found, range(1, len(found) + 1))


MAKERS = {
    maker.__name__[1:]: maker
    for maker in (_voting, _poll, _training, _bags, _sets, _counts, _answers, _comparison, _others)
}


@cache
def gallery(kind: str) -> dict[str, figures.Figure]:
    """The charts of one of `MAKERS` by the function that makes each, and what tells two of one function apart."""
    return dict(MAKERS[kind]())


def of_every_chart(check: Callable[[figures.Figure], None]) -> Callable[[str], None]:
    """A test of every chart, run for one of `MAKERS` at a time; what fails says of which chart."""

    @pytest.mark.parametrize("kind", MAKERS)
    @wraps(check)
    def test(kind: str) -> None:
        for name, figure in gallery(kind).items():
            try:
                check(figure)
            except AssertionError as error:
                error.add_note(f"Chart: {name}")
                raise

    del test.__wrapped__  # pytest would ask for its arguments
    return test
