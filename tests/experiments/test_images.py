"""Images: releases recomputed from the streams of their seed, errors, linkage and promises by exact expectations."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo import attacks, datasets, intervals
from privdemo.estimators import low_rank, pixel_priors
from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig, people, score
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse, to_unit
from privdemo.mechanisms.pixels import FAMILIES

DIGITS_K, MNIST_K = 17, 256
DIGITS = Config("digits", pixels=RandomisedResponse(0.3, DIGITS_K), per_class=3, n_people=200)
MECHANISMS = [RandomisedResponse(0.3, DIGITS_K), GaussianNoise(0.3), LaplaceNoise(0.2)]


def streams(seed):
    """The random streams of people, pixels and labels: the first three children of the seed."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]


def by_hand(config):
    """Everyone's images, labels and releases of both."""
    of_people, of_pixels, of_labels = streams(config.seed)
    sampled = datasets.load("digits").select_classes(config.classes).sample(config.n_people // 2, of_people)
    values = config.pixels.from_states(sampled.X, DIGITS_K)
    return sampled, config.pixels.randomise(values, of_pixels), config.labels.randomise(sampled.y, of_labels)


def test_training_images_only(mnist):
    train = {image.tobytes() for image in mnist.train.select_classes(("7", "9")).X}
    result = images.run(Config(per_class=10))
    assert all(image.tobytes() in train for image in result.states)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_run_recomputed_step_by_step(mechanism):
    config = replace(DIGITS, pixels=mechanism, labels=RandomisedResponse(0.4, 2), per_class=10, seed=3)
    result = images.run(config)
    assert (result.config, result.n_people, result.class_names, result.n_states) == (config, 200, ("7", "9"), DIGITS_K)
    assert result.labels.tolist() == [0] * 10 + [1] * 10
    assert tuple(result.guesses) == images.PRIORS
    people, released, released_labels = by_hand(config)
    shown = [*range(10), *range(100, 110)]
    np.testing.assert_array_equal(result.states, people.X[shown])
    np.testing.assert_array_equal(result.released, mechanism.to_grey(released[shown]))
    np.testing.assert_array_equal(result.released_labels, released_labels[shown])
    assert result.changed_pixels == pytest.approx((released != mechanism.from_states(people.X, DIGITS_K)).mean() * 64)
    prior = pixel_priors.learned_prior(mechanism, released, DIGITS_K)  # everyone's releases teach
    guess = pixel_priors.posterior_mean(mechanism, released[shown], prior)
    np.testing.assert_array_equal(result.guesses["learned"], mechanism.to_grey(guess))
    tried = np.arange(200)  # fewer than `N_TRIED`
    wrong = pixel_priors.posterior_mean(mechanism, released[tried], prior) / mechanism.white - people.X[tried] / 16
    assert result.guessed.errors["learned"] == pytest.approx(intervals.mean_interval((wrong**2).mean(axis=1)), rel=1e-5)
    right = []
    for learner in range(8):  # each taught by every eighth person, tried on the next ones
        taught = np.arange(200) % 8 == learner
        means = np.stack([released[taught & (released_labels == c)].mean(axis=0) for c in (0, 1)])
        tried = np.arange(200) % 8 == (learner + 1) % 8
        nearest = np.square(released[tried, None] - means).sum(axis=2).argmin(axis=1)
        right.append((nearest == people.y[tried]).mean())
    assert result.label_guess == pytest.approx(intervals.mean_interval(right), rel=1e-12)


def test_who_knows_the_channel_is_not_fooled_by_certain_lies():
    clean, opposite = RandomisedResponse(0.0, DIGITS_K), BinaryChannel(1.0, 1.0)
    assert images.run(replace(DIGITS, pixels=clean, labels=opposite)).label_guess.low > 0.9


@pytest.fixture
def a_hundred_at_a_time(monkeypatch):
    """People are sampled a hundred at a time, and nothing is kept of them."""
    kept = (people.sample_people, people._further_rows, people.true_frequencies)
    for function in kept:
        function.cache_clear()
    monkeypatch.setattr(people, "AT_A_TIME", 100)
    yield
    for function in kept:
        function.cache_clear()


@pytest.mark.usefixtures("a_hundred_at_a_time")
def test_beyond_the_first_people_others_come_until_the_data_set_ends():
    per_number = [people.all_states("digits", ("7", "9"), n, 3) for n in (100, 250, 60_000)]
    few, some, all_there = (np.concatenate(list(states.make())) for states in per_number)
    assert [len(states) for states in per_number] == [len(few), len(some), len(all_there)] == [100, 250, 359]
    np.testing.assert_array_equal(some, all_there[:250])
    np.testing.assert_array_equal(few, some[:100])  # equally many of each class, as without the others
    everyone = datasets.load("digits").select_classes(("7", "9")).X
    assert sorted(map(bytes, all_there)) == sorted(map(bytes, everyone))


@pytest.mark.usefixtures("a_hundred_at_a_time")
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_releases_of_many_are_the_same_each_time_and_teach_as_if_they_were_there_at_once(mechanism):
    config = replace(DIGITS, pixels=mechanism, n_people=359)
    everybody = people.all_released(config)
    at_once, again = (np.concatenate(list(everybody.make())) for _ in range(2))
    np.testing.assert_array_equal(at_once, again)
    noise = [
        mechanism.noise_by_name(people._noise_of_batch(config, DIGITS_K, (100, 64), number)) for number in range(3)
    ]
    assert len({part.tobytes() for arrays in noise for part in arrays.values()}) == sum(map(len, noise))
    prior = pixel_priors.learned_prior(mechanism, at_once, DIGITS_K)
    shown = [0, 1, 2, 50, 51, 52]
    expected = mechanism.to_grey(pixel_priors.posterior_mean(mechanism, at_once[shown], prior))
    # A value at the edge of a bin falls on one side or the other by the processor; without the last nine people the
    # pictures would differ by 0.67 grey levels or more on average.
    assert np.abs(images.guess(config).pictures["learned"] - expected.astype(int)).mean() < 0.4
    result = images.sample_release(config)
    np.testing.assert_array_equal(result.released, mechanism.to_grey(at_once[shown]))
    assert result.n_people == 359


def test_ten_people_are_enough_for_an_adversary():
    result = images.run(replace(DIGITS, classes=("1", "2", "3"), labels=RandomisedResponse(0.2, 3), n_people=10))
    assert (result.n_people, len(result.labels)) == (9, 9)
    assert all(np.isfinite(error.mean) for error in result.guessed.errors.values())


def test_there_are_as_many_candidates_as_asked_for():
    classes, n_candidates = ("1", "2", "3"), 100
    config = CurveConfig("digits", classes, n_candidates=n_candidates)
    candidates, _ = score.candidates(config)
    clear, useless = images.measure(config, 0.0), images.measure(config, 16 / 17)
    assert len(candidates) == useless.n_candidates == n_candidates
    assert (clear.linked.mean, useless.linked.mean) == (1, pytest.approx(1 / n_candidates, rel=1e-12))
    assert clear.absolute == (0, 0, 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_measure_recomputed_step_by_step(family):
    level = 0.4
    point = images.measure(CurveConfig("digits", family=family, n_candidates=20, seed=5), level)
    people_rng, pixel_rng, _ = streams(5)
    people = datasets.load("digits").select_classes(("7", "9")).sample(10, people_rng)
    mechanism = FAMILIES[family].make(level, DIGITS_K)
    values = people.X if family == "randomised_response" else to_unit(people.X, DIGITS_K)
    sent = np.repeat(values, 10, axis=0)  # each candidate sends ten
    released = mechanism.randomise(sent, pixel_rng)
    scale = 16 if family == "randomised_response" else 1
    errors = np.abs(released.astype(float) - sent) / scale
    assert point.absolute.mean == pytest.approx(errors.mean(), rel=1e-6)
    assert point.squared.mean == pytest.approx((errors**2).mean(), rel=1e-6)
    distance = np.abs(sent[..., None] - np.arange(DIGITS_K)) / 16
    expected = {
        "randomised_response": (level / 16 * distance.sum(-1).mean(), level / 16 * (distance**2).sum(-1).mean()),
        "gaussian": (level * math.sqrt(2 / math.pi), level**2),
        "laplace": (level, 2 * level**2),
    }[family]
    assert point.expected == pytest.approx(expected, rel=1e-9)
    for estimate, power in ((point.absolute, 1), (point.squared, 2)):  # one image is one observation
        half = 1.971957 * (errors**power).mean(axis=1).std(ddof=1) / math.sqrt(200)
        assert estimate.high - estimate.mean == pytest.approx(half, rel=1e-5)
        assert estimate.mean - estimate.low == pytest.approx(half, rel=1e-5)
    scores = np.array([[mechanism.log_likelihood(r, c).sum() for c in values] for r in released.astype(float)])
    top = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    hits = (top[np.arange(200), np.arange(200) // 10] / top.sum(axis=1)).sum()
    assert point.linked == pytest.approx(intervals.wilson_interval(hits, 200), rel=1e-9)
    assert point.linked.mean > 0.2


def test_who_has_the_very_images_finds_no_more_senders_by_strokes():
    """The likelihood of every candidate is all that a release says of its sender."""
    learned = replace(DIGITS, pixels=RandomisedResponse(0.75, DIGITS_K), n_people=359)
    candidates, k = score.candidates(CurveConfig("digits", n_candidates=50))
    prior = low_rank.learned_low_rank_prior(learned.pixels, people.all_released(learned))
    owner = np.repeat(np.arange(50), 20)
    released = learned.pixels.randomise(candidates[owner], np.random.default_rng(1))
    guess = low_rank.low_rank_mean(learned.pixels, released, prior)
    by_strokes = -np.square(guess[:, None] - candidates / (k - 1)).sum(axis=2)
    by_likelihood = learned.pixels.pairwise_log_likelihood(released, candidates)
    strokes, likelihood = (attacks.linked(scores, owner).mean() for scores in (by_strokes, by_likelihood))
    assert 2 / 50 < strokes < likelihood - 0.02


@pytest.mark.parametrize("mechanism", [RandomisedResponse(0.2, MNIST_K), GaussianNoise(0.7), LaplaceNoise(0.9)])
def test_privacy_is_the_accounting_of_the_mechanisms(mechanism):
    labels = BinaryChannel(0.1, 0.3)
    promise = images.privacy(Config(pixels=mechanism, labels=labels), 1e-5, 784)
    assert (promise.delta, promise.n_pixels) == (1e-5, 784)
    assert promise.pixel == mechanism.epsilon
    assert promise.image == 784 * mechanism.epsilon
    assert promise.pixel_at_delta == mechanism.epsilon_at(1e-5)
    assert promise.image_at_delta == mechanism.epsilon_at(1e-5, 784)
    assert promise.label == labels.epsilon == pytest.approx(math.log(0.7 / 0.1))


def test_label_posterior_equals_bayes_rule_by_hand():
    for labels, expected in ((BinaryChannel(0.1, 0.4), (0.9 / 1.3, 0.6 / 0.7)), (BinaryChannel(1, 0), (None, 0.5))):
        assert images.privacy(Config(labels=labels), 1e-5, 784).label_posterior == pytest.approx(expected, abs=1e-12)
