"""Train a classifier on released data every way there is, on the same draw, and try it on clean images."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo import datasets, limits
from privdemo.datasets import Source
from privdemo.estimators import pixel_priors
from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.estimators.pixel_priors import Prior
from privdemo.experiments.draws import generator
from privdemo.experiments.images import LabelMechanism, check_classes, check_pixels, image_shape, n_states
from privdemo.intervals import Estimate, grouped_interval, mean_interval, wilson_interval
from privdemo.mechanisms import GaussianNoise, RandomisedResponse
from privdemo.mechanisms.pixels import clean_values, to_grey
from privdemo.methods import (
    CLEAN,
    FLAT,
    NAIVE,
    PUBLISHED,
    RECONSTRUCTION,
    SPREAD,
    TRAINING,
    TRUE,
    check_methods,
)

Array = NDArray[np.floating]
TrainingNoise = RandomisedResponse | GaussianNoise

# Test images of each class where there are as many (Barber, section 6).
N_TEST = 900
# Where the publisher has no test part, this share of the smaller class is kept for testing.
TEST_SHARE = 1 / 3
# The published EM: samples a person (the spike's and ours; section 6.1 took 2) and steps (those of section 6.1).
N_SAMPLES, N_STEPS = 10, 400
# Where no weight reaches this, for pixels from 0 to 1, a model says the same of every image.
NO_WEIGHT = 1e-3
# Bins of a calibration curve.
N_BINS = 10


# Fixed numbers of the random streams of a draw.
PEOPLE_STREAM, PIXEL_STREAM, LABEL_STREAM, ATTACK_STREAM = range(4)

# How each method is made: `make(pixels, labels, true_prior)` is an estimator, not yet fitted.
Make = Callable[[TrainingNoise, LabelMechanism, Prior], SpreadLogisticRegression]


def _naive(pixels: TrainingNoise, labels: LabelMechanism, true_prior: Prior) -> NaiveLogisticRegression:
    return NaiveLogisticRegression(pixels, C="cv")


_MAKE: dict[str, Make] = {
    CLEAN: _naive,
    NAIVE: _naive,
    RECONSTRUCTION: lambda pixels, labels, true: ReconstructionLogisticRegression(labels, pixels, C="cv"),
    SPREAD: lambda pixels, labels, true: SpreadLogisticRegression(labels, pixels, "learned", C="cv"),
    FLAT: lambda pixels, labels, true: SpreadLogisticRegression(labels, pixels, "flat", C="cv"),
    TRUE: lambda pixels, labels, true: SpreadLogisticRegression(labels, pixels, true, C="cv"),
    PUBLISHED: lambda pixels, labels, true: ImportanceSampledLogisticRegression(
        labels, pixels, "learned", n_samples=N_SAMPLES, n_steps=N_STEPS
    ),
}


@dataclass(frozen=True)
class TrainingConfig:
    """Who releases what, and who learns from it: `n_train` people of each of two `classes`, image and label.

    `draw` counts the repeats: another draw has other people, other noise and other test images. Clean data is always
    trained on as well, as the ceiling.
    """

    dataset: Source = "mnist"
    classes: tuple[str, str] = ("7", "9")
    n_train: int = 250
    pixels: TrainingNoise = field(default=RandomisedResponse(0.2, 256))
    labels: LabelMechanism = field(default=RandomisedResponse(0.2, 2))
    methods: tuple[str, ...] = (CLEAN, NAIVE, RECONSTRUCTION, SPREAD)
    seed: int = 0
    draw: int = 0

    def __post_init__(self) -> None:
        limits.N_TRAIN.check(self.n_train)
        limits.SEED.check(self.seed)
        limits.DRAW.check(self.draw)
        check_classes(self.classes, self.labels)
        if len(self.classes) != 2:
            raise ValueError(f"classes must be two, got {len(self.classes)}: {', '.join(self.classes)}")
        check_methods(self.methods, TRAINING)


@dataclass(frozen=True, eq=False)
class Fit:
    """One method on one draw. `proba` (n_test,) is its probability of the second class on every clean test image.

    `coef` (n_pixels,) and `intercept` are its weights for pixels on the scale 0 to 1, `angle` how many degrees `coef`
    is turned from the weights learnt on clean data, `C` the inverse strength of its penalty, `seconds` its training.
    `effective_samples` is the mean effective sample size a person where the method samples.
    """

    method: str
    proba: Array
    coef: Array
    intercept: float
    angle: float
    C: float
    seconds: float
    accuracy: float
    log_loss: float
    brier: float
    effective_samples: float | None


@dataclass(frozen=True)
class Attack:
    """How often an adversary names the true label of a fresh release, of `n`: see `attack`."""

    n: int
    label: int
    image: int
    both: int


@dataclass(frozen=True, eq=False)
class Draw:
    """All methods on one draw; `y` (n_test,) are the true classes of the test images, 0 or 1."""

    config: TrainingConfig
    fits: dict[str, Fit]
    y: NDArray[np.integer]
    attack: Attack


def sizes(dataset: Source, classes: Sequence[str]) -> tuple[int, int]:
    """The most people of each class to train on, and how many images of each class are kept for testing."""
    chosen = datasets.load(dataset).select_classes(classes)
    if chosen.n_train is None:
        smaller = int(np.bincount(chosen.y).min())
        n_test = min(N_TEST, math.floor(smaller * TEST_SHARE))
        return smaller - n_test, n_test
    train, test = (int(np.bincount(part.y).min()) for part in (chosen.train, chosen.test))
    return train, min(N_TEST, test)


def run(config: TrainingConfig) -> Draw:
    """Draw the people, release their data, train every method, and try each on clean test images.

    Raises ``ValueError`` for more people than the data set has, and where the noise leaves nothing to learn from.
    """
    X, y, X_noisy, y_noisy, X_test, y_test, true_prior = release(config)
    models: dict[str, Any] = {}
    fits: dict[str, Fit] = {}
    for name in dict.fromkeys((CLEAN, *config.methods)):
        data = (X, y) if name == CLEAN else (X_noisy, y_noisy)
        start = time.perf_counter()
        models[name] = _MAKE[name](config.pixels, config.labels, true_prior).fit(*data)
        seconds = time.perf_counter() - start
        fits[name] = _tried(name, models[name], X_test, y_test, models[CLEAN].coef_[0], seconds)
    spy = models.get(SPREAD) or _MAKE[SPREAD](config.pixels, config.labels, true_prior).fit(X_noisy, y_noisy)
    return Draw(config, fits, y_test, _attack(config, spy, X_test, y_test, generator(config, ATTACK_STREAM)))


class Release(NamedTuple):
    """One draw of people: clean `X` (n, n_pixels) and `y` (n,), what they release, and clean test images.

    All X are in the pixel mechanism's own domain. `true_prior` is the clean pixels' own.
    """

    X: NDArray
    y: NDArray[np.integer]
    X_noisy: NDArray
    y_noisy: NDArray[np.integer]
    X_test: NDArray
    y_test: NDArray[np.integer]
    true_prior: Prior


def release(config: TrainingConfig) -> Release:
    """Draw the people and test images of `config`, and release the people's data; errors as in `run`."""
    check_pixels(config.pixels, config.dataset)
    check_noise(config)
    train, test = _split(config, generator(config, PEOPLE_STREAM))
    k = n_states(config.dataset)
    X, X_test = (clean_values(config.pixels, part.X, k) for part in (train, test))
    y_noisy = config.labels.randomise(train.y, generator(config, LABEL_STREAM))
    if len(np.unique(y_noisy)) < 2:
        raise ValueError(
            f"all {len(y_noisy):,} people happened to send the label {config.classes[y_noisy[0]]}, and nothing can be "
            "learnt from one label; ask more people, or change the lies or the seed"
        )
    X_noisy = config.pixels.randomise(X, generator(config, PIXEL_STREAM))
    return Release(X, train.y, X_noisy, y_noisy, X_test, test.y, _true_prior(config.pixels, train.X, k))


def check_noise(config: TrainingConfig) -> None:
    """Raise ``ValueError`` where pixels or labels are pure noise, so that nothing can be learnt."""
    channel = config.labels.channel_matrix
    if np.allclose(channel[:, 0], channel[:, 1], rtol=0, atol=1e-9):
        first, second = config.classes
        raise ValueError(
            f"the lies about the label add up to 1 ({first} sent as {second} with {channel[1, 0]:.4g}, {second} as "
            f"{first} with {channel[0, 1]:.4g}), so a label says nothing and nothing can be learnt; change one of them"
        )
    if isinstance(config.pixels, RandomisedResponse) and config.pixels.redraw_prob >= 1:
        raise ValueError(
            f"a flip probability of {config.pixels.flip_prob:.4g} draws every pixel afresh and leaves nothing of the "
            "image to learn from; lower it"
        )


def test_images(config: TrainingConfig) -> NDArray[np.uint8]:
    """The clean pictures that `run` tries its models on, (n_test, height, width) grey levels."""
    _, test = _split(config, generator(config, PEOPLE_STREAM))
    k = n_states(config.dataset)
    values = clean_values(config.pixels, test.X, k)
    return to_grey(config.pixels, values, k).reshape(-1, *image_shape(test))


def _split(config: TrainingConfig, rng: np.random.Generator) -> tuple[datasets.Dataset, datasets.Dataset]:
    """The people to learn from, and the test images."""
    most, n_test = sizes(config.dataset, config.classes)
    source = datasets.load(config.dataset)
    advice = f"{source.name} has no more of {' and '.join(config.classes)}"
    limits.Limit("n_train", limits.N_TRAIN.low, most, advice, integer=True).check(config.n_train)
    return source.select_classes(config.classes).split(config.n_train, n_test, rng)


def _true_prior(mechanism: TrainingNoise, states: NDArray[np.integer], k: int) -> Prior:
    if isinstance(mechanism, GaussianNoise):
        return pixel_priors.true_gaussian_prior(clean_values(mechanism, states, k))
    return pixel_priors.true_prior(mechanism, pixel_priors.state_frequencies(states, k))


def _tried(name: str, model: Any, X: NDArray, y: NDArray[np.integer], clean_coef: Array, seconds: float) -> Fit:
    """A fitted model's marks on clean test images."""
    proba = model.predict_proba(X)[:, 1]
    coef = model.coef_[0]
    lengths = float(np.linalg.norm(coef) * np.linalg.norm(clean_coef))
    return Fit(
        method=name,
        proba=proba,
        coef=coef,
        intercept=float(model.intercept_[0]),
        angle=math.degrees(math.acos(np.clip(coef @ clean_coef / lengths, -1, 1))) if lengths else 90.0,
        C=model.C_,
        seconds=seconds,
        accuracy=float(accuracy_score(y, proba > 0.5)),
        log_loss=float(log_loss(y, proba)),
        brier=float(brier_score_loss(y, proba)),
        effective_samples=float(np.mean(model.effective_sample_size_)) if name == PUBLISHED else None,
    )


def _attack(config: TrainingConfig, spy: Any, X: NDArray, y: NDArray[np.integer], rng: np.random.Generator) -> Attack:
    """Fresh releases by people nobody trained on; the adversary knows both channels and a model trained on noise.

    From the label alone, the image alone (attack b) and both together the likelier class is named.
    """
    X_noisy, y_noisy = config.pixels.randomise(X, rng), config.labels.randomise(y, rng)
    image = spy.released_proba(X_noisy)
    both = image * config.labels.channel_matrix[y_noisy]
    label = config.labels.channel_matrix.argmax(axis=1)[y_noisy]
    right = [int((guess == y).sum()) for guess in (label, image.argmax(axis=1), both.argmax(axis=1))]
    return Attack(len(y), *right)


# --- many draws ----------------------------------------------------------------------------------

METRICS = ("accuracy", "log_loss", "brier")


def with_methods(config: TrainingConfig, methods: tuple[str, ...]) -> TrainingConfig:
    """The same question, put to other methods."""
    return replace(config, methods=methods)


def per_image(draw: Draw, method: str, metric: str) -> Array:
    """One of `METRICS` on every test image, (n_test,); its mean is that of the draw."""
    proba = draw.fits[method].proba
    if metric == "accuracy":
        return ((proba > 0.5) == draw.y).astype(float)
    if metric == "brier":
        return np.square(proba - draw.y)
    eps = np.finfo(float).eps  # as scikit-learn's log_loss
    return -np.log(np.clip(np.where(draw.y == 1, proba, 1 - proba), eps, 1))


def having(draws: Sequence[Draw], method: str) -> list[Draw]:
    """The draws on which `method` was tried. Raises ``ValueError`` if there is none."""
    tried = [draw for draw in draws if method in draw.fits]
    if not tried:
        raise ValueError(f"method must have been tried on a draw, got {method!r}")
    return tried


def merge(draws: Sequence[Draw], more: Sequence[Draw]) -> list[Draw]:
    """`draws`, each with the fits of other methods on the same draw among `more`."""
    fits = {draw.config.draw: draw.fits for draw in more}
    return [replace(draw, fits={**fits.get(draw.config.draw, {}), **draw.fits}) for draw in draws]


def score(draws: Sequence[Draw], method: str, metric: str) -> Estimate:
    """A method's mark with a 95 % interval: over the draws, or, of one draw, over its test images."""
    draws = having(draws, method)
    if len(draws) > 1:
        return mean_interval([getattr(draw.fits[method], metric) for draw in draws])
    marks = per_image(draws[0], method, metric)
    return wilson_interval(float(marks.sum()), len(marks)) if metric == "accuracy" else mean_interval(marks)


def difference(draws: Sequence[Draw], method: str, other: str, metric: str) -> Estimate:
    """`method`'s mark less `other`'s on the same draws (or test images of one draw), with a 95 % interval."""
    draws = having(having(draws, method), other)
    if len(draws) > 1:
        return mean_interval([getattr(d.fits[method], metric) - getattr(d.fits[other], metric) for d in draws])
    return mean_interval(per_image(draws[0], method, metric) - per_image(draws[0], other, metric))


def attack_rates(draws: Sequence[Draw]) -> dict[str, Estimate]:
    """How often the label is named from the "label" alone, the "image" alone and "both", with 95 % intervals.

    Over the draws, whose models differ; of one draw, over its releases.
    """
    n = [draw.attack.n for draw in draws]
    return {
        source: grouped_interval([getattr(draw.attack, source) for draw in draws], n)
        for source in ("label", "image", "both")
    }


def best_guess(labels: LabelMechanism) -> float:
    """How often the best guess from the released label alone is right, both classes being equally common."""
    return float(labels.channel_matrix.max(axis=1).sum() / labels.n_states)


def equivalent_epsilon(accuracy: float) -> float:
    """The ε of a symmetric binary lie whose answers are right as often: ln(a / (1 − a)); ∞ for a = 1."""
    limits.SHARE.check(accuracy)
    return math.inf if accuracy >= 1 else abs(math.log(accuracy / (1 - accuracy))) if accuracy else math.inf


@dataclass(frozen=True)
class Bin:
    """Test images to which a model gave about the same probability: its mean, and how often the class was true."""

    said: float
    true: Estimate
    n: int


def calibration(draws: Sequence[Draw], method: str) -> tuple[Bin, ...]:
    """Of the images given a probability of about s, what share is of the second class? Ten bins, empty ones left out.

    Intervals are over the draws that have images in the bin; of one such draw, over its images.
    """
    successes: list[list[int]] = [[] for _ in range(N_BINS)]
    sizes: list[list[int]] = [[] for _ in range(N_BINS)]
    said = np.zeros(N_BINS)
    for draw in having(draws, method):
        proba = draw.fits[method].proba
        place = np.minimum((proba * N_BINS).astype(int), N_BINS - 1)
        said += np.bincount(place, proba, N_BINS)
        for here in np.unique(place):
            successes[here].append(int(draw.y[place == here].sum()))
            sizes[here].append(int((place == here).sum()))
    return tuple(
        Bin(said[i] / sum(sizes[i]), grouped_interval(successes[i], sizes[i]), sum(sizes[i]))
        for i in range(N_BINS)
        if sizes[i]
    )


def calibration_error(draws: Sequence[Draw], method: str) -> float:
    """How far the probabilities given are from the shares that are true, on average over the test images."""
    bins = calibration(draws, method)
    return sum(b.n * abs(b.said - b.true.mean) for b in bins) / sum(b.n for b in bins)


def one_sided(draws: Sequence[Draw], method: str) -> bool:
    """Whether a method names the same class for nearly all test images of some draw."""
    shares = [float((draw.fits[method].proba > 0.5).mean()) for draw in having(draws, method)]
    return any(min(share, 1 - share) < 0.02 for share in shares)


def mean_of(draws: Sequence[Draw], method: str, field_name: str) -> float:
    """The mean over the draws of one of the numbers that a `Fit` holds."""
    return float(np.mean([getattr(draw.fits[method], field_name) for draw in having(draws, method)]))


def score_table(draws: Sequence[Draw]) -> list[dict[str, Any]]:
    """One row for each draw and method, for a CSV file."""
    return [
        {
            "draw": draw.config.draw,
            "method": fit.method,
            "accuracy": fit.accuracy,
            "log_loss": fit.log_loss,
            "brier": fit.brier,
            "angle_to_clean": fit.angle,
            "C": fit.C,
            "seconds": fit.seconds,
            "effective_samples": fit.effective_samples,
            "attack_from_label": draw.attack.label / draw.attack.n,
            "attack_from_image": draw.attack.image / draw.attack.n,
            "attack_from_both": draw.attack.both / draw.attack.n,
        }
        for draw in draws
        for fit in draw.fits.values()
    ]


def calibration_table(draws: Sequence[Draw], methods: Sequence[str]) -> list[dict[str, Any]]:
    """One row for each method and bin, for a CSV file."""
    return [
        {"method": method, "said": b.said, "true": b.true.mean, "low": b.true.low, "high": b.true.high, "n": b.n}
        for method in methods
        for b in calibration(draws, method)
    ]


def weight_table(draw: Draw) -> list[dict[str, Any]]:
    """One row for each method, its weight of every pixel or column, for a CSV file."""
    source = draw.config.dataset
    names = [f"pixel_{j}" for j in range(len(draw.fits[CLEAN].coef))]
    if not isinstance(source, str):
        names = list(source.feature_names)
    return [
        {"method": fit.method, "intercept": fit.intercept}
        | {name: float(weight) for name, weight in zip(names, fit.coef, strict=True)}
        for fit in draw.fits.values()
    ]


def disputed(draw: Draw, n: int) -> NDArray[np.integer]:
    """The `n` test images on whose probability the methods differ most."""
    probas = np.stack([fit.proba for fit in draw.fits.values()])
    return np.argsort(-np.ptp(probas, axis=0), kind="stable")[:n]


def typical(draw: Draw, n: int) -> NDArray[np.integer]:
    """The first test images, half of them of each class."""
    return np.concatenate([np.flatnonzero(draw.y == c)[: n // 2] for c in (0, 1)])


def digit_table(draw: Draw, chosen: NDArray[np.integer]) -> list[dict[str, Any]]:
    """One row for each chosen test image: its true class and what every method gives the second class."""
    return [
        {"image": int(i), "true_class": draw.config.classes[draw.y[i]]}
        | {f"proba_{fit.method}": float(fit.proba[i]) for fit in draw.fits.values()}
        for i in chosen
    ]
