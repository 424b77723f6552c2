"""The people of a draw: who they are, and that every release keeps its promise."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, kstest, laplace

from privdemo.experiments.comparison import RECORDS, SHARE, ComparisonConfig, draw_people, record_epsilon, sizes
from privdemo.experiments.draws import at_draw
from privdemo.mechanisms import RandomisedResponse

DIGITS = ComparisonConfig(dataset="digits", n_train=100, n_asked=100)


def test_every_method_sees_the_same_people_whatever_the_privacy():
    people = [draw_people(replace(DIGITS, epsilon=epsilon)) for epsilon in (0.5, 2.0)]
    for name in ("clean", "y", "bags", "sets", "counts", "X_test", "y_test", "asked_clean"):
        np.testing.assert_array_equal(getattr(people[0], name), getattr(people[1], name))
    strict, loose = ((p.lies != p.y) for p in people)
    assert (loose <= strict).all(), "less privacy only takes lies back"
    assert loose.sum() < strict.sum()
    assert not np.array_equal(draw_people(at_draw(DIGITS, 1)).clean, people[0].clean)


def test_people_are_as_many_of_either_class_and_none_is_tested_on():
    people = draw_people(DIGITS)
    assert np.bincount(people.y).tolist() == [100, 100]
    assert np.bincount(people.y_test).tolist() == [sizes("digits")[1]] * 2
    known, new = ({row.tobytes() for row in rows} for rows in (people.clean, people.X_test))
    assert len(known) == 200
    assert not known & new
    assert (people.share, len(people.asked)) == (0.3, 100)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_people_lie_as_the_promise_allows(epsilon):
    people = [draw_people(replace(DIGITS, epsilon=epsilon, draw=draw)) for draw in range(10)]
    told = sum(int((p.lies != p.y).sum()) for p in people)
    # five standard errors; a lie that keeps ε + 0.3 is told from it
    assert binomtest(told, 2000, 1 / (1 + math.exp(epsilon))).pvalue > 6e-7
    assert binomtest(told, 2000, 1 / (1 + math.exp(epsilon + 0.3))).pvalue < 1e-3
    assert people[0].config.flips.epsilon <= epsilon * (1 + 1e-12)


def test_the_noise_on_bags_is_laplace_of_the_promise():
    noise = []
    for draw in range(40):
        people = draw_people(replace(DIGITS, epsilon=4.0, draw=draw))
        bag_sizes = np.bincount(people.bags)
        assert bag_sizes.tolist() == [25] * 8
        true = np.bincount(people.bags, people.y) / bag_sizes
        inside = (people.bag_shares > 0) & (people.bag_shares < 1)
        noise += ((people.bag_shares - true) * 25 * 4.0)[inside].tolist()
    assert len(noise) > 310
    assert kstest(noise, laplace.cdf).pvalue > 1e-4
    assert kstest(noise, laplace(scale=1.3).cdf).pvalue < 0.05


def test_sets_have_the_classes_the_other_way_round_and_everybody_once():
    config = replace(DIGITS, rho=0.2)
    rarers = {int(draw_people(replace(config, draw=draw)).counts[0, 1]) for draw in range(12)}
    assert len(rarers) > 5
    assert 10 <= min(rarers) <= max(rarers) <= 30
    people = draw_people(config)
    rarer = int(people.counts[0, 1])
    assert people.counts.tolist() == [[100 - rarer, rarer], [rarer, 100 - rarer]]
    joint = np.zeros((2, 2), int)
    np.add.at(joint, (people.sets, people.y), 1)
    assert joint.tolist() == people.counts.tolist()
    released = people.set_proportions("gaussian tight")
    assert released.sum(axis=1) == pytest.approx([1, 1])
    np.testing.assert_array_equal(released, people.set_proportions("gaussian tight"))
    assert not np.array_equal(released, people.set_proportions("laplace tight"))


def test_private_records_are_flipped_pixel_by_pixel_with_the_labels_probability():
    config = replace(DIGITS, private=RECORDS, epsilon=1.0)
    people = draw_people(config)
    changed = int((people.released != people.clean).sum())
    assert binomtest(changed, people.clean.size, 1 / (1 + math.e)).pvalue > 1e-4
    assert (people.asked != people.asked_clean).any()
    np.testing.assert_array_equal(people.X_test, draw_people(replace(config, epsilon=4.0)).X_test)
    pixels = RandomisedResponse(1 / (1 + math.e), 17)
    assert record_epsilon(config) == pytest.approx(1.0 + pixels.epsilon_at(1e-5, 64))
    assert math.isinf(record_epsilon(DIGITS))


def test_whoever_is_asked_several_times_answers_once():
    config = replace(DIGITS, task=SHARE, private=RECORDS, n_asked=500)
    people = draw_people(config)
    _, first, who = np.unique(people.asked_clean, axis=0, return_index=True, return_inverse=True)
    assert len(first) < 150
    np.testing.assert_array_equal(people.asked_lies, people.asked_lies[first][who.ravel()])
    np.testing.assert_array_equal(people.asked, people.asked[first][who.ravel()])
    lied = (people.asked_lies[first] != np.repeat([0, 1], [350, 150])[first]).mean()
    p = config.flips.flip_prob
    assert lied == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / len(first)))
