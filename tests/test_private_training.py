"""Training on releases: every number against scikit-learn, against fits made here, and against attacks made again."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss
from threadpoolctl import threadpool_limits

from privdemo import datasets
from privdemo.estimators import pixel_priors
from privdemo.estimators.logistic import NaiveLogisticRegression, SpreadLogisticRegression
from privdemo.experiments import training
from privdemo.experiments.draws import at_draw
from privdemo.experiments.training import METRICS, Attack, Fit, TrainingConfig, Trial
from privdemo.intervals import Estimate, grouped_interval
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse, to_unit
from privdemo.methods import CLEAN, FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING, TRUE

K = 17
QUICK = tuple(name for name in TRAINING if name != PUBLISHED)
DIGITS = TrainingConfig("digits", n_train=30, pixels=RandomisedResponse(0.2, K), methods=QUICK)
CASES = [
    DIGITS,
    replace(DIGITS, pixels=GaussianNoise(0.3), labels=BinaryChannel(0.1, 0.3), classes=("8", "3")),
    replace(DIGITS, labels=BinaryChannel(0.9, 0.8), draw=3),  # lies outweigh truths
    replace(DIGITS, pixels=RandomisedResponse(0.0, K), labels=RandomisedResponse(0.0), seed=5),
    replace(DIGITS, methods=(PUBLISHED,), n_train=20),
]


@pytest.fixture(autouse=True)
def one_thread():
    """The same sums in the same order, so that what is done twice is equal."""
    with threadpool_limits(1, user_api="blas"):
        yield


def released(config):
    """Train and test parts, and what the train part releases, made here from the documented streams."""
    people, pixels, labels, adversary = (
        np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(config.draw, i))) for i in range(4)
    )
    chosen = datasets.load(config.dataset).select_classes(config.classes)
    train, test = chosen.split(config.n_train, training.sizes(config.dataset, config.classes)[1], people)
    X, X_test = (to_unit(d.X, K) if isinstance(config.pixels, GaussianNoise) else d.X for d in (train, test))
    return (
        (X, train.y, X_test, test.y),
        (config.pixels.randomise(X, pixels), config.labels.randomise(train.y, labels)),
        adversary,
    )


def numbers(draw):
    """All that a draw found, but for the time it took."""
    fits = {
        name: (
            fit.proba.tolist(),
            fit.coef.tolist(),
            *(v for k, v in vars(fit).items() if np.isscalar(v) and k != "seconds"),
        )
        for name, fit in draw.fits.items()
    }
    return fits, draw.y.tolist(), draw.attack


def made(probas, y, draw=0, attack=None):
    """A draw with the given probabilities, its marks by scikit-learn."""
    y = np.asarray(y)
    fits = {}
    for name, given in probas.items():
        p = np.asarray(given, dtype=float)
        marks = accuracy_score(y, p > 0.5), log_loss(y, p), brier_score_loss(y, p)
        fits[name] = Fit(name, p, np.arange(4.0), 0.5, 10.0 * (draw + 1), 0.1, 0.2, *map(float, marks), None)
    return Trial(replace(DIGITS, draw=draw), fits, y, attack or Attack(len(y), 0, 0, 0))


def student(values):
    interval = stats.ttest_1samp(values, 0).confidence_interval()
    return pytest.approx((np.mean(values), interval.low, interval.high), abs=1e-12)


def wilson(k, n):
    interval = stats.binomtest(int(k), int(n)).proportion_ci(0.95, method="wilson")
    return pytest.approx((k / n, interval.low, interval.high), abs=1e-12)


@pytest.fixture(scope="module")
def three_draws():
    """Two methods on three draws of a hundred images each, better and worse."""
    rng = np.random.default_rng(1)
    draws = []
    for draw in range(3):
        y = rng.integers(0, 2, 100)
        score = 2 * y - 1 + rng.normal(size=100)
        draws.append(made({CLEAN: expit(3 * score), NAIVE: expit(score), SPREAD: expit(2 * score + 0.5)}, y, draw))
    return draws


# --- run ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", CASES)
def test_marks_are_scikit_learns_and_weights_give_the_probabilities(config):
    draw = training.run(config)
    assert set(draw.fits) == {CLEAN, *config.methods}
    images = training.test_images(config).reshape(len(draw.y), -1)
    grey = {to: level for level, to in enumerate(np.floor(np.arange(K) * 255 / (K - 1) + 0.5).astype(int))}
    unit = np.vectorize(grey.get)(images) / (K - 1)
    for name, fit in draw.fits.items():
        assert fit.method == name
        # a logistic function is nowhere steeper than ¼, and pixels may be rounded to single precision
        tolerance = 0.25 * 2**-24 * np.abs(fit.coef).sum() + 1e-12
        np.testing.assert_allclose(fit.proba, expit(unit @ fit.coef + fit.intercept), rtol=0, atol=tolerance)
        assert fit.accuracy == accuracy_score(draw.y, fit.proba > 0.5)
        assert fit.log_loss == pytest.approx(log_loss(draw.y, fit.proba), rel=1e-12)
        assert fit.brier == pytest.approx(brier_score_loss(draw.y, fit.proba), rel=1e-12)
        clean = draw.fits[CLEAN].coef
        cosine = fit.coef @ clean / math.sqrt((fit.coef @ fit.coef) * (clean @ clean))
        assert math.cos(math.radians(fit.angle)) == pytest.approx(cosine, abs=1e-9)
        assert fit.seconds > 0
        assert (fit.effective_samples is not None) == (name == PUBLISHED)
    assert draw.fits[CLEAN].angle == pytest.approx(0, abs=1e-5)  # the arc cosine of 1 − 10⁻¹⁶ is 10⁻⁶ degrees
    assert all(fit.angle > 1 for name, fit in draw.fits.items() if name != CLEAN) or config is CASES[3]
    if PUBLISHED in draw.fits:
        assert 1 <= draw.fits[PUBLISHED].effective_samples <= training.N_SAMPLES


def test_the_same_config_gives_the_same_and_another_seed_or_draw_does_not():
    first = training.run(DIGITS)
    assert numbers(training.run(replace(DIGITS))) == numbers(first)
    others = [training.run(replace(DIGITS, **change)) for change in ({"seed": 1}, {"draw": 1})]
    for one, other in itertools.combinations([first, *others], 2):
        for name in QUICK:
            assert not np.array_equal(one.fits[name].proba, other.fits[name].proba)
            assert not np.array_equal(one.fits[name].coef, other.fits[name].coef)
    pictures = [training.test_images(replace(DIGITS, draw=i)).tobytes() for i in range(4)]
    assert len(set(pictures)) == 4


def test_methods_do_not_change_one_another():
    full = numbers(training.run(DIGITS))
    for methods in ((CLEAN,), (SPREAD, NAIVE), (FLAT, FLAT)):
        fits, y, attack = numbers(training.run(training.with_methods(DIGITS, methods)))
        assert fits == {name: full[0][name] for name in fits}
        assert set(fits) == {CLEAN, *methods}
        assert (y, attack) == full[1:]


@pytest.mark.parametrize("config", CASES[:2])
def test_fits_are_those_made_here_on_the_same_release(config):
    draw = training.run(config)
    (X, y, X_test, y_test), (X_noisy, y_noisy), _ = released(config)
    np.testing.assert_array_equal(draw.y, y_test)
    frequencies = pixel_priors.state_frequencies(released(replace(config, pixels=DIGITS.pixels))[0][0], K)
    true = (
        pixel_priors.true_prior(config.pixels, frequencies)
        if config.pixels == DIGITS.pixels
        else pixel_priors.true_gaussian_prior(X)
    )
    for name, model, data in (
        (CLEAN, NaiveLogisticRegression(config.pixels, C="cv"), (X, y)),
        (NAIVE, NaiveLogisticRegression(config.pixels, C="cv"), (X_noisy, y_noisy)),
        (SPREAD, SpreadLogisticRegression(config.labels, config.pixels, C="cv"), (X_noisy, y_noisy)),
        (FLAT, SpreadLogisticRegression(config.labels, config.pixels, "flat", C="cv"), (X_noisy, y_noisy)),
        (TRUE, SpreadLogisticRegression(config.labels, config.pixels, true, C="cv"), (X_noisy, y_noisy)),
    ):
        model.fit(*data)
        fit = draw.fits[name]
        np.testing.assert_allclose(fit.coef, model.coef_[0], rtol=1e-9, atol=1e-12)
        assert fit.intercept == pytest.approx(model.intercept_[0], rel=1e-9)
        assert fit.C == model.C_
        np.testing.assert_allclose(fit.proba, model.predict_proba(X_test)[:, 1], rtol=1e-9)


class Recorder(NaiveLogisticRegression):
    """A method that keeps what it was given."""

    seen = None

    def fit(self, X, y):
        Recorder.seen = np.array(X), np.array(y)
        return super().fit(X, y)


@pytest.fixture
def given(monkeypatch):
    """What a method is given to learn from, clean or released."""

    def look(config, on_clean=False):
        name = CLEAN if on_clean else NAIVE
        with monkeypatch.context() as patch:
            patch.setitem(training.fit._MAKE, name, lambda pixels, *_: Recorder(pixels))
            training.run(replace(config, methods=(name,)))
        return Recorder.seen

    return look


def test_methods_learn_from_releases_with_the_noise_asked_for(given):
    config = replace(DIGITS, n_train=100, labels=BinaryChannel(0.3, 0.1))
    X, y = given(config, on_clean=True)
    X_noisy, y_noisy = given(config)
    assert y.tolist() == [0] * 100 + [1] * 100
    changed = (X_noisy != X).mean()
    tolerance = 5 * math.sqrt(0.2 * 0.8 / X.size)
    assert abs(changed - 0.2) <= tolerance
    assert abs(changed - 0.25) > tolerance
    for truth, p in ((0, 0.3), (1, 0.1)):
        lies = (y_noisy != y)[y == truth].mean()
        assert abs(lies - p) <= 5 * math.sqrt(p * (1 - p) / 100)
    assert (y_noisy != y)[y == 0].sum() > (y_noisy != y)[y == 1].sum()
    sigma = (given(replace(config, pixels=GaussianNoise(0.3)))[0] - X / (K - 1)).std()
    assert abs(sigma - 0.3) <= 5 * 0.3 / math.sqrt(2 * X.size) < abs(sigma - 0.32)


def test_one_level_of_noise_does_not_move_what_else_is_random(given):
    X, y = given(DIGITS, on_clean=True)
    X_noisy, y_noisy = given(DIGITS)
    more = replace(DIGITS, pixels=RandomisedResponse(0.5, K))
    X_more, y_more = given(more)
    np.testing.assert_array_equal(given(more, on_clean=True)[0], X)
    np.testing.assert_array_equal(y_more, y_noisy)
    assert (X_noisy != X_more).any()
    assert ((X_noisy == X) | (X_more != X) | (X_more == X_noisy)).all()  # more noise redraws more pixels, the same way
    X_lies, y_lies = given(replace(DIGITS, labels=RandomisedResponse(0.4)))
    np.testing.assert_array_equal(X_lies, X_noisy)
    assert (y_lies != y)[y_noisy != y].mean() > 0.4  # lies with 0.2 stay redrawn, half of them as lies
    assert (y_lies != y_noisy).any()
    added = replace(DIGITS, pixels=GaussianNoise(0.2))
    np.testing.assert_array_equal(given(added)[1], y_noisy)
    np.testing.assert_allclose(given(added, on_clean=True)[0] * (K - 1), X, atol=1e-12)
    for config in (more, added):
        np.testing.assert_array_equal(training.test_images(config), training.test_images(DIGITS))
    one, other = (training.run(replace(c, methods=(CLEAN,))) for c in (DIGITS, more))
    np.testing.assert_array_equal(one.fits[CLEAN].proba, other.fits[CLEAN].proba)


def test_a_penalty_is_not_chosen_by_clean_labels(monkeypatch):
    """What no method is given cannot move it: with other labels in the test part all weights stay."""
    first = training.run(DIGITS)
    split = training.release._split

    def swapped(config, rng):
        train, test = split(config, rng)
        return train, replace(test, y=1 - test.y)

    monkeypatch.setattr(training.release, "_split", swapped)
    other = training.run(DIGITS)
    for name in QUICK:
        np.testing.assert_array_equal(other.fits[name].coef, first.fits[name].coef)
        assert other.fits[name].accuracy == pytest.approx(1 - first.fits[name].accuracy, abs=1e-12)


# --- people and test images --------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [("7", "9"), ("1", "8"), ("0", "4")])
def test_sizes_share_out_the_digits(classes, given):
    source = datasets.load("digits")
    smaller = min(int((source.y == int(c)).sum()) for c in classes)
    most, n_test = training.sizes("digits", classes)
    assert most + n_test == smaller
    assert n_test == smaller // 3
    config = replace(DIGITS, classes=classes, n_train=most)
    X, y = given(config, on_clean=True)
    test = training.test_images(config)
    assert test.shape == (2 * n_test, 8, 8)
    assert test.dtype == np.uint8
    of_class = {image.tobytes(): str(c) for image, c in zip(source.X, source.y, strict=True)}
    assert len(of_class) == len(source.X)  # no image twice, so that sets of images are sets of people
    back = np.round(test.reshape(len(test), -1) / 255 * (K - 1)).astype(np.uint8)
    trained, tried = ([image.tobytes() for image in images] for images in (X, back))
    assert [of_class[image] for image in trained] == [classes[c] for c in y]
    assert [of_class[image] for image in tried] == [classes[0]] * n_test + [classes[1]] * n_test
    assert len({*trained, *tried}) == 2 * (most + n_test)


@pytest.mark.mnist
def test_sizes_of_mnist_keep_to_the_publishers_parts(mnist):
    assert training.sizes("mnist", ("7", "9")) == (5949, 900)
    assert training.sizes("mnist", ("9", "5")) == (5421, 892)
    config = TrainingConfig(n_train=20, methods=(CLEAN,))
    published = {image.tobytes() for image in mnist.test.X}
    assert all(image.tobytes() in published for image in training.test_images(config).reshape(1800, -1))


# --- the attack --------------------------------------------------------------------------------------


ONE_ANSWER = [replace(DIGITS, labels=BinaryChannel(0.9, 0.3)), replace(DIGITS, labels=BinaryChannel(0.1, 0.7))]


@pytest.mark.parametrize("config", [*CASES[:3], *ONE_ANSWER])
def test_the_attack_made_again_names_as_many(config):
    draw = training.run(config)
    (_, _, X_test, y), (X_noisy, y_noisy), rng = released(config)
    X_fresh, y_fresh = config.pixels.randomise(X_test, rng), config.labels.randomise(y, rng)
    spy = SpreadLogisticRegression(config.labels, config.pixels, C="cv").fit(X_noisy, y_noisy)
    inverted = 1 - config.labels.channel_matrix[0, 1] - config.labels.channel_matrix[1, 0] < 0
    assert draw.attack.n == len(y)
    assert draw.attack.label == ((y_fresh == y) != inverted).sum()
    assert draw.attack.image == ((spy.released_proba(X_fresh)[:, 1] > 0.5) == y).sum()
    assert draw.attack.both == ((spy.released_proba(X_fresh, y_fresh)[:, 1] > 0.5) == y).sum()


@pytest.mark.parametrize(
    ("labels", "right", "wrong"),
    [
        (RandomisedResponse(0.2), 0.8, (0.7, 0.9)),
        (BinaryChannel(0.1, 0.4), 0.75, (0.6, 0.9)),
        (BinaryChannel(0.9, 0.9), 0.9, (0.1, 0.8)),
    ],
)
def test_the_label_alone_gives_away_what_its_lie_promises(labels, right, wrong):
    config = replace(DIGITS, n_train=20, labels=labels, methods=(CLEAN,))
    draws = [training.run(at_draw(config, i)) for i in range(12)]
    found = training.attack_rates(draws)
    n = sum(draw.attack.n for draw in draws)
    assert n == 12 * 118
    tolerance = 5 * math.sqrt(right * (1 - right) / n)
    assert abs(found["label"].mean - right) <= tolerance
    for other in wrong:
        assert abs(found["label"].mean - other) > tolerance
    assert training.best_guess(labels) == pytest.approx(right, abs=1e-12)


def test_attack_rates_are_over_draws_and_of_one_draw_over_its_releases():
    base = made({CLEAN: [0.2, 0.9]}, [0, 1])
    draws = [replace(base, attack=attack) for attack in (Attack(100, 80, 90, 95), Attack(50, 30, 50, 20))]
    rates = training.attack_rates(draws)
    for source, right in {"label": (80, 30), "image": (90, 50), "both": (95, 20)}.items():
        assert rates[source] == grouped_interval(right, (100, 50))
    assert training.attack_rates(draws[:1]) == {
        "label": wilson(80, 100),
        "image": wilson(90, 100),
        "both": wilson(95, 100),
    }


@pytest.mark.parametrize(
    "labels", [RandomisedResponse(0.2), RandomisedResponse(0.5), BinaryChannel(0.1, 0.4), BinaryChannel(0.9, 0.3)]
)
def test_the_best_guess_is_that_of_the_best_of_all_rules(labels):
    rates = labels.channel_matrix
    rules = [
        sum(rates[said, truth] for said, truth in enumerate(rule)) / 2 for rule in itertools.product((0, 1), repeat=2)
    ]
    assert training.best_guess(labels) == pytest.approx(max(rules), abs=1e-15)


def test_equivalent_epsilon_is_that_of_the_lie_that_gives_as_much_away():
    for p in (0.001, 0.1, 0.2, 0.49, 0.5):
        lie = RandomisedResponse(p)
        assert training.equivalent_epsilon(training.best_guess(lie)) == pytest.approx(lie.epsilon, abs=1e-12)
        assert training.equivalent_epsilon(p) == pytest.approx(lie.epsilon, abs=1e-12)  # always wrong tells as much
    assert training.equivalent_epsilon(1.0) == training.equivalent_epsilon(0.0) == math.inf
    for accuracy in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match=r"share must be in \[0, 1\], got"):
            training.equivalent_epsilon(accuracy)


# --- many draws --------------------------------------------------------------------------------------


def test_questions_of_other_draws_and_methods():
    assert at_draw(DIGITS, 4) == replace(DIGITS, draw=4)
    assert training.with_methods(DIGITS, (NAIVE,)) == replace(DIGITS, methods=(NAIVE,))


@pytest.mark.parametrize("metric", METRICS)
def test_marks_of_images_average_to_that_of_the_draw(three_draws, metric):
    sure = made({CLEAN: [0.0, 1.0, 1.0, 0.5, 1e-12]}, [0, 1, 0, 1, 1])  # sure and wrong, undecided
    for draw in (*three_draws, sure):
        for name, fit in draw.fits.items():
            marks = training.per_image(draw, name, metric)
            assert marks.shape == draw.y.shape
            assert marks.mean() == pytest.approx(getattr(fit, metric), rel=1e-12)
    assert training.per_image(sure, CLEAN, metric)[0] == pytest.approx(1 if metric == "accuracy" else 0, abs=1e-15)


@pytest.mark.parametrize("metric", METRICS)
def test_scores_and_differences_have_the_textbooks_intervals(three_draws, metric):
    marks = {name: [getattr(d.fits[name], metric) for d in three_draws] for name in (NAIVE, SPREAD)}
    assert training.mean_score(three_draws, NAIVE, metric) == student(marks[NAIVE])
    gaps = np.subtract(marks[SPREAD], marks[NAIVE])
    assert training.difference(three_draws, SPREAD, NAIVE, metric) == student(gaps)
    one = three_draws[:1]
    images = {name: training.per_image(one[0], name, metric) for name in (NAIVE, SPREAD)}
    single = wilson(images[NAIVE].sum(), 100) if metric == "accuracy" else student(images[NAIVE])
    assert training.mean_score(one, NAIVE, metric) == single
    assert training.difference(one, SPREAD, NAIVE, metric) == student(images[SPREAD] - images[NAIVE])
    assert training.difference(one, SPREAD, SPREAD, metric) == (0, 0, 0)


def test_only_draws_that_had_the_method_count(three_draws):
    y = three_draws[0].y
    published = [made({PUBLISHED: np.full(100, 0.6)}, d.y, d.config.draw) for d in three_draws[:2]]
    draws = training.merge(three_draws, [*published, made({PUBLISHED: np.full(100, 0.1)}, y, 9)])
    assert [set(draw.fits) for draw in draws] == [{CLEAN, NAIVE, SPREAD, PUBLISHED}] * 2 + [{CLEAN, NAIVE, SPREAD}]
    assert [set(draw.fits) for draw in three_draws] == [{CLEAN, NAIVE, SPREAD}] * 3  # left as they were
    assert all(draws[i].fits[PUBLISHED] is published[i].fits[PUBLISHED] for i in range(2))
    assert training.having(draws, PUBLISHED) == draws[:2]
    assert training.having(draws, NAIVE) == draws
    marks = [draw.fits[PUBLISHED].accuracy for draw in published]
    assert training.mean_score(draws, PUBLISHED, "accuracy") == student(marks)
    gaps = [d.fits[PUBLISHED].accuracy - d.fits[NAIVE].accuracy for d in draws[:2]]
    for one, other, sign in ((PUBLISHED, NAIVE, 1), (NAIVE, PUBLISHED, -1)):
        assert training.difference(draws, one, other, "accuracy") == student(sign * np.array(gaps))
    assert training.mean_of(draws, PUBLISHED, "angle") == pytest.approx(15)
    assert training.mean_of(draws, NAIVE, "angle") == pytest.approx(20)
    with pytest.raises(ValueError, match="method must have been tried on a draw, got 'reconstruction'"):
        training.having(draws, RECONSTRUCTION)
    with pytest.raises(ValueError, match="method must have been tried on a draw, got 'naive'"):
        training.mean_score([], NAIVE, "accuracy")


def test_an_own_fit_is_not_replaced_by_another_of_the_same_draw():
    ours, theirs = made({CLEAN: [0.2, 0.9]}, [0, 1]), made({CLEAN: [0.4, 0.6], NAIVE: [0.4, 0.6]}, [0, 1])
    (merged,) = training.merge([ours], [theirs])
    assert merged.fits[CLEAN] is ours.fits[CLEAN]
    assert merged.fits[NAIVE] is theirs.fits[NAIVE]


# --- calibration -------------------------------------------------------------------------------------


def test_calibration_bins_hold_every_image_once(three_draws):
    proba = np.concatenate([draw.fits[NAIVE].proba for draw in three_draws])
    y = np.concatenate([draw.y for draw in three_draws])
    bins = iter(training.calibration(three_draws, NAIVE))
    error = 0.0
    for b in range(10):
        here = (proba >= b / 10) & ((proba < (b + 1) / 10) | (b == 9))
        if not here.any():
            continue
        found = next(bins)
        assert found.n == here.sum()
        assert found.said == pytest.approx(proba[here].mean(), abs=1e-12)
        inside = [np.minimum((draw.fits[NAIVE].proba * 10).astype(int), 9) == b for draw in three_draws]
        counts = [(draw.y[i].sum(), i.sum()) for draw, i in zip(three_draws, inside, strict=True) if i.any()]
        assert found.true == grouped_interval(*zip(*counts, strict=True))
        error += abs(proba[here].sum() - y[here].sum()) / len(y)
    assert next(bins, None) is None
    assert training.calibration_error(three_draws, NAIVE) == pytest.approx(error, abs=1e-12)


def test_calibration_by_hand():
    draw = made({NAIVE: [0.0, 0.04, 0.5, 0.55, 0.75, 1.0]}, [0, 1, 1, 0, 1, 1])
    bins = training.calibration([draw], NAIVE)
    assert [(b.n, b.true.mean) for b in bins] == [(2, 0.5), (2, 0.5), (1, 1.0), (1, 1.0)]
    assert [b.said for b in bins] == pytest.approx([0.02, 0.525, 0.75, 1.0], abs=1e-15)
    assert bins[-1].true == wilson(1, 1)
    assert training.calibration_error([draw], NAIVE) == pytest.approx((2 * 0.48 + 2 * 0.025 + 0.25) / 6, abs=1e-15)


def test_probabilities_that_are_true_are_calibrated_and_timid_ones_are_not():
    rng = np.random.default_rng(2)
    said = rng.random(20_000)
    draw = made({CLEAN: said, NAIVE: 0.5 + (said - 0.5) / 2}, rng.random(20_000) < said)
    # ten bins of about 2,000 images, none with a spread of more than √(¼/2000)
    assert training.calibration_error([draw], CLEAN) < 5 * math.sqrt(0.25 / 2000)
    assert training.calibration_error([draw], NAIVE) == pytest.approx(0.125, abs=5 * math.sqrt(0.25 / 20_000))


# --- words and tables --------------------------------------------------------------------------------


@pytest.mark.parametrize(("of_second", "expected"), [(0, True), (1, True), (2, False), (50, False), (99, True)])
def test_a_model_that_names_one_class_only_is_one_sided(of_second, expected):
    fair = made({NAIVE: [0.4] * 50 + [0.6] * 50}, [0] * 50 + [1] * 50)
    case = made({NAIVE: [0.4] * (100 - of_second) + [0.6] * of_second}, [0] * 50 + [1] * 50, 1)
    assert training.one_sided([fair, case], NAIVE) is expected
    assert not training.one_sided([fair], NAIVE)


def test_disputed_images_are_those_that_models_see_differently():
    draw = made({CLEAN: [0.1, 0.9, 0.5, 0.2], NAIVE: [0.2, 0.3, 0.5, 0.3], SPREAD: [0.15, 0.5, 0.9, 0.2]}, [0, 1, 1, 0])
    assert training.disputed(draw, 2).tolist() == [1, 2]  # they differ by 0.1, 0.6, 0.4 and 0.1
    assert training.disputed(draw, 4).tolist() == [1, 2, 0, 3]
    assert len(training.disputed(draw, 9)) == 4


def test_typical_images_are_the_first_of_each_class():
    draw = made({CLEAN: np.full(7, 0.4)}, [0, 1, 1, 0, 1, 0, 0])
    assert training.typical(draw, 4).tolist() == [0, 3, 1, 2]
    assert training.typical(draw, 2).tolist() == [0, 1]


def test_tables_hold_every_number(three_draws):
    draws = training.merge(three_draws, [made({PUBLISHED: np.full(100, 0.6)}, three_draws[1].y, 1)])
    rows = training.score_table(draws)
    assert [(row["draw"], row["method"]) for row in rows] == [(d.config.draw, name) for d in draws for name in d.fits]
    assert len(rows) == 10
    for row in rows:
        draw = draws[row["draw"]]
        fit = draw.fits[row["method"]]
        for column in ("accuracy", "log_loss", "brier", "C", "seconds", "effective_samples"):
            assert row[column] == getattr(fit, column)
        assert row["angle_to_clean"] == fit.angle
        for source in ("label", "image", "both"):
            assert row[f"attack_from_{source}"] == getattr(draw.attack, source) / draw.attack.n
    bins = training.calibration_table(draws, (NAIVE, SPREAD))
    assert [(r["method"], r["said"], Estimate(r["true"], r["low"], r["high"]), r["n"]) for r in bins] == [
        (name, b.said, b.true, b.n) for name in (NAIVE, SPREAD) for b in training.calibration(draws, name)
    ]
    weights = training.weight_table(draws[0])
    assert [row["method"] for row in weights] == list(draws[0].fits)
    assert all(list(row.values())[1:] == [0.5, 0.0, 1.0, 2.0, 3.0] for row in weights)
    chosen = np.array([3, 0, 7])
    digits = training.digit_table(draws[0], chosen)
    assert [row["image"] for row in digits] == [3, 0, 7]
    assert [row["true_class"] for row in digits] == [("7", "9")[draws[0].y[i]] for i in chosen]
    for name in (CLEAN, NAIVE, SPREAD):
        assert [row[f"proba_{name}"] for row in digits] == draws[0].fits[name].proba[chosen].tolist()


# --- configs that make no sense ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"classes": ("7",)}, r"classes must be two or more different ones, got \('7',\)"),
        ({"classes": ()}, r"classes must be two or more different ones, got \(\)"),
        ({"classes": ("7", "7")}, r"classes must be two or more different ones, got \('7', '7'\)"),
        ({"classes": ("7", "8", "9")}, "labels must be a mechanism on the 3 classes chosen, got one on 2"),
        ({"classes": ("7", "8", "9"), "labels": RandomisedResponse(0.2, 3)}, "classes must be two, got 3: 7, 8, 9"),
        ({"labels": RandomisedResponse(0.2, 3)}, "labels must be a mechanism on the 2 classes chosen, got one on 3"),
        ({"methods": (SPREAD, "guess")}, "methods must be one or more of clean, naive, .*, published, got guess"),
        ({"methods": ()}, "methods must be one or more of clean, naive, .*, published, got none"),
        ({"n_train": 19}, r"n_train must be a whole number in \[20, 6000\], got 19; people of each class"),
        ({"n_train": 6001}, r"n_train must be a whole number in \[20, 6000\], got 6001; people of each class"),
        ({"n_train": 25.0}, r"n_train must be a whole number in \[20, 6000\], got 25.0"),
        ({"seed": -1}, r"seed must be a whole number in \[0, 4294967295\], got -1"),
        ({"draw": 1000}, r"draw must be a whole number in \[0, 999\], got 1000; it counts the repeats"),
    ],
)
def test_bad_configs_say_what_is_wrong(change, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        replace(DIGITS, **change)


@pytest.mark.parametrize("methods", [(CLEAN,), (SPREAD, NAIVE)])
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n_train": 121}, r"n_train must be a whole number in \[20, 120\], got 121; digits has no more of 7 and 9"),
        ({"pixels": RandomisedResponse(16 / 17, K)}, "a flip probability of 0.9412 draws every pixel afresh"),
        ({"labels": RandomisedResponse(0.5)}, r"the lies .* add up to 1 \(7 sent as 9 with 0.5, 9 as 7 with 0.5\)"),
        ({"labels": BinaryChannel(0.3, 0.7)}, r"the lies .* add up to 1 \(7 sent as 9 with 0.3, 9 as 7 with 0.7\)"),
        ({"labels": BinaryChannel(1.0, 0.0)}, r"the lies .* add up to 1 \(7 sent as 9 with 1, 9 as 7 with 0\)"),
        ({"classes": ("7", "x")}, "unknown class 'x' of digits: name one of 0, 1"),
        ({"dataset": "nothing"}, "unknown data set 'nothing': choose one of mnist"),
        (
            {"dataset": "breast_cancer", "classes": ("malignant", "benign")},
            r"dataset must hold images \(mnist or digits\), got 'breast_cancer'",
        ),
    ],
)
def test_questions_without_an_answer_say_why(change, methods, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        training.run(replace(DIGITS, **change, methods=methods))


def test_as_many_people_as_there_are_can_be_trained_on():
    most, _ = training.sizes("digits", ("7", "9"))
    assert training.run(replace(DIGITS, n_train=most, methods=(NAIVE,))).fits[NAIVE].accuracy > 0.8


@pytest.mark.parametrize("k", [16, 18, 256])
def test_randomised_response_on_other_pixels_is_refused(k):
    with pytest.raises(ValueError, match=f"pixels must be a mechanism on the 17 states of digits, got one on {k}"):
        training.run(replace(DIGITS, pixels=RandomisedResponse(0.2, k)))


def test_people_who_all_send_the_same_label_are_said_to():
    config = replace(DIGITS, n_train=20, labels=BinaryChannel(0, 0.97))
    with pytest.raises(ValueError, match="all 40 people happened to send the label 7, and nothing can be learnt"):
        training.run(config)
