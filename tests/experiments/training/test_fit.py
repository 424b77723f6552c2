"""Who releases what, every method on one draw fitted here again, marks by scikit-learn, and the attack made again."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from privdemo import datasets
from privdemo.estimators import pixel_priors
from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.estimators.logistic import (
    NaiveLogisticRegression,
    ReconstructionLogisticRegression,
    SpreadLogisticRegression,
)
from privdemo.experiments import training
from privdemo.experiments.training import TrainingConfig, draw_release, fit
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import CLEAN, FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING, TRUE

K = 17
QUICK = tuple(name for name in TRAINING if name != PUBLISHED)
DIGITS = TrainingConfig("digits", n_train=30, pixels=RandomisedResponse(0.2, K), methods=QUICK)
ADDED = replace(DIGITS, pixels=GaussianNoise(0.3), labels=BinaryChannel(0.1, 0.3), classes=("8", "3"))
OUTWEIGHED = replace(DIGITS, labels=BinaryChannel(0.9, 0.8), draw=3)  # lies outweigh truths
run_once = cache(training.run)


@pytest.mark.parametrize("config", [DIGITS, ADDED])
def test_people_release_with_the_noise_asked_for(config):
    released = draw_release(config)
    assert released.y.tolist() == [0] * 30 + [1] * 30
    streams = (np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0, i))) for i in (1, 2))
    np.testing.assert_array_equal(released.X_noisy, config.pixels.randomise(released.X, next(streams)))
    np.testing.assert_array_equal(released.y_noisy, config.labels.randomise(released.y, next(streams)))


def test_streams_of_randomness_move_on_their_own():
    first, again = draw_release(DIGITS), draw_release(replace(DIGITS))
    more = draw_release(replace(DIGITS, pixels=RandomisedResponse(0.5, K)))
    lies = draw_release(replace(DIGITS, labels=RandomisedResponse(0.4)))
    for name in ("X", "y", "y_noisy", "X_test", "y_test"):
        np.testing.assert_array_equal(getattr(more, name), getattr(first, name))
    np.testing.assert_array_equal(again.X_noisy, first.X_noisy)
    np.testing.assert_array_equal(lies.X_noisy, first.X_noisy)
    assert (first.X_noisy != more.X_noisy).any()
    assert (lies.y_noisy != first.y_noisy).any()
    for change in ({"draw": 1}, {"seed": 1}):
        other = draw_release(replace(DIGITS, **change))
        for name in ("X", "X_noisy", "y_noisy", "X_test"):
            assert not np.array_equal(getattr(other, name), getattr(first, name))


def test_the_true_prior_is_that_of_the_clean_pixels():
    X = draw_release(DIGITS).X
    expected = pixel_priors.true_prior(DIGITS.pixels, pixel_priors.state_frequencies(X, K))
    np.testing.assert_array_equal(draw_release(DIGITS).true_prior.probs, expected.probs)
    added = draw_release(ADDED)
    np.testing.assert_array_equal(added.true_prior.mean, pixel_priors.true_gaussian_prior(added.X).mean)


@pytest.mark.parametrize("classes", [("7", "9"), ("1", "8")])
def test_sizes_share_out_the_digits(classes):
    source = datasets.load("digits")
    smaller = min(int((source.y == int(c)).sum()) for c in classes)
    most, n_test = training.sizes("digits", classes)
    assert (most + n_test, n_test) == (smaller, smaller // 3)
    config = replace(DIGITS, classes=classes, n_train=most)
    released, pictures = draw_release(config), training.test_images(config)
    assert (pictures.shape, pictures.dtype) == ((2 * n_test, 8, 8), np.uint8)
    np.testing.assert_array_equal(np.round(pictures.reshape(len(pictures), -1) / 255 * (K - 1)), released.X_test)
    class_of = {image.tobytes(): str(c) for image, c in zip(source.X, source.y, strict=True)}
    assert len(class_of) == len(source.X)  # no image twice, so that sets of images are sets of people
    for X, y in ((released.X, released.y), (released.X_test, released.y_test)):
        assert [class_of[image.tobytes()] for image in X] == [classes[c] for c in y]
    assert len({image.tobytes() for image in (*released.X, *released.X_test)}) == 2 * smaller


@pytest.mark.parametrize("config", [DIGITS, ADDED])
def test_fits_are_those_made_here_and_marks_scikit_learns(config):
    trial, released = run_once(config), training.draw_release(config)
    assert tuple(trial.fits) == QUICK
    np.testing.assert_array_equal(trial.y, released.y_test)
    unit = released.X_test if config is ADDED else released.X_test / (K - 1)
    clean = trial.fits[CLEAN].coef
    labels, pixels, noisy = config.labels, config.pixels, (released.X_noisy, released.y_noisy)
    models = {
        CLEAN: NaiveLogisticRegression(pixels, C="cv").fit(released.X, released.y),
        NAIVE: NaiveLogisticRegression(pixels, C="cv").fit(*noisy),
        RECONSTRUCTION: ReconstructionLogisticRegression(labels, pixels, C="cv").fit(*noisy),
        SPREAD: SpreadLogisticRegression(labels, pixels, C="cv").fit(*noisy),
        FLAT: SpreadLogisticRegression(labels, pixels, "flat", C="cv").fit(*noisy),
        TRUE: SpreadLogisticRegression(labels, pixels, released.true_prior, C="cv").fit(*noisy),
    }
    for name, found in trial.fits.items():
        model = models[name]
        np.testing.assert_allclose(found.coef, model.coef_[0], rtol=1e-9, atol=1e-12)
        assert (found.intercept, found.C) == (pytest.approx(model.intercept_[0], rel=1e-9), model.C_)
        assert (found.method, found.effective_samples) == (name, None)
        # a logistic function is nowhere steeper than ¼, and pixels may be rounded to single precision
        tolerance = 0.25 * 2**-24 * np.abs(found.coef).sum() + 1e-12
        np.testing.assert_allclose(found.proba, expit(unit @ found.coef + found.intercept), rtol=0, atol=tolerance)
        assert found.accuracy == accuracy_score(trial.y, found.proba > 0.5)
        assert found.log_loss == pytest.approx(log_loss(trial.y, found.proba), rel=1e-12)
        assert found.brier == pytest.approx(brier_score_loss(trial.y, found.proba), rel=1e-12)
        cosine = found.coef @ clean / math.sqrt((found.coef @ found.coef) * (clean @ clean))
        assert math.cos(math.radians(found.angle)) == pytest.approx(cosine, abs=1e-9)
        assert (found.angle > 1) == (name != CLEAN)
        assert found.seconds > 0


def test_the_published_em_takes_its_samples_and_steps(monkeypatch):
    assert (fit.N_SAMPLES, fit.N_STEPS) == (10, 400)
    monkeypatch.setattr(fit, "N_STEPS", 3)
    config = replace(DIGITS, methods=(PUBLISHED,), n_train=20)
    _, _, X_noisy, y_noisy, *_ = training.draw_release(config)
    model = ImportanceSampledLogisticRegression(config.labels, config.pixels, n_samples=10, n_steps=3)
    model.fit(X_noisy, y_noisy)
    found = training.run(config).fits[PUBLISHED]
    np.testing.assert_allclose(found.coef, model.coef_[0], rtol=1e-9)
    assert found.effective_samples == pytest.approx(np.mean(model.effective_sample_size_))


@pytest.mark.parametrize(
    "config", [DIGITS, ADDED, OUTWEIGHED, replace(DIGITS, labels=BinaryChannel(0.9, 0.3), methods=(CLEAN,))]
)
def test_the_attack_made_again_names_as_many(config):
    _, _, X_noisy, y_noisy, X_test, y, _ = training.draw_release(config)
    rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(config.draw, 3)))
    X_fresh, y_fresh = config.pixels.randomise(X_test, rng), config.labels.randomise(y, rng)
    model = SpreadLogisticRegression(config.labels, config.pixels, C="cv").fit(X_noisy, y_noisy)
    inverted = config.labels.channel_matrix[0, 1] + config.labels.channel_matrix[1, 0] > 1
    attack = run_once(config).attack
    assert attack.n == len(y)
    assert attack.label == ((y_fresh == y) != inverted).sum()
    assert attack.image == ((model.released_proba(X_fresh)[:, 1] > 0.5) == y).sum()
    assert attack.both == ((model.released_proba(X_fresh, y_fresh)[:, 1] > 0.5) == y).sum()


@pytest.mark.parametrize("labels", [RandomisedResponse(0.2), BinaryChannel(0.1, 0.4), BinaryChannel(0.9, 0.3)])
def test_the_best_guess_is_that_of_the_best_of_all_rules(labels):
    rules = itertools.product((0, 1), repeat=2)
    best = max(sum(labels.channel_matrix[said, truth] for said, truth in enumerate(rule)) / 2 for rule in rules)
    assert training.best_guess(labels) == pytest.approx(best, abs=1e-15)


def test_equivalent_epsilon_is_that_of_the_lie_that_gives_as_much_away():
    for p in (0.001, 0.2, 0.5):
        for accuracy in (p, 1 - p):  # always wrong tells as much
            assert training.equivalent_epsilon(accuracy) == pytest.approx(RandomisedResponse(p).epsilon, abs=1e-12)
    assert training.equivalent_epsilon(1.0) == training.equivalent_epsilon(0.0) == math.inf
    with pytest.raises(ValueError, match=r"share must be in \[0, 1\], got"):
        training.equivalent_epsilon(1.1)
