"""Training: who releases what, every method fitted here again, the attack made again, scores and shipped studies."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.special import expit, logit, softmax
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    precision_score,
    recall_score,
)

from privdemo import datasets
from privdemo.estimators import choose, logistic
from privdemo.estimators.choose import ChosenLogisticRegression
from privdemo.estimators.class_model import SpreadClassModel
from privdemo.experiments import results, running, training
from privdemo.experiments.training import METRICS, Attack, Fit, TrainingConfig, Trial, adversary, sample_release
from privdemo.experiments.training import study as studies
from privdemo.experiments.training.study import STUDIES, Row
from privdemo.experiments.trials import with_trial
from privdemo.intervals import grouped_interval
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import (
    CHOSEN,
    CLASSES,
    CLEAN,
    FLAT,
    LOW_RANK,
    NAIVE,
    PUBLISHED,
    RECONSTRUCTION,
    SPREAD,
    TRAINING,
    TRUE,
)
from tests.experiments.oracles import student, wilson

K = 17
QUICK = tuple(name for name in TRAINING if name != PUBLISHED)
DIGITS = TrainingConfig("digits", n_train=30, pixels=RandomisedResponse(0.2, K), methods=QUICK)
ADDED = replace(DIGITS, pixels=GaussianNoise(0.3), labels=BinaryChannel(0.1, 0.3), classes=("8", "3"))
OUTWEIGHED = replace(DIGITS, labels=BinaryChannel(0.9, 0.8), trial=3)  # lies outweigh truths
run_once = cache(training.run)


def test_people_release_with_the_noise_asked_for_and_streams_of_randomness_move_on_their_own():
    first, again, added = sample_release(DIGITS), sample_release(replace(DIGITS)), sample_release(ADDED)
    for released, config in ((first, DIGITS), (added, ADDED)):
        streams = (np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0, i))) for i in (1, 2))
        np.testing.assert_array_equal(released.X_noisy, config.pixels.randomise(released.X, next(streams)))
        np.testing.assert_array_equal(released.y_noisy, config.labels.randomise(released.y, next(streams)))
    more = sample_release(replace(DIGITS, pixels=RandomisedResponse(0.5, K)))
    lies = sample_release(replace(DIGITS, labels=RandomisedResponse(0.4)))
    for name in ("X", "y", "y_noisy", "X_test", "y_test"):
        np.testing.assert_array_equal(getattr(more, name), getattr(first, name))
    np.testing.assert_array_equal(again.X_noisy, first.X_noisy)
    np.testing.assert_array_equal(lies.X_noisy, first.X_noisy)
    for change in ({"trial": 1}, {"seed": 1}):
        other = sample_release(replace(DIGITS, **change))
        for name in ("X", "X_noisy", "y_noisy", "X_test"):
            assert not np.array_equal(getattr(other, name), getattr(first, name))


def test_sizes_share_out_the_digits():
    classes = ("1", "8")
    source = datasets.load("digits")
    smaller = min(int((source.y == int(c)).sum()) for c in classes)
    most, n_test = training.sizes("digits", classes)
    assert (most + n_test, n_test) == (smaller, smaller // 3)
    config = replace(DIGITS, classes=classes, n_train=most)
    released = sample_release(config)
    class_of = {image.tobytes(): str(c) for image, c in zip(source.X, source.y, strict=True)}
    assert len(class_of) == len(source.X)  # no image twice, so that sets of images are sets of people
    for X, y in ((released.X, released.y), (released.X_test, released.y_test)):
        assert [class_of[image.tobytes()] for image in X] == [classes[c] for c in y]
    assert len({image.tobytes() for image in (*released.X, *released.X_test)}) == 2 * smaller


@pytest.mark.parametrize("config", [DIGITS, ADDED])
def test_fits_are_those_made_here_and_scores_scikit_learns(config):
    trial, released = run_once(config), training.sample_release(config)
    assert tuple(trial.fits) == QUICK
    np.testing.assert_array_equal(trial.y, released.y_test)
    unit = released.X_test if config is ADDED else released.X_test / (K - 1)
    clean = trial.fits[CLEAN].coef
    labels, pixels, noisy = config.labels, config.pixels, (released.X_noisy, released.y_noisy)
    models = {
        CLEAN: logistic.NaiveLogisticRegression(pixels, C="cv").fit(released.X, released.y),
        NAIVE: logistic.NaiveLogisticRegression(pixels, C="cv").fit(*noisy),
        RECONSTRUCTION: logistic.ReconstructionLogisticRegression(labels, pixels, C="cv").fit(*noisy),
        SPREAD: logistic.SpreadLogisticRegression(labels, pixels, C="cv").fit(*noisy),
        FLAT: logistic.SpreadLogisticRegression(labels, pixels, "flat", C="cv").fit(*noisy),
        LOW_RANK: logistic.SpreadLogisticRegression(labels, pixels, "low rank", C="cv").fit(*noisy),
        CLASSES: SpreadClassModel(labels, pixels).fit(*noisy),
        CHOSEN: ChosenLogisticRegression(labels, pixels).fit(*noisy),
        TRUE: logistic.SpreadLogisticRegression(labels, pixels, released.true_prior, C="cv").fit(*noisy),
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
    chosen = trial.fits[CHOSEN]
    taken = {choose.CLASSES: CLASSES, choose.LOW_RANK: LOW_RANK}[chosen.chosen]
    np.testing.assert_array_equal(chosen.coef, trial.fits[taken].coef)
    assert (chosen.chosen, chosen.why) == (models[CHOSEN].chosen_, models[CHOSEN].why_)
    assert not any(fit.chosen or fit.why for name, fit in trial.fits.items() if name != CHOSEN)


THREE = replace(DIGITS, classes=("3", "8", "5"), n_train=25, labels=RandomisedResponse(0.2, 3), methods=(NAIVE, SPREAD))


def test_of_three_classes_scores_are_scikit_learns_of_models_fitted_here():
    trial, released = run_once(THREE), training.sample_release(THREE)
    noisy, unit, truth = (released.X_noisy, released.y_noisy), released.X_test / (K - 1), np.eye(3)[released.y_test]
    models = {
        CLEAN: logistic.NaiveLogisticRegression(THREE.pixels, C="cv").fit(released.X, released.y),
        NAIVE: logistic.NaiveLogisticRegression(THREE.pixels, C="cv").fit(*noisy),
        SPREAD: logistic.SpreadLogisticRegression(THREE.labels, THREE.pixels, C="cv").fit(*noisy),
    }
    clean = trial.fits[CLEAN].coef.ravel()
    for name, model in models.items():
        found = trial.fits[name]
        np.testing.assert_allclose(found.coef, model.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.proba, softmax(unit @ found.coef.T + found.intercept, axis=1), atol=1e-6)
        assert found.accuracy == accuracy_score(trial.y, found.proba.argmax(axis=1))
        assert found.log_loss == pytest.approx(log_loss(trial.y, found.proba), rel=1e-12)
        assert found.brier == pytest.approx(np.square(found.proba - truth).sum(axis=1).mean() / 2, rel=1e-12)
        coef = found.coef.ravel()
        cosine = coef @ clean / math.sqrt((coef @ coef) * (clean @ clean))
        assert math.cos(math.radians(found.angle)) == pytest.approx(cosine, abs=1e-9)
        for metric in METRICS:
            assert training.per_image(trial, name, metric).mean() == pytest.approx(getattr(found, metric), rel=1e-12)
    assert trial.attack.n == len(trial.y)
    assert trial.attack.image > 0.5 * trial.attack.n


def test_the_published_em_learns_three_classes(monkeypatch):
    monkeypatch.setattr(training.fit, "N_STEPS", 40)
    trial = training.run(replace(THREE, methods=(PUBLISHED,)))
    assert trial.fits[PUBLISHED].coef.shape == (3, 64)
    assert trial.fits[PUBLISHED].accuracy > 0.6, "a guess has a third"


def test_of_three_classes_the_confusion_and_each_classs_scores_are_scikit_learns():
    trials = [run_once(THREE), training.run(replace(THREE, trial=1, methods=(SPREAD,)))]
    counts = training.confusion_counts(trials, SPREAD)
    for found, trial in zip(counts, trials, strict=True):
        np.testing.assert_array_equal(found, confusion_matrix(trial.y, trial.fits[SPREAD].named))
    y, named = (np.concatenate(part) for part in zip(*((t.y, t.fits[SPREAD].named) for t in trials), strict=True))
    np.testing.assert_allclose(
        training.confusion(trials, SPREAD), confusion_matrix(y, named, normalize="true"), rtol=1e-12
    )
    scores = training.class_marks(trials, SPREAD)
    assert [mark.recall.mean for mark in scores] == pytest.approx(recall_score(y, named, average=None))
    assert [mark.precision.mean for mark in scores] == pytest.approx(precision_score(y, named, average=None))
    assert scores[1].recall == grouped_interval(counts[:, 1, 1], counts[:, 1].sum(axis=1))
    assert training.class_marks(trials[:1], SPREAD)[2].recall == wilson(counts[0, 2, 2], counts[0, 2].sum())


def test_a_class_that_is_never_named_has_no_precision():
    proba = np.array([[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.1, 0.6, 0.3], [0.2, 0.5, 0.3]])
    fit = Fit(SPREAD, proba, np.zeros((3, 4)), np.zeros(3), 0, 1, 1, 0.5, 1, 0.3, None)
    trial = Trial(THREE, {SPREAD: fit}, np.array([0, 0, 1, 2]), Attack(4, 0, 0, 0))
    scores = training.class_marks([trial], SPREAD)
    assert [mark.recall.mean for mark in scores] == [0.5, 1, 0]
    assert [mark.precision and mark.precision.mean for mark in scores] == [1, pytest.approx(1 / 3), None]
    assert training.most_confused([trial], SPREAD) == (2, 1)
    bins = training.calibration([trial], SPREAD)
    assert [(b.predicted, b.observed.mean, b.n) for b in bins] == [(0.5, 0, 2), (0.6, 1, 1), (0.7, 1, 1)]


@pytest.mark.parametrize(
    "config", [DIGITS, ADDED, OUTWEIGHED, replace(DIGITS, labels=BinaryChannel(0.9, 0.3), methods=(CLEAN,))]
)
def test_the_attack_made_again_names_as_many(config):
    _, _, X_noisy, y_noisy, X_test, y, _ = training.sample_release(config)
    rng = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(config.trial, 3)))
    X_fresh, y_fresh = config.pixels.randomise(X_test, rng), config.labels.randomise(y, rng)
    model = logistic.SpreadLogisticRegression(config.labels, config.pixels, C="cv").fit(X_noisy, y_noisy)
    inverted = config.labels.channel_matrix[0, 1] + config.labels.channel_matrix[1, 0] > 1
    attack = run_once(config).attack
    assert attack.n == len(y)
    assert attack.label == ((y_fresh == y) != inverted).sum()
    assert attack.image == ((model.released_proba(X_fresh)[:, 1] > 0.5) == y).sum()
    log_odds, rows = logit(model.released_proba(X_fresh)[:, 1]), config.labels.channel_matrix[y_fresh]
    factors = np.exp(np.linspace(-math.log(20), math.log(20), 2001))
    likelihoods = [np.log(rows[:, 0] * expit(-f * log_odds) + rows[:, 1] * expit(f * log_odds)).sum() for f in factors]
    of_both = factors[int(np.argmax(likelihoods))] * log_odds + np.log(rows[:, 1] / rows[:, 0])
    assert abs(attack.both - ((of_both > 0) == y).sum()) <= 1


def test_an_adversary_who_sees_both_is_not_too_unsure_of_images():
    config = replace(DIGITS, labels=RandomisedResponse(0.3), methods=(CLEAN,))
    attacks = [training.run(with_trial(config, i)).attack for i in range(5)]
    image, both = (sum(getattr(attack, source) for attack in attacks) for source in ("image", "both"))
    assert both > image


@pytest.mark.parametrize("factor", [0.2, 1, 3.5])
def test_the_stretch_found_is_that_of_the_probabilities(factor):
    rng = np.random.default_rng(5)
    log_odds, channel = rng.normal(0, 2, 200_000), RandomisedResponse(0.2).channel_matrix
    truth = rng.random(log_odds.size) < expit(factor * log_odds)
    rows = channel[np.where(rng.random(truth.size) < 0.2, ~truth, truth).astype(int)]
    found = adversary.best_stretch(np.stack([expit(-log_odds), expit(log_odds)], axis=1), rows)
    assert found == pytest.approx(factor, rel=0.03)


@pytest.mark.parametrize("labels", [RandomisedResponse(0.2), BinaryChannel(0.1, 0.4), BinaryChannel(0.9, 0.3)])
def test_the_best_guess_is_that_of_the_best_of_all_rules(labels):
    rules = itertools.product((0, 1), repeat=2)
    best = max(sum(labels.channel_matrix[said, truth] for said, truth in enumerate(rule)) / 2 for rule in rules)
    assert training.best_guess(labels) == pytest.approx(best, abs=1e-15)


def test_equivalent_epsilon_is_that_of_the_lie_that_gives_as_much_away():
    for p in (0.001, 0.2, 0.5):
        for accuracy in (p, 1 - p):  # always wrong tells as much
            assert training.equivalent_epsilon(accuracy) == pytest.approx(RandomisedResponse(p).epsilon, abs=1e-12)
    assert training.equivalent_epsilon(0.7, 10) == pytest.approx(RandomisedResponse(0.3, 10).epsilon, abs=1e-12)
    assert training.equivalent_epsilon(1.0) == training.equivalent_epsilon(0.0) == math.inf


def make_trial(probas, y, trial=0):
    """A trial in which methods give the images of classes `y` these probabilities of class 1."""
    y = np.asarray(y)
    fits = {}
    for name, given in probas.items():
        p = np.asarray(given, dtype=float)
        scores = accuracy_score(y, p > 0.5), log_loss(y, p), brier_score_loss(y, p)
        fits[name] = Fit(name, p, np.arange(4.0), 0.5, 10.0 * (trial + 1), 0.1, 0.2, *map(float, scores), None)
    return Trial(TrainingConfig("digits", trial=trial), fits, y, Attack(len(y), 0, 0, 0))


@pytest.fixture(scope="module")
def three_trials():
    """Three methods in three trials of a hundred images each, better and worse."""
    rng, trials = np.random.default_rng(1), []
    for trial in range(3):
        y = rng.integers(0, 2, 100)
        score = 2 * y - 1 + rng.normal(size=100)
        trials.append(make_trial({CLEAN: expit(3 * score), NAIVE: expit(score), SPREAD: expit(2 * score)}, y, trial))
    return trials


@pytest.mark.parametrize("metric", METRICS)
def test_scores_and_differences_have_the_textbooks_intervals(three_trials, metric):
    scores = {name: [getattr(t.fits[name], metric) for t in three_trials] for name in (NAIVE, SPREAD)}
    assert training.mean_score(three_trials, NAIVE, metric) == student(scores[NAIVE])
    gaps = np.subtract(scores[SPREAD], scores[NAIVE])
    assert training.difference(three_trials, SPREAD, NAIVE, metric) == student(gaps)
    one = three_trials[:1]
    images = {name: training.per_image(one[0], name, metric) for name in (NAIVE, SPREAD)}
    single = wilson(images[NAIVE].sum(), 100) if metric == "accuracy" else student(images[NAIVE])
    assert training.mean_score(one, NAIVE, metric) == single
    assert training.difference(one, SPREAD, NAIVE, metric) == student(images[SPREAD] - images[NAIVE])


def test_attack_rates_are_over_trials_and_of_one_over_its_releases():
    base = make_trial({CLEAN: [0.2, 0.9]}, [0, 1])
    trials = [replace(base, attack=attack) for attack in (Attack(100, 80, 90, 95), Attack(50, 30, 50, 20))]
    right = {"label": (80, 30), "image": (90, 50), "both": (95, 20)}
    assert training.attack_rates(trials) == {name: grouped_interval(n, (100, 50)) for name, n in right.items()}
    assert training.attack_rates(trials[:1])["image"] == wilson(90, 100)


def test_merged_trials_keep_their_own_fits_and_only_those_that_had_a_method_count(three_trials):
    probas = {PUBLISHED: np.full(100, 0.6), NAIVE: np.full(100, 0.5)}
    published = [make_trial(probas, t.y, t.config.trial) for t in three_trials[:2]]
    trials = training.merge(three_trials, published)
    assert [set(trial.fits) for trial in trials] == [{CLEAN, NAIVE, SPREAD, PUBLISHED}] * 2 + [{CLEAN, NAIVE, SPREAD}]
    assert training.having(trials, PUBLISHED) == trials[:2]
    gaps = np.array([t.fits[PUBLISHED].accuracy - t.fits[NAIVE].accuracy for t in trials[:2]])
    assert training.difference(trials, PUBLISHED, NAIVE, "accuracy") == student(gaps)
    assert training.mean_score(trials, PUBLISHED, "brier") == student([t.fits[PUBLISHED].brier for t in published])
    assert training.mean_of(trials, PUBLISHED, "angle") == pytest.approx(15)


def test_calibration_by_hand():
    trial = make_trial({NAIVE: [0.0, 0.04, 0.5, 0.55, 0.75, 1.0]}, [0, 1, 1, 0, 1, 1])
    bins = training.calibration([trial], NAIVE)
    assert [(b.n, b.observed.mean) for b in bins] == [(2, 0.5), (2, 0.5), (1, 1.0), (1, 1.0)]
    assert [b.predicted for b in bins] == pytest.approx([0.02, 0.525, 0.75, 1.0], abs=1e-15)
    assert bins[-1].observed == wilson(1, 1)
    assert training.calibration_error([trial], NAIVE) == pytest.approx((2 * 0.48 + 2 * 0.025 + 0.25) / 6, abs=1e-15)
    half = [make_trial({NAIVE: [0.55] * 10}, [0] * (10 - n) + [1] * n, i) for i, n in enumerate((6, 8))]
    (middle,) = training.calibration(half, NAIVE)
    assert (middle.n, middle.observed) == (20, grouped_interval((6, 8), (10, 10)))
    assert training.n_constant_predictions(half, NAIVE)
    assert not training.n_constant_predictions([trial], NAIVE)


# Six digits are written; half a unit of the last is at most 5·10⁻⁶ of the number.
WRITTEN = 5e-6
# What another machine's order of sums may move: the fits stop at a gradient of 10⁻⁵, two of 1,800 images, 10⁻³ nats.
AGAIN = {"accuracy": 2 / 1800, "log_loss": 1e-3, "brier": 1e-3, "angle": 0.2, "attack_image": 2 / 1800}


@pytest.fixture
def random_rows():
    """Three methods in four trials at two levels, in a file's order."""
    rng = np.random.default_rng(0)
    places = itertools.product((0.1, 0.25), (CLEAN, NAIVE, SPREAD), range(4))
    return tuple(Row(level, trial, method, *rng.random(6).tolist()) for level, method, trial in places)


def scores(rows, level, method, metric):
    return np.array([getattr(row, metric) for row in rows if (row.level, row.method) == (level, method)])


def test_points_are_means_and_methods_are_compared_on_the_trials_they_share(random_rows):
    rows = tuple(row for row in reversed(random_rows) if row.method != SPREAD or row.trial < 2)
    for method, curve in studies.points(rows).items():
        assert [(point.level, point.n_trials) for point in curve] == [
            (p, 2 if method == SPREAD else 4) for p in (0.1, 0.25)
        ]
        for point in curve:
            assert point.accuracy == student(scores(rows, point.level, method, "accuracy"))
            assert point.log_loss == student(scores(rows, point.level, method, "log_loss"))
    found = studies.compare(rows, SPREAD, NAIVE, "log_loss")
    assert list(found) == [0.1, 0.25]
    for level, gap in found.items():
        gaps = scores(random_rows, level, SPREAD, "log_loss") - scores(random_rows, level, NAIVE, "log_loss")
        assert gap == student(gaps[:2])


@pytest.mark.parametrize("name", STUDIES)
def test_shipped_files_hold_every_level_method_and_trial_once(name):
    study, rows = STUDIES[name], studies.load(name)
    trials = range(results.N_TRIALS)
    expected = [(level, trial, method) for level in study.levels for method in study.methods for trial in trials]
    assert sorted((row.level, row.trial, row.method) for row in rows) == sorted(expected)


@pytest.mark.mnist
def test_recomputed_rows_match_the_results_file(mnist):
    name, level, trial, methods, other = "asymmetric", 0.3, 4, (CLEAN, NAIVE, SPREAD), 0.4
    shipped = {(row.level, row.trial, row.method): row for row in studies.load(name)}

    def near(one, two, mark):
        return abs(getattr(one, mark) - getattr(two, mark)) <= AGAIN[mark] + WRITTEN

    for row in running.in_one_thread(studies.run_trial, name, level, methods, trial):
        same = shipped[level, trial, row.method]
        assert all(near(row, same, mark) for mark in AGAIN)
        assert math.isclose(row.C, same.C, rel_tol=WRITTEN)
        if row.method != CLEAN:
            assert not near(row, shipped[other, trial, row.method], "log_loss")
