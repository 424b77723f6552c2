"""The records of a draw, and the proportions that are released of its sets."""

from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments.class_ratio import RatioConfig, draw_asked_set, draw_sample, release_proportions
from privdemo.experiments.class_ratio.release import round_to_sum
from privdemo.experiments.draws import at_draw
from privdemo.mechanisms.label_counts import RELEASES, calibrate

CONFIG = RatioConfig("digits", 4, 80, n_test=80)


def test_sets_hold_the_counted_classes_and_no_record_that_is_asked_about():
    config = replace(CONFIG, set_size=120)
    sample = draw_sample(config)
    assert sample.dataset.class_names == tuple("0123")
    for group in (sample.training, sample.tuning):
        assert group.proportions == pytest.approx(config.counts() / 120)
        for rows, counts in zip(group.rows, config.counts(), strict=True):
            assert np.bincount(sample.dataset.y[rows], minlength=4).tolist() == counts.tolist()
            assert len(np.unique(rows)) == len(rows)
            assert (np.diff(sample.dataset.y[rows].astype(int)) < 0).any(), "in random order"
    learnt = np.concatenate(sample.training.rows + sample.tuning.rows)
    assert not set(learnt.tolist()) & set(np.concatenate(sample.pools).tolist())
    other = draw_sample(at_draw(config, 1))
    assert set(np.concatenate(other.training.rows).tolist()) != set(np.concatenate(sample.training.rows).tolist())


def test_three_tenths_of_every_class_are_kept_for_testing_and_true_proportions_released_without_privacy():
    sample = draw_sample(CONFIG)
    training, tuning, mechanism = release_proportions(CONFIG, sample)
    assert training is sample.training.proportions
    assert tuning is sample.tuning.proportions
    assert mechanism is None
    for c, pool in enumerate(sample.pools):
        n = int((sample.dataset.y == c).sum())
        assert len(pool) == n - int(0.7 * n)
        assert (sample.dataset.y[pool] == c).all()


def test_a_set_is_asked_about_with_the_wanted_proportions():
    sample, rng = draw_sample(CONFIG), np.random.default_rng(0)
    U, truth = draw_asked_set(CONFIG, sample, 0.7, rng)
    assert (U.shape, U.dtype, U.min(), U.max()) == ((80, 64), np.float32, 0, 1)
    assert truth == pytest.approx([0.7, 0.1, 0.1, 0.1])
    first, second = (draw_asked_set(CONFIG, sample, None, rng)[1] for _ in range(2))
    assert first == pytest.approx(second), "at random, but the same in every draw"
    assert draw_asked_set(replace(CONFIG, seed=1), sample, None, rng)[1] != pytest.approx(first)
    for share in (0.0, 1.0, 0.333):
        assert draw_asked_set(CONFIG, sample, share, rng)[1].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("values", "rounded"),
    [([0.6, 0.4, 1.0], [1, 0, 1]), ([2.2, 3.3, 4.5], [2, 3, 5]), ([0.0, 10.0], [0, 10]), ([10 / 3] * 3, [4, 3, 3])],
)
def test_the_largest_remainders_are_rounded_up(values, rounded):
    assert round_to_sum(np.array(values)).tolist() == rounded


@pytest.mark.parametrize("release", [name for name in RELEASES if name != "dirichlet published"])
def test_private_proportions_are_those_of_the_calibrated_mechanism(release):
    config = replace(CONFIG, release=release, epsilon=1.0, delta=0.05, n_min=5)
    sample = draw_sample(config)
    training, tuning, mechanism = release_proportions(config, sample)
    assert mechanism == calibrate(release, 1.0, 0.05, config.counts(), 5)
    for found in (training, tuning):
        assert found.shape == (4, 4)
        assert found.sum(axis=1) == pytest.approx(1)
        assert not np.allclose(found, sample.training.proportions)
    assert not np.allclose(training, tuning), "each set has noise of its own"
    np.testing.assert_array_equal(release_proportions(config, sample)[0], training)
    assert not np.allclose(release_proportions(at_draw(config, 1), sample)[0], training)
