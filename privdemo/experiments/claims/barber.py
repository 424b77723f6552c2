"""Barber, *Private machine learning via randomised response*."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from privdemo import attacks
from privdemo.estimators import votes
from privdemo.experiments import naive_steps, naive_training, training, voting
from privdemo.experiments.claims.claim import (
    CAVEAT,
    FAILS,
    FORMULA,
    HOLDS,
    OF_100,
    PERCENT,
    POINTS,
    UNCLEAR,
    ClaimRow,
    Finding,
    ResultsFile,
    exactly,
    first_trials,
    listed,
    not_checkable,
)
from privdemo.experiments.claims.judge import (
    PENALTY_UNKNOWN,
    SAME,
    SAME_COST,
    judge_fact,
    judge_levels,
    judge_little,
    judge_number,
    judge_value,
)
from privdemo.experiments.training.study import Row
from privdemo.intervals import Estimate, mean_interval, with_test_sampling_error
from privdemo.mechanisms import BinaryChannel
from privdemo.methods import CLEAN, FLAT, NAIVE, PUBLISHED, SPREAD, TRUE
from privdemo.verdict import clearly_above

Rows = tuple[Row, ...]
FIGURE_3 = ResultsFile("figure3", partial(training.study.load, "figure3"))
SECTION_61 = ResultsFile("section6.1", partial(training.study.load, "section6.1"))
STEPS = ResultsFile(naive_steps.NAME, naive_steps.load)
CLEAN_STEPS = ResultsFile(naive_steps.CLEAN_STUDY.name, naive_steps.CLEAN_STUDY.load)
# Images of 7 and 9 for testing in MNIST, of which every trial takes most.
TEST_IMAGES = 1028 + 1009
_ACCURACIES = training.study.STUDIES["section6.1"].published
_SHARE = 0.4
_SHARES, _LIES = np.arange(1, 10) / 10, np.arange(1, 5) / 10


def misprinted_sign(channel: BinaryChannel) -> Finding:
    """Compare the printed formula for the true share with the right one, for lies of `channel`."""
    poll = voting.ElectionConfig(share=_SHARE, channel=channel)
    printed, ours = voting.limit_as_printed(poll), float(votes.corrected(poll.answer_prob, channel))
    return Finding(
        exactly(ours),
        judge_value(printed, poll.share),
        "one sign is misprinted: with a minus in the numerator it gives the truth",
        published=printed,
        values={"printed": 100 * printed},
    )


def majority() -> Finding:
    """Compare how often the printed rule and a majority find a yes in three answers with lies of 0.2."""
    chances = attacks.repeated_answers(BinaryChannel(0.2, 0.2), 0.5, 3).chances[1]
    printed, ours = float(chances[3:].sum()), float(chances[2:].sum())
    return Finding(
        exactly(ours),
        judge_value(printed, ours),
        "“> 2” needs all three answers; a majority is “> 1”",
        published=printed,
    )


def reconstruction_misses() -> Finding:
    """Compute where guessing each answer back ends, for lies from 0.1 to 0.4 and shares from 0.1 to 0.9."""
    missed = {lie: np.abs(voting.long_run(lie, _SHARES).reconstruction - _SHARES) > SAME for lie in _LIES}
    misses = [lie for lie, miss in missed.items() if miss.any()]
    hit = sorted({float(share) for miss in missed.values() for share in _SHARES[~miss]})
    always = voting.self_confirming(BinaryChannel(0.1, 0.1))
    return Finding(
        exactly(float(np.mean(list(missed.values())))),
        judge_fact(len(misses) == len(_LIES), caveat=bool(hit or always)),
        f"it misses with lies of {listed(misses)}, but finds a share of {listed(hit)} with some of them. What it "
        f"maximises is largest at {' and '.join(f'“{who}”' for who in always)} whatever the answers, so any figure can "
        "only show a local maximum",
    )


def accuracy(published: float, rows: Rows, method: str, level: float) -> Finding:
    """Compare a published accuracy with ours, whose interval holds the luck of the test images too."""
    point = next(point for point in training.study.points(rows)[method] if point.level == level)
    ours = with_test_sampling_error(point.accuracy, TEST_IMAGES)
    verdict, why = judge_number(published, ours, unknown=PENALTY_UNKNOWN)
    return Finding(
        ours,
        verdict,
        f"{why}. Trials share most of their images: their interval, ± {100 * point.accuracy.half:.1f} points, is "
        "widened here by the luck of the test images, but not by that of the training images",
        first_trials(point.n_trials),
    )


def accuracy_by_steps(published: float, by_steps: Sequence[naive_steps.Row]) -> Finding:
    """Compare the published accuracy on clean data with ours by the paper's own gradient steps."""
    ours = with_test_sampling_error(mean_interval([row.accuracy for row in by_steps]), TEST_IMAGES)
    verdict, why = judge_number(published, ours)
    return Finding(ours, verdict, why, first_trials(len(by_steps)))


def small_loss(published: float, rows: Rows) -> Finding:
    """Compare the published cost of noise with ours."""
    level = 0.1
    points = training.study.points(rows)
    clean, noisy = (next(p for p in points[method] if p.level == level) for method in (CLEAN, FLAT))
    loss = training.study.compare(rows, CLEAN, FLAT, "accuracy")[level]
    verdict, why = judge_number(published, loss, SAME_COST, unknown=PENALTY_UNKNOWN)
    return Finding(
        loss,
        verdict,
        f"from {clean.accuracy.mean:.3f} to {noisy.accuracy.mean:.3f}: {why}",
        first_trials(noisy.n_trials),
    )


def published_beats_naive(rows: Rows, by_steps: Sequence[naive_steps.Row]) -> Finding:
    """Compare the published EM with ignoring the noise by as many steps, both without a penalty."""
    noisy = _at_more_noise(naive_steps.leads(rows, PUBLISHED, by_steps))
    gained = naive_steps.leads(rows, NAIVE, by_steps)
    most = max(noisy, key=lambda level: noisy[level].mean)
    verdict, clear = judge_levels(noisy)
    return Finding(
        noisy[most],
        verdict,
        f"the published EM against {naive_steps.N_STEPS} steps at rate {naive_steps.RATE:g}, as in section 6.1: "
        f"clearly ahead at {listed(clear)} of p = {listed(noisy)}. A penalty alone gives whoever ignores the noise "
        f"{100 * gained[most].mean:.1f} of these {100 * noisy[most].mean:.1f} points",
        _seeds(rows),
        values={"most": most},
    )


def _at_more_noise(gaps: dict[float, Estimate]) -> dict[float, Estimate]:
    """Return the differences at all levels but the least, where the paper claims none."""
    return dict(sorted(gaps.items())[1:])


def spread_beats_naive(rows: Rows) -> Finding:
    """Compare correcting for the noise with ignoring it, with penalties alike."""
    noisy = _at_more_noise(training.study.compare(rows, SPREAD, NAIVE, "accuracy"))
    losses = training.study.compare(rows, NAIVE, SPREAD, "log_loss")
    surer = [level for level, gap in losses.items() if clearly_above(gap)]
    most = max(noisy, key=lambda level: noisy[level].mean)
    verdict, clear = judge_levels(noisy)
    return Finding(
        noisy[most],
        verdict,
        f"with pixels learned one by one and penalties chosen alike, accuracy differs clearly at {listed(clear)} "
        f"of p = {listed(noisy)}. What correcting does give is better probabilities: its log loss is clearly lower at "
        f"p = {listed(surer)}",
        _seeds(rows),
        values={"most": most},
    )


def true_prior(rows: Rows) -> Finding:
    """Compare pixels known with pixels learned one by one."""
    gaps = training.study.compare(rows, TRUE, SPREAD, "accuracy")
    most = max(gaps, key=lambda level: gaps[level].mean)
    verdict, clear = judge_levels(gaps)
    return Finding(
        gaps[most],
        verdict,
        f"of p = {listed(gaps)}, clearly ahead at {listed(clear)}",
        _seeds(rows),
        values={"most": most},
    )


_LITTLE = {FAILS: "clearly over", UNCLEAR: "our intervals reach beyond"}
_LITTLE |= dict.fromkeys((HOLDS, CAVEAT), "all intervals are within")


def flat_prior(rows: Rows) -> Finding:
    """Compare pixels alike with pixels learned one by one.

    “Little difference” is one of 2 points at most: as much as section 6.1 calls modest.
    """
    gaps = training.study.compare(rows, FLAT, SPREAD, "accuracy")
    most = max(gaps, key=lambda level: abs(gaps[level].mean))
    verdict, clear = judge_little(gaps, 2 * SAME)
    return Finding(
        gaps[most],
        verdict,
        f"{_LITTLE[verdict]} {200 * SAME:g} points; of p = {listed(gaps)} they clearly differ at {listed(clear)}",
        _seeds(rows),
        values={"most": most},
    )


def _seeds(rows: Rows) -> str:
    return first_trials(training.study.points(rows)[SPREAD][0].n_trials)


def direction(published: float) -> Finding:
    """Compute how far ignoring the lies turns the weights, for inputs alike in all directions and for others."""
    ratio = 3.0
    alike = naive_training.run(naive_training.NaiveConfig())
    bent = naive_training.run(naive_training.NaiveConfig(ratio=ratio))
    turned, off = (min(map(abs, result.best)) for result in (alike, bent))
    return Finding(
        exactly(turned),
        judge_value(published, turned, 0.1),
        f"as the paper says, not for other inputs: if they vary {ratio:g} times as much one way as the "
        f"other, it is {off:.1f}° off at that length, but {abs(bent.free_alpha):.1f}° off if the length is free "
        "(Gaussian inputs)",
    )


def curvature() -> Finding:
    """Compare eq. (107) with the derivative of the equation before it, which a difference of eq. (104) checks."""
    config, step = naive_training.NaiveConfig(), 0.1
    printed, ours = naive_training.curvature_as_printed(config), -naive_training.run(config).curvature
    left, middle, right = -naive_training.naive_loss([-step, 0.0, step], config.covariance, config.contrast)
    measured = float((left - 2 * middle + right) / np.radians(step) ** 2)
    return Finding(
        exactly(ours),
        judge_value(printed, measured, 1e-4),
        "its last term should not be there: φ(z₂) of equation 106 was left out. The value is still below 0, so "
        "the conclusion stands",
        published=printed,
        values={"s": config.s},
    )


CLAIMS = (
    ClaimRow(
        "equation 2",
        f"the true share is (f̃ + p)/(1 − 2p): its result for a share of {_SHARE:g} when 20 % of answers are changed",
        partial(misprinted_sign, BinaryChannel(0.2, 0.2)),
        unit=PERCENT,
        reading=FORMULA,
        surprise="By a paper’s formula, {printed:.0f} of 100 people say yes, which is impossible.",
        what=f"In a poll, {100 * _SHARE:g} of 100 people would truly say yes. To protect them, about 20 answers are "
        f"switched at random. The paper’s formula corrects for that, and should find the {100 * _SHARE:g} again:",
        consequence="The formula has a plus where a minus belongs.",
        card_unit=OF_100,
    ),
    ClaimRow(
        "equation 24",
        f"the true share is (f̃ + P₁₀)/(1 − P₁₀ − P₀₁): its result for a share of {_SHARE:g} when "
        "10 % of one answer and 20 % of the other are changed",
        partial(misprinted_sign, BinaryChannel(0.1, 0.2)),
        unit=PERCENT,
        reading=FORMULA,
    ),
    ClaimRow(
        "on several answers",
        "the majority of three answers is yes if c₁ + c₂ + c₃ > 2: how often this rule finds a true yes when "
        "20 % of answers are changed",
        majority,
        unit=PERCENT,
        reading=FORMULA,
    ),
    ClaimRow(
        "figure 1",
        "guessing the true answers first, one by one, never finds the true share: in what fraction of the settings "
        f"plotted (shares {_SHARES[0]:g} to {_SHARES[-1]:g}, {100 * _LIES[0]:g} to {100 * _LIES[-1]:g} % of answers "
        "changed) it is off by more than a point",
        reconstruction_misses,
        unit=PERCENT,
    ),
    ClaimRow(
        "figures 2 and 4",
        "a 7 and a 9 with 10 to 40 % of pixels flipped, and with Gaussian noise of variance 0.1 and 0.5",
        partial(not_checkable, "pictures without numbers; the page “Noise on images” shows them with the same noise"),
    ),
    ClaimRow(
        "section 6.1",
        "clean data, 4,500 + 4,500 images: accuracy with a penalty that is chosen by cross-validation",
        partial(accuracy, method=CLEAN, level=0.1),
        (SECTION_61,),
        published=_ACCURACIES[CLEAN][0.1],
        unit=PERCENT,
    ),
    ClaimRow(
        "section 6.1",
        f"clean data, 4,500 + 4,500 images: accuracy by the paper’s own {naive_steps.N_STEPS} gradient steps at rate "
        f"{naive_steps.RATE:g}",
        accuracy_by_steps,
        (CLEAN_STEPS,),
        published=_ACCURACIES[CLEAN][0.1],
        unit=PERCENT,
    ),
    ClaimRow(
        "section 6.1",
        "correct for the noise, one share for all pixels, 20 % of labels changed, pixel noise of variance "
        "0.1: accuracy",
        partial(accuracy, method=FLAT, level=0.1),
        (SECTION_61,),
        published=_ACCURACIES[FLAT][0.1],
        unit=PERCENT,
    ),
    ClaimRow(
        "section 6.1",
        "correct for the noise, one share for all pixels, 20 % of labels changed, pixel noise of variance "
        "0.5: accuracy",
        partial(accuracy, method=FLAT, level=0.5),
        (SECTION_61,),
        published=_ACCURACIES[FLAT][0.5],
        unit=PERCENT,
    ),
    ClaimRow(
        "section 6.1",
        "changing 20 % of labels and pixel noise of variance 0.1 cost around 1 % of accuracy",
        small_loss,
        (SECTION_61,),
        published=0.01,
        unit=POINTS,
    ),
    ClaimRow(
        "figure 3",
        "correcting for the noise is more accurate than ignoring it, except at little noise (as published, no "
        "penalty on large weights in either model): largest lead, at p = {most:g}",
        published_beats_naive,
        (FIGURE_3, STEPS),
        unit=POINTS,
    ),
    ClaimRow(
        "figure 3",
        "correcting for the noise is more accurate than ignoring it, except at little noise (the same "
        "penalties on large weights in both models): largest lead, at p = {most:g}",
        spread_beats_naive,
        (FIGURE_3,),
        unit=POINTS,
        surprise="Telling a computer how often data were changed may hardly help it.",
        what="A computer learns from images and labels, many of which were changed at random. Told how many, it labels "
        "more of 100 new images correctly, by:",
        consequence="So ignoring the changes may do as well, if learning is kept from fitting images too closely.",
    ),
    ClaimRow(
        "figure 3",
        "knowing the clean pixels’ shares is best: largest lead over learning them one by one, at p = {most:g}",
        true_prior,
        (FIGURE_3,),
        unit=POINTS,
    ),
    ClaimRow(
        "figure 3",
        "one share for all pixels or one learned for each makes little difference: largest difference, at p = {most:g}",
        flat_prior,
        (FIGURE_3,),
        unit=POINTS,
    ),
    ClaimRow(
        "appendix B",
        "ignoring the noise keeps the direction of the weights if the two lies add up to less than 1: "
        "angle to the true weights in degrees, for inputs alike in all directions and weights of length 1",
        direction,
        published=0.0,
    ),
    ClaimRow(
        "equation 107",
        "the second derivative of the likelihood that ignores the lies, in the right direction, α = 0 (lies of "
        "0.2, inputs with s = {s:g})",
        curvature,
        reading=FORMULA,
    ),
)
