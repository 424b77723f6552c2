"""The image-noise experiment: reproducible, coupled, and right where the truth can be computed."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo import attacks, datasets, intervals
from privdemo.estimators import pixel_priors
from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig, GalleryConfig, Point
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse, to_unit
from privdemo.mechanisms.pixels import FAMILIES, family_of
from tests.conftest import missing

DIGITS_K, MNIST_K = 17, 256
DIGITS = Config("digits", pixels=RandomisedResponse(0.3, DIGITS_K), per_class=3, n_people=200)
CURVE = CurveConfig("digits", n_candidates=40)
MECHANISMS = [RandomisedResponse(0.3, DIGITS_K), GaussianNoise(0.3), LaplaceNoise(0.2)]
name = repr


def same(one, other):
    """Whether two results hold the same pictures, labels and numbers."""
    return (
        one.config == other.config
        and all(
            np.array_equal(getattr(one, field), getattr(other, field))
            for field in ("states", "clean", "released", "labels", "released_labels")
        )
        and all(np.array_equal(one.guesses[prior], other.guesses[prior]) for prior in images.PRIORS)
        and (one.changed_pixels, one.prior_gap, one.label_guess)
        == (other.changed_pixels, other.prior_gap, other.label_guess)
    )


def forget():
    """Empty the experiment's caches, so that what follows is computed anew."""
    for cached in (images.people.draw_people, images.people.noise_draws, images.people.true_frequencies):
        cached.cache_clear()


# --- the release -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_the_same_seed_gives_the_same_result_and_another_does_not(mechanism):
    config = replace(DIGITS, pixels=mechanism)
    first = images.run(config)
    forget()
    assert same(images.run(config), first)
    other = images.run(replace(config, seed=1))
    assert not np.array_equal(other.clean, first.clean)
    assert not np.array_equal(other.released, first.released)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_shapes_and_kinds(mechanism):
    result = images.run(replace(DIGITS, pixels=mechanism, classes=("3", "5", "8"), labels=RandomisedResponse(0.2, 3)))
    assert result.class_names == ("3", "5", "8")
    assert result.image_shape == (8, 8)
    assert result.n_states == DIGITS_K
    assert result.n_people == 198  # as many of each of three classes
    assert result.labels.tolist() == [0] * 3 + [1] * 3 + [2] * 3
    for pictures in (result.clean, result.released, *result.guesses.values()):
        assert pictures.shape == (9, 64)
        assert pictures.dtype == np.uint8
    assert tuple(result.guesses) == images.PRIORS
    np.testing.assert_array_equal(result.clean, mechanism.to_grey(mechanism.from_states(result.states, 17)))


def test_shown_people_are_of_the_classes_asked_for():
    source = datasets.load("digits")
    rows = {image.tobytes(): label for image, label in zip(source.X, source.y, strict=True)}
    result = images.run(DIGITS)
    assert [rows[image.tobytes()] for image in result.states] == [7] * 3 + [9] * 3


def test_fewer_people_where_the_data_set_ends():
    counts = np.bincount(datasets.load("digits").y)
    result = images.run(replace(DIGITS, n_people=5000))
    assert result.n_people == 2 * min(counts[7], counts[9])


def test_training_images_only(mnist):
    train = {image.tobytes() for image in mnist.train.select_classes(("7", "9")).X}
    result = images.run(Config(per_class=10))
    assert all(image.tobytes() in train for image in result.states)


def test_draws_serve_any_level_of_the_same_mechanism():
    for mechanism in MECHANISMS:
        result = images.run(replace(DIGITS, pixels=mechanism))
        again = mechanism.apply(mechanism.from_states(result.states, DIGITS_K), result.draws)
        np.testing.assert_array_equal(mechanism.to_grey(again), result.released)


def test_more_noise_never_undoes_a_change():
    levels = FAMILIES["randomised_response"].levels(DIGITS_K)
    releases = [images.run(replace(DIGITS, pixels=RandomisedResponse(p, DIGITS_K))) for p in levels]
    np.testing.assert_array_equal(releases[0].released, releases[0].clean)
    for less, more in itertools.pairwise(releases):
        changed = less.released != less.clean
        np.testing.assert_array_equal(more.released[changed], less.released[changed])
        assert more.changed_pixels > less.changed_pixels
        np.testing.assert_array_equal(more.released_labels, less.released_labels)
    other = images.run(replace(DIGITS, pixels=RandomisedResponse(levels[-1], DIGITS_K), seed=1))
    changed = releases[5].released != releases[5].clean
    assert (other.released[changed] != releases[5].released[changed]).any()  # independent draws would show


@pytest.mark.parametrize("flip_prob", [0.0, 0.1, 0.5, 16 / 17])
def test_changed_pixels(flip_prob):
    result = images.run(replace(DIGITS, pixels=RandomisedResponse(flip_prob, DIGITS_K)))
    n = result.n_people * 64
    # a redrawn pixel may get its own state again, so p itself is the share that changes; five standard errors
    tolerance = 64 * (5 * math.sqrt(flip_prob * (1 - flip_prob) / n) + 2.0**-23)
    assert abs(result.changed_pixels - 64 * flip_prob) <= tolerance
    assert abs(result.changed_pixels - 64 * (flip_prob + 0.05)) > tolerance


def by_hand(config):
    """Everyone's images, labels and releases of both, from the three streams of the seed."""
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(config.seed).spawn(3)]
    people = datasets.load("digits").select_classes(config.classes).draw(config.n_people // 2, streams[0])
    values = config.pixels.from_states(people.X, DIGITS_K)
    return people, config.pixels.randomise(values, streams[1]), config.labels.randomise(people.y, streams[2])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_a_run_recomputed_step_by_step(mechanism):
    config = replace(DIGITS, pixels=mechanism, labels=RandomisedResponse(0.4, 2), per_class=10, seed=3)
    result = images.run(config)
    people, released, released_labels = by_hand(config)
    shown = [*range(10), *range(100, 110)]
    np.testing.assert_array_equal(result.states, people.X[shown])
    np.testing.assert_array_equal(result.released, mechanism.to_grey(released[shown]))
    np.testing.assert_array_equal(result.released_labels, released_labels[shown])
    prior = pixel_priors.learned_prior(mechanism, released, DIGITS_K)  # everyone's releases teach
    guess = pixel_priors.posterior_mean(mechanism, released[shown], prior)
    np.testing.assert_array_equal(result.guesses["learned"], mechanism.to_grey(guess))
    few = pixel_priors.learned_prior(mechanism, released[shown], DIGITS_K)
    guess = pixel_priors.posterior_mean(mechanism, released[shown], few)
    assert (result.guesses["learned"] != mechanism.to_grey(guess)).any()
    right = []
    for learner in range(8):  # each taught by every eighth person, tried on the next ones
        taught = np.arange(200) % 8 == learner
        means = np.stack([released[taught & (released_labels == c)].mean(axis=0) for c in (0, 1)])
        tried = np.arange(200) % 8 == (learner + 1) % 8
        nearest = np.square(released[tried, None] - means).sum(axis=2).argmin(axis=1)
        right.append((nearest == people.y[tried]).mean())
    assert result.label_guess == pytest.approx(intervals.mean_interval(right), rel=1e-12)


def test_label_and_pixel_noise_use_streams_of_their_own():
    base = images.run(DIGITS)
    lied = images.run(replace(DIGITS, labels=RandomisedResponse(0.5, 2)))
    np.testing.assert_array_equal(lied.released, base.released)
    noisier = images.run(replace(DIGITS, pixels=RandomisedResponse(0.9, DIGITS_K)))
    np.testing.assert_array_equal(noisier.released_labels, base.released_labels)
    np.testing.assert_array_equal(noisier.clean, base.clean)


@pytest.mark.parametrize(
    "labels", [BinaryChannel(1.0, 1.0), BinaryChannel(0.0, 0.0), BinaryChannel(0.0, 1.0)], ids=name
)
def test_certain_lies_about_the_label(labels):
    result = images.run(replace(DIGITS, labels=labels))
    expected = [labels.p10, 1 - labels.p01]  # what each class sends
    np.testing.assert_array_equal(result.released_labels, np.array(expected)[result.labels])


def test_the_image_betrays_the_label():
    clean = images.run(replace(DIGITS, pixels=RandomisedResponse(0.0, DIGITS_K), labels=RandomisedResponse(0.0, 2)))
    assert clean.label_guess.low > 0.9
    lied = images.run(replace(DIGITS, labels=RandomisedResponse(0.2, 2)))
    assert lied.label_guess.low > 0.6  # from a few people's lied labels
    opposite = images.run(replace(DIGITS, labels=BinaryChannel(1.0, 1.0)))
    assert opposite.label_guess.low > 0.9  # who knows the channel is not fooled by certain lies
    useless = images.run(replace(DIGITS, pixels=RandomisedResponse(16 / 17, DIGITS_K), n_people=340))
    assert useless.label_guess.low < 0.5 < useless.label_guess.high + 0.05
    assert useless.label_guess.mean < lied.label_guess.low


def test_labels_that_say_nothing_teach_nothing():
    """Classifiers taught on pure noise point either way, which the interval must own up to."""
    silent = [images.run(replace(DIGITS, labels=RandomisedResponse(0.5, 2), seed=s)).label_guess for s in range(20)]
    covered = sum(guess.low <= 0.5 <= guess.high for guess in silent)
    assert covered >= 20 - 1 - 5 * math.sqrt(20 * 0.05 * 0.95)  # nineteen in twenty, five standard errors


def test_better_priors_guess_better():
    result = images.run(replace(DIGITS, pixels=RandomisedResponse(0.6, DIGITS_K), per_class=10, n_people=340))
    errors = {
        kind: np.square(pictures.astype(float) - result.clean).mean()
        for kind, pictures in {"released": result.released, **result.guesses}.items()
    }
    assert errors["true"] < errors["learned"] < errors["flat"] < errors["released"]
    assert result.prior_gap == 0


def test_no_noise_leaves_nothing_to_guess():
    result = images.run(replace(DIGITS, pixels=RandomisedResponse(0.0, DIGITS_K)))
    for pictures in (result.released, *result.guesses.values()):
        np.testing.assert_array_equal(pictures, result.clean)


def test_pure_noise_leaves_the_prior_mean():
    result = images.run(replace(DIGITS, pixels=RandomisedResponse(16 / 17, DIGITS_K)))
    np.testing.assert_array_equal(result.guesses["flat"], 128)
    np.testing.assert_array_equal(result.guesses["learned"], 128)  # nothing could be learnt
    assert (result.guesses["true"] == result.guesses["true"][0]).all()
    assert np.ptp(result.guesses["true"][0]) > 100


# --- what must not change ------------------------------------------------------------------------------


@pytest.mark.parametrize("dataset", ["digits", "mnist"])
def test_runs_never_change_the_data_set(dataset, request):
    source = request.getfixturevalue("mnist") if dataset == "mnist" else datasets.load("digits")
    before = source.X[:2000].copy(), source.y.copy()
    config = Config(dataset, pixels=RandomisedResponse(0.5, int(source.n_states.max())), n_people=100)
    for family in FAMILIES.values():
        images.run(images.with_mechanism(config, family, 0.3))
        images.measure(CurveConfig(dataset, family=family.name), 0.3)
    np.testing.assert_array_equal(source.X[:2000], before[0])
    np.testing.assert_array_equal(source.y, before[1])
    assert not source.X.flags.writeable


@pytest.mark.parametrize("family", FAMILIES)
def test_cached_draws_cannot_be_written_to(family):
    draws = images.people.noise_draws(family, DIGITS_K, (4, 64), 0)
    parts = draws if isinstance(draws, tuple) else (draws,)
    for part in parts:
        with pytest.raises(ValueError, match="read-only"):
            part[0, 0] = 0
    assert images.people.noise_draws(family, DIGITS_K, (4, 64), 0) is draws


# --- damage and linkage ---------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("dataset", "k"), [("digits", DIGITS_K), ("mnist", MNIST_K)])
def test_a_curve_is_its_measures(dataset, k, family, request):
    if dataset == "mnist":
        request.getfixturevalue("mnist")
    config = CurveConfig(dataset, family=family, n_candidates=30)
    points = images.curve(config)
    levels = FAMILIES[family].levels(k)
    assert [point.level for point in points] == levels.tolist()
    forget()
    for i in (0, 5, 16):
        assert images.measure(config, float(levels[i])) == points[i]
    assert images.measure(config, float(levels[5]) * 1.01) != points[5]
    assert images.measure(replace(config, seed=1), float(levels[5])) != points[5]
    assert all(point.n_candidates == 30 for point in points)
    # known people are found for sure next to no noise, and every error grows with the level
    assert points[0].linked.mean == 1
    for kind in ("absolute", "squared"):
        for estimates in ([getattr(p, kind).mean for p in points], [getattr(p.expected, kind) for p in points]):
            assert (np.diff(estimates) > 0).all()


@pytest.mark.parametrize("dataset", ["digits", "mnist"])
@pytest.mark.parametrize("n_candidates", [2, 7, 40, 100])
def test_linkage_is_certain_without_noise_and_chance_at_pure_noise(dataset, n_candidates, request):
    if dataset == "mnist":
        request.getfixturevalue("mnist")
    config = CurveConfig(dataset, n_candidates=n_candidates)
    clear, useless = images.curve(config)[:: len(FAMILIES["randomised_response"].levels(2)) - 1]
    assert clear.linked.mean == 1
    assert clear.absolute == (0, 0, 0)
    assert useless.linked.mean == pytest.approx(1 / n_candidates, rel=1e-12)
    assert useless.n_candidates == n_candidates


@pytest.mark.parametrize(
    ("classes", "n_candidates"), [(("1", "2", "3"), 100), (tuple("0123456789"), 12), (("4", "7"), 3)]
)
def test_there_are_as_many_candidates_as_asked_for(classes, n_candidates, monkeypatch):
    seen = []
    real = RandomisedResponse.pairwise_log_likelihood
    monkeypatch.setattr(RandomisedResponse, "pairwise_log_likelihood", lambda *args: seen.append(args) or real(*args))
    point = images.measure(CurveConfig("digits", classes, n_candidates=n_candidates), 16 / 17)
    candidates = seen[0][2]
    assert len(candidates) == point.n_candidates == n_candidates
    assert point.linked.mean == pytest.approx(1 / n_candidates, rel=1e-12)
    source = datasets.load("digits")
    labels = {image.tobytes(): label for image, label in zip(source.X, source.y, strict=True)}
    each = np.bincount([labels[image.tobytes()] for image in candidates], minlength=10)
    assert np.ptp(each[[int(c) for c in classes]]) <= 1 + (len(classes) > 2)  # as even as equal steps can be
    assert each.sum() == n_candidates


def test_a_point_says_how_many_candidates_there_were():
    counts = np.bincount(datasets.load("digits").y)
    point = images.measure(CurveConfig("digits", n_candidates=1000), 16 / 17)
    assert point.n_candidates == 2 * min(counts[7], counts[9])
    assert point.linked.mean == pytest.approx(1 / point.n_candidates, rel=1e-12)


@pytest.mark.parametrize("n_candidates", [40, 150, 300])
def test_every_class_sends_its_share(n_candidates, monkeypatch):
    owners = []
    real = attacks.linked
    monkeypatch.setattr(attacks, "linked", lambda scores, owner: owners.append(owner) or real(scores, owner))
    images.measure(CurveConfig("digits", n_candidates=n_candidates), 0.3)
    sends = np.bincount(owners[0], minlength=n_candidates)
    assert sends.sum() == images.N_RELEASES
    assert np.ptp(sends) <= 1
    # candidates are in class order: each half sends half, but for one release at the boundary
    assert abs(sends[: n_candidates // 2].sum() - images.N_RELEASES / 2) <= 1


@pytest.mark.parametrize("family", FAMILIES)
def test_a_measure_recomputed_step_by_step(family):
    level = 0.4
    point = images.measure(CurveConfig("digits", family=family, n_candidates=20, seed=5), level)
    people_rng, pixel_rng, _ = (np.random.default_rng(s) for s in np.random.SeedSequence(5).spawn(3))
    people = datasets.load("digits").select_classes(("7", "9")).draw(10, people_rng)
    mechanism = FAMILIES[family].make(level, DIGITS_K)
    values = people.X if family == "randomised_response" else to_unit(people.X, DIGITS_K)
    sent = np.repeat(values, 10, axis=0)  # each candidate sends ten
    released = mechanism.randomise(sent, pixel_rng)
    scale = 16 if family == "randomised_response" else 1
    errors = np.abs(released.astype(float) - sent) / scale
    assert point.absolute.mean == pytest.approx(errors.mean(), rel=1e-6)
    assert point.squared.mean == pytest.approx((errors**2).mean(), rel=1e-6)
    for estimate, power in ((point.absolute, 1), (point.squared, 2)):  # one image is one observation
        half = 1.971957 * (errors**power).mean(axis=1).std(ddof=1) / math.sqrt(200)
        assert estimate.high - estimate.mean == pytest.approx(half, rel=1e-5)
        assert estimate.mean - estimate.low == pytest.approx(half, rel=1e-5)
    scores = np.array([[mechanism.log_likelihood(r, c).sum() for c in values] for r in released.astype(float)])
    top = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    hits = (top[np.arange(200), np.arange(200) // 10] / top.sum(axis=1)).sum()
    assert point.linked == pytest.approx(intervals.wilson_interval(hits, 200), rel=1e-9)
    assert point.linked.mean > 0.2


@pytest.mark.parametrize(("family", "level"), [("randomised_response", 0.4), ("gaussian", 0.5), ("laplace", 0.5)])
def test_measured_intervals_hold_the_exact_expectation(family, level):
    seeds = 100
    points = [images.measure(CurveConfig("digits", family=family, seed=seed), level) for seed in range(seeds)]
    wrong = [images.measure(CurveConfig("digits", family=family, seed=s), level * 0.95) for s in range(seeds)]
    least = seeds * 0.95 - 5 * math.sqrt(seeds * 0.95 * 0.05)  # five standard deviations of a binomial
    for kind in ("absolute", "squared"):

        def held(expected, kind=kind):
            truths = [getattr(point.expected, kind) for point in expected]
            return sum(
                getattr(p, kind).low <= truth <= getattr(p, kind).high for p, truth in zip(points, truths, strict=True)
            )

        assert held(points) >= least
        assert held(wrong) < least


# --- the promise -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mechanism", [RandomisedResponse(0.2, MNIST_K), GaussianNoise(0.7), LaplaceNoise(0.9)], ids=name
)
def test_privacy_is_the_accounting_of_the_mechanisms(mechanism):
    labels = BinaryChannel(0.1, 0.3)
    promise = images.privacy(Config(pixels=mechanism, labels=labels), 1e-5, 784)
    assert (promise.delta, promise.n_pixels) == (1e-5, 784)
    assert promise.pixel == mechanism.epsilon
    assert promise.image == 784 * mechanism.epsilon
    assert promise.pixel_at_delta == mechanism.epsilon_at(1e-5)
    assert promise.image_at_delta == mechanism.epsilon_at(1e-5, 784)
    assert promise.label == labels.epsilon == pytest.approx(math.log(0.7 / 0.1))
    assert mechanism.delta_at(promise.image_at_delta, 784) <= 1e-5 * (1 + 1e-9)
    assert mechanism.delta_at(0.99 * promise.image_at_delta, 784) > 1e-5


def test_the_published_example():
    promise = images.privacy(Config(), 1e-5, 784)
    assert promise.image == pytest.approx(784 * math.log(0.8 * 255 / 0.2))
    assert round(promise.image) == 5431
    assert promise.label == pytest.approx(math.log(4))
    assert promise.image_at_delta < promise.image


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (RandomisedResponse(0.0, 2), (1, 1)),
        (RandomisedResponse(0.2, 2), (0.8, 0.8)),
        (RandomisedResponse(0.5, 2), (0.5, 0.5)),
        (RandomisedResponse(0.3, 4), (0.7, 0.7, 0.7, 0.7)),
        # sent 0: 0.9 of the zeros and 0.4 of the ones; sent 1: 0.1 and 0.6
        (BinaryChannel(0.1, 0.4), (0.9 / 1.3, 0.6 / 0.7)),
        # zeros never lie: who sends 1 is a 1; sent 0: all zeros and 0.4 of the ones
        (BinaryChannel(0.0, 0.4), (1 / 1.4, 1)),
        (BinaryChannel(1.0, 1.0), (0, 0)),
        (BinaryChannel(1.0, 0.0), (None, 0.5)),  # nobody sends 0
        (BinaryChannel(0.0, 1.0), (0.5, None)),
    ],
    ids=name,
)
def test_label_truth_is_bayes_by_hand(labels, expected):
    classes = tuple("0123456789"[: labels.n_states])
    found = images.privacy(Config(labels=labels, classes=classes), 1e-5, 784).label_truth
    assert [share is None for share in found] == [share is None for share in expected]
    assert [s for s in found if s is not None] == pytest.approx([s for s in expected if s is not None], abs=1e-12)


# --- configs that make no sense ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"classes": ("7",)}, r"classes must be two or more different ones, got \('7',\)"),
        ({"classes": ("7", "7")}, r"classes must be two or more different ones, got \('7', '7'\)"),
        ({"labels": RandomisedResponse(0.2, 3)}, "labels must be a mechanism on the 2 classes chosen, got one on 3"),
        ({"classes": ("1", "2", "3")}, "labels must be a mechanism on the 3 classes chosen, got one on 2"),
        ({"per_class": 0}, r"per_class must be a whole number in \[1, 10\], got 0"),
        ({"per_class": 2.5}, r"per_class must be a whole number in \[1, 10\], got 2.5"),
        ({"n_people": 10}, r"n_people must be a whole number in \[20, 5000\], got 10"),
        ({"seed": -1}, r"seed must be a whole number in \[0, 4294967295\], got -1"),
    ],
)
def test_bad_configs_say_what_is_wrong(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(DIGITS, **change)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n_candidates": 1}, r"n_candidates must be a whole number in \[2, 1000\], got 1"),
        ({"seed": -1}, r"seed must be a whole number in \[0, 4294967295\], got -1"),
        ({"family": "cauchy"}, "family must be one of randomised_response, gaussian, laplace, got 'cauchy'"),
    ],
)
def test_bad_curve_configs_say_what_is_wrong(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(CURVE, **change)


@pytest.mark.parametrize(
    ("dataset", "classes", "sentence"),
    [
        ("breast_cancer", ("7", "9"), r"dataset must hold images \(mnist or digits\), got 'breast_cancer'"),
        ("nothing", ("7", "9"), "unknown data set 'nothing': choose one of mnist"),
        ("digits", ("7", "x"), "unknown class 'x' of digits"),
    ],
)
def test_unknown_data_and_classes_say_what_is_wrong(dataset, classes, sentence):
    config = replace(DIGITS, dataset=dataset, classes=classes)
    for attempt in (
        lambda: images.run(config),
        lambda: images.strip(config, (0.1,)),
        lambda: images.measure(CurveConfig(dataset, classes), 0.2),
        lambda: images.curve(CurveConfig(dataset, classes)),
    ):
        with pytest.raises(ValueError, match=sentence):
            attempt()


def test_records_without_pictures_are_refused():
    if not datasets.available("adult"):
        missing("Adult is not on this computer")
    with pytest.raises(ValueError, match=r"dataset must hold images \(mnist or digits\), got 'adult'"):
        images.run(replace(DIGITS, dataset="adult"))


def test_a_class_chosen_twice_for_linking_is_refused():
    with pytest.raises(ValueError, match="class '7' is selected 2 times"):
        images.measure(CurveConfig("digits", ("7", "7")), 0.2)


@pytest.mark.parametrize("k", [16, 18, 256])
def test_randomised_response_on_other_pixels_is_refused(k):
    with pytest.raises(ValueError, match=f"pixels must be a mechanism on the 17 states of digits, got one on {k}"):
        images.run(replace(DIGITS, pixels=RandomisedResponse(0.2, k)))


@pytest.mark.parametrize(
    ("family", "level"), [("randomised_response", 0.95), ("gaussian", -1.0), ("laplace", math.nan)]
)
def test_a_level_outside_the_mechanism_is_refused(family, level):
    with pytest.raises(ValueError, match="must be in"):
        images.measure(replace(CURVE, family=family), level)


# --- tables, strips and the gallery ----------------------------------------------------------------------


def test_picture_table_holds_every_picture():
    result = images.run(replace(DIGITS, per_class=2, labels=BinaryChannel(1.0, 0.0)))
    rows = images.picture_table(result)
    kinds = ["clean", "released", "guess_flat_prior", "guess_learned_prior", "guess_true_prior"]
    assert len(rows) == 4 * len(kinds)
    assert all(
        list(row) == ["person", "label", "label_sent", "picture", *(f"pixel_{j}" for j in range(64))] for row in rows
    )
    assert [row["person"] for row in rows] == [person for person in (1, 2, 3, 4) for _ in kinds]
    assert [row["picture"] for row in rows] == kinds * 4
    assert [row["label"] for row in rows] == ["7"] * 10 + ["9"] * 10
    assert {row["label_sent"] for row in rows} == {"9"}
    pictures = {"clean": result.clean, "released": result.released} | {
        f"guess_{kind}_prior": guess for kind, guess in result.guesses.items()
    }
    for row in rows:
        assert [row[f"pixel_{j}"] for j in range(64)] == pictures[row["picture"]][row["person"] - 1].tolist()


def test_curve_table_holds_every_number():
    points = images.curve(CURVE)
    rows = images.curve_table(points)
    assert len(rows) == len(points) == 17
    for row, point in zip(rows, points, strict=True):
        assert row.pop("level") == point.level
        assert row.pop("n_candidates") == point.n_candidates
        assert row.pop("absolute_error_expected") == point.expected.absolute
        assert row.pop("squared_error_expected") == point.expected.squared
        for column, estimate in (
            ("absolute_error", point.absolute),
            ("squared_error", point.squared),
            ("linked", point.linked),
        ):
            assert tuple(row.pop(f"{column}_{end}") for end in ("mean", "low", "high")) == estimate
        assert not row
    assert images.curve_table([]) == []


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name)
def test_a_strip_releases_the_first_of_each_class_at_every_level(mechanism):
    levels = (0.1, 0.3, 0.5)
    config = replace(DIGITS, pixels=mechanism)
    pictures = images.strip(config, levels)
    assert pictures.shape == (2, 4, 8, 8)
    whole = images.run(config)
    np.testing.assert_array_equal(pictures[:, 0].reshape(2, 64), whole.clean[[0, 3]])
    for column, level in enumerate(levels, start=1):
        noise = family_of(mechanism).make(level, DIGITS_K)
        single = images.run(replace(config, pixels=noise))
        np.testing.assert_array_equal(pictures[:, column].reshape(2, 64), single.released[[0, 3]])
    rows = images.strip_table(("7", "9"), ("clean", "a", "b", "c"), pictures)
    assert len(rows) == 8
    assert all(list(row) == ["label", "level", *(f"pixel_{j}" for j in range(64))] for row in rows)
    assert [(row["label"], row["level"]) for row in rows] == [(c, v) for c in "79" for v in ("clean", "a", "b", "c")]
    assert [rows[6][f"pixel_{j}"] for j in range(64)] == pictures[1, 2].ravel().tolist()
    with pytest.raises(ValueError, match="longer"):
        images.strip_table(("7", "9"), ("clean", "a"), pictures)


def test_stacked_pictures():
    rows = [np.arange(12, dtype=np.uint8).reshape(2, 6), np.full((2, 6), 9, np.uint8)]
    stacked = images.stack_pictures(rows, (2, 3))
    assert stacked.shape == (2, 2, 2, 3)
    assert stacked[0, 1].tolist() == [[6, 7, 8], [9, 10, 11]]
    assert (stacked[1] == 9).all()


def test_with_mechanism_changes_the_pixels_noise_only():
    changed = images.with_mechanism(DIGITS, FAMILIES["randomised_response"], 0.5)
    assert changed == replace(DIGITS, pixels=RandomisedResponse(0.5, DIGITS_K))
    assert images.with_mechanism(DIGITS, FAMILIES["gaussian"], 0.5).pixels == GaussianNoise(0.5)


@pytest.mark.parametrize(("dataset", "k"), [("digits", DIGITS_K), ("mnist", MNIST_K)])
def test_the_gallery_goes_to_pure_noise(dataset, k, request):
    if dataset == "mnist":
        request.getfixturevalue("mnist")
    gallery = images.gallery(GalleryConfig(dataset))
    useless = (k - 1) / k
    assert gallery.levels == (*(p for p in GalleryConfig.levels if p < useless), useless)
    side = {"digits": 8, "mnist": 28}[dataset]
    assert gallery.images.shape == (4, len(gallery.levels), side, side)
    assert gallery.class_names == ("7", "9")
    for column, level in enumerate(gallery.levels):
        result = images.run(Config(dataset, pixels=RandomisedResponse(level, k), per_class=1))
        for person in (0, 1):
            np.testing.assert_array_equal(gallery.images[2 * person, column].ravel(), result.released[person])
            np.testing.assert_array_equal(
                gallery.images[2 * person + 1, column].ravel(), result.guesses["learned"][person]
            )
        assert gallery.points[column] == images.measure(CurveConfig(dataset), level)
    assert gallery.points[0].linked.mean == 1
    assert gallery.points[-1].linked.mean == pytest.approx(0.01, rel=1e-12)
    assert all(isinstance(point, Point) for point in gallery.points)


def test_mnist_runs_with_256_states(mnist):
    for mechanism in (RandomisedResponse(0.2, MNIST_K), GaussianNoise(0.3), LaplaceNoise(0.3)):
        result = images.run(Config(pixels=mechanism, n_people=400))
        assert result.n_states == MNIST_K
        assert result.n_people == 400
        assert result.released.shape == (10, 784)
        assert result.image_shape == (28, 28)
        errors = {
            kind: np.square(pictures.astype(float) - result.clean).mean()
            for kind, pictures in {"released": result.released, **result.guesses}.items()
        }
        assert errors["true"] < errors["learned"] < errors["released"]
    assert images.run(Config(n_people=400)).changed_pixels == pytest.approx(
        0.2 * 784, abs=784 * 5 * math.sqrt(0.2 * 0.8 / (400 * 784))
    )
