"""Releases of images, recomputed step by step from the streams of their seed."""

from dataclasses import replace

import numpy as np
import pytest

from privdemo import intervals
from privdemo.estimators import pixel_priors
from privdemo.experiments import images
from privdemo.experiments.images import Config
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import family_of
from tests.experiments.images.oracles import DIGITS, DIGITS_K, MECHANISMS, by_hand, forget


def test_training_images_only(mnist):
    train = {image.tobytes() for image in mnist.train.select_classes(("7", "9")).X}
    result = images.run(Config(per_class=10))
    assert all(image.tobytes() in train for image in result.states)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_a_run_recomputed_step_by_step(mechanism):
    config = replace(DIGITS, pixels=mechanism, labels=RandomisedResponse(0.4, 2), per_class=10, seed=3)
    images.run(config)
    forget()
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


def test_who_knows_the_channel_is_not_fooled_by_certain_lies():
    clean, opposite = RandomisedResponse(0.0, DIGITS_K), BinaryChannel(1.0, 1.0)
    assert images.run(replace(DIGITS, pixels=clean, labels=opposite)).label_guess.low > 0.9


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
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
    assert [(row["label"], row["level"]) for row in rows] == [(c, v) for c in "79" for v in ("clean", "a", "b", "c")]
    assert [rows[6][f"pixel_{j}"] for j in range(64)] == pictures[1, 2].ravel().tolist()
    with pytest.raises(ValueError, match="longer"):
        images.strip_table(("7", "9"), ("clean", "a"), pictures)
