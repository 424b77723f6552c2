"""Means over trials with intervals: scores, differences between methods, calibration and attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privdemo.experiments.training.fit import Trial
from privdemo.intervals import Estimate, grouped_interval, mean_interval, wilson_interval
from privdemo.methods import CLEAN

Array = NDArray[np.floating]

METRICS = ("accuracy", "log_loss", "brier")
# Bins of a calibration curve.
N_BINS = 10


def per_image(trial: Trial, method: str, metric: str) -> Array:
    """Return one of `METRICS` on every test image, (n_test,); its mean is the trial's own."""
    fit = trial.fits[method]
    if metric == "accuracy":
        return (fit.named == trial.y).astype(float)
    proba = fit.class_proba
    if metric == "brier":
        return np.square(proba - np.eye(proba.shape[1])[trial.y]).sum(axis=1) / 2
    eps = np.finfo(float).eps  # as scikit-learn's log_loss
    return -np.log(np.clip(proba[np.arange(len(proba)), trial.y], eps, 1))


def having(trials: Sequence[Trial], method: str) -> list[Trial]:
    """Return the trials on which `method` was tried. Raises ``ValueError`` if there is none."""
    tried = [trial for trial in trials if method in trial.fits]
    if not tried:
        raise ValueError(f"method must have been tried in a trial, got {method!r}")
    return tried


def merge(trials: Sequence[Trial], more: Sequence[Trial]) -> list[Trial]:
    """Return `trials`, each with the fits of other methods on the same trial among `more`."""
    fits = {trial.config.trial: trial.fits for trial in more}
    return [replace(trial, fits={**fits.get(trial.config.trial, {}), **trial.fits}) for trial in trials]


def mean_score(trials: Sequence[Trial], method: str, metric: str) -> Estimate:
    """Return a method's mean score with a 95 % interval: over the trials, or, of a single one, over its test images."""
    trials = having(trials, method)
    if len(trials) > 1:
        return mean_interval([getattr(trial.fits[method], metric) for trial in trials])
    scores = per_image(trials[0], method, metric)
    return wilson_interval(float(scores.sum()), len(scores)) if metric == "accuracy" else mean_interval(scores)


def difference(trials: Sequence[Trial], method: str, other: str, metric: str) -> Estimate:
    """Return `method`'s mean score less `other`'s on the same trials (of a single one: test images), with a 95 %
    interval.
    """
    trials = having(having(trials, method), other)
    if len(trials) > 1:
        return mean_interval([getattr(t.fits[method], metric) - getattr(t.fits[other], metric) for t in trials])
    return mean_interval(per_image(trials[0], method, metric) - per_image(trials[0], other, metric))


def attack_rates(trials: Sequence[Trial]) -> dict[str, Estimate]:
    """Return how often the label is named from the "label" alone, the "image" alone and "both", with 95 % intervals.

    Over the trials, whose models differ; of a single one, over its releases.
    """
    n = [trial.attack.n for trial in trials]
    return {
        source: grouped_interval([getattr(trial.attack, source) for trial in trials], n)
        for source in ("label", "image", "both")
    }


def mean_of(trials: Sequence[Trial], method: str, field_name: str) -> float:
    """Return the mean over the trials of one of the numbers that a `Fit` holds."""
    return float(np.mean([getattr(trial.fits[method], field_name) for trial in having(trials, method)]))


def mean_sureness(trials: Sequence[Trial], method: str) -> float:
    """Return the mean probability that a method gives to the class it names, over all test images."""
    return float(np.mean([trial.fits[method].class_proba.max(axis=1) for trial in having(trials, method)]))


def n_constant_predictions(trials: Sequence[Trial], method: str) -> int:
    """Return the number of trials in which a method predicts one class for more than 98 % of the test images."""
    fits = [trial.fits[method] for trial in having(trials, method)]
    return sum(bool(np.bincount(fit.named).max() > 0.98 * len(fit.named)) for fit in fits)


@dataclass(frozen=True)
class Bin:
    """Test images of about the same predicted probability: its mean `predicted`, and the `observed` frequency."""

    predicted: float
    observed: Estimate
    n: int


def calibration(trials: Sequence[Trial], method: str) -> tuple[Bin, ...]:
    """Of the images given a probability of about s, what share is of the second class? Ten bins, empty ones left out.

    Of more than two classes the probability is that of the class named, and the share that of right answers. Intervals
    are over the trials that have images in the bin; of a single one, over its images.
    """
    successes: list[list[int]] = [[] for _ in range(N_BINS)]
    sizes: list[list[int]] = [[] for _ in range(N_BINS)]
    said = np.zeros(N_BINS)
    for trial in having(trials, method):
        fit = trial.fits[method]
        proba, true = (fit.proba, trial.y) if fit.proba.ndim == 1 else (fit.proba.max(axis=1), fit.named == trial.y)
        place = np.minimum((proba * N_BINS).astype(int), N_BINS - 1)
        said += np.bincount(place, proba, N_BINS)
        for here in np.unique(place):
            successes[here].append(int(true[place == here].sum()))
            sizes[here].append(int((place == here).sum()))
    return tuple(
        Bin(said[i] / sum(sizes[i]), grouped_interval(successes[i], sizes[i]), sum(sizes[i]))
        for i in range(N_BINS)
        if sizes[i]
    )


def calibration_error(trials: Sequence[Trial], method: str) -> float:
    """Return how far the probabilities given are from the shares that are true, on average over the test images."""
    bins = calibration(trials, method)
    return sum(b.n * abs(b.predicted - b.observed.mean) for b in bins) / sum(b.n for b in bins)


def informative_methods(trial: Trial) -> list[str]:
    """Return the methods that do not name one class for nearly all test images, or all if fewer than two are such.

    The others are uninformative in figures of single images.
    """
    informative = [name for name in trial.fits if not n_constant_predictions([trial], name)]
    return informative if len(informative) > 1 else list(trial.fits)


def _informative_proba(trial: Trial) -> Array:
    """Return what the methods `informative_methods` give to every test image: (n_methods, n_test, K), of two classes
    the second only.

    Clean data is left out where two others remain: a dispute is one of methods that learn from noise.
    """
    informative = informative_methods(trial)
    noisy = [name for name in informative if name != CLEAN]
    given = np.stack([trial.fits[name].class_proba for name in (noisy if len(noisy) > 1 else informative)])
    return given[:, :, 1:] if given.shape[2] == 2 else given


def _predicted_classes(given: Array) -> NDArray[np.integer]:
    """Return the classes (…,) that probabilities (…, K), of two classes (…, 1), name."""
    return (given[..., 0] > 0.5).astype(int) if given.shape[-1] == 1 else given.argmax(axis=-1)


def methods_disagree(trial: Trial) -> NDArray[np.bool_]:
    """Return the mask (n_test,) of the test images for which the `informative_methods` predict different classes; clean
    data is left out as in `_informative_proba`.
    """
    return np.ptp(_predicted_classes(_informative_proba(trial)), axis=0) > 0


def n_right(trial: Trial, method: str, among: NDArray[np.bool_]) -> int:
    """Return how many test images `among` all of them, a mask (n_test,), a method classifies correctly."""
    return int((trial.fits[method].named == trial.y)[among].sum())


def disputed(trial: Trial, n: int) -> NDArray[np.integer]:
    """Return the `n` test images, as many of each class in `shown_classes`, on which the methods disagree.

    The rule prefers none of these methods: of each class the first test images whose predicted class differs
    (`methods_disagree`), whichever is right, and of them first those that are not hard without noise either, which
    clean data names correctly. Where they are too few, then those on whose probability the same methods differ most.
    """
    disagree, gap = methods_disagree(trial), np.ptp(_informative_proba(trial), axis=0).max(axis=1)
    by_gap = np.argsort(-gap, kind="stable")
    is_hard = trial.fits[CLEAN].named != trial.y if CLEAN in trial.fits else np.zeros(len(trial.y), dtype=bool)
    in_dispute = np.flatnonzero(disagree)
    first = in_dispute[np.argsort(is_hard[in_dispute], kind="stable")]
    order = np.concatenate([first, by_gap[~disagree[by_gap]]])
    classes = shown_classes(trial, n)
    return np.concatenate([order[trial.y[order] == c][: n // len(classes)] for c in classes])


def shown_classes(trial: Trial, n: int) -> list[int]:
    """Return the classes of which `n` images are shown: all, or, where those are more, the `n` most in dispute, in
    order.
    """
    n_classes = len(trial.config.classes)
    disputes = np.bincount(trial.y[methods_disagree(trial)], minlength=n_classes)
    return sorted(np.argsort(-disputes, kind="stable")[:n].tolist()) if n_classes > n else list(range(n_classes))


def agreed(trial: Trial, n: int) -> NDArray[np.integer]:
    """Return test images, as many of each class in `shown_classes`, on which the methods agree with typical
    confidence.

    Of the images of a class that all methods predict alike (`methods_disagree`), those whose true class is given the
    probability, averaged over methods, nearest to the median one. They are fewer than `n` where too few agree.
    """
    alike = ~methods_disagree(trial)
    given = _informative_proba(trial).mean(axis=0)
    classes, chosen = shown_classes(trial, n), []
    for c in classes:
        among = np.flatnonzero(alike & (trial.y == c))
        proba = given[among, c if given.shape[1] > 1 else 0]
        far = np.abs(proba - np.median(proba)) if len(among) else proba
        chosen.append(among[np.argsort(far, kind="stable")[: n // len(classes)]])
    return np.concatenate(chosen)


def first_images(trial: Trial, n: int) -> NDArray[np.integer]:
    """Return the first test images, as many of each class in `shown_classes`."""
    classes = shown_classes(trial, n)
    return np.concatenate([np.flatnonzero(trial.y == c)[: n // len(classes)] for c in classes])
